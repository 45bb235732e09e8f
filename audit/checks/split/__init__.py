"""Checks of the family `split`."""
