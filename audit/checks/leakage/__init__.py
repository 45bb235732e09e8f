"""Checks of the family `leakage`."""
