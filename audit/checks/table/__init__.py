"""Checks of the family `table`."""
