"""Checks of token sequences."""
