"""Checks of the environment: what is installed against what is locked."""
