"""Checks of devices: what there is, under which driver, and whether the frameworks' builds run on it."""
