"""Lockfiles of Python's tools, from bytes to records."""
