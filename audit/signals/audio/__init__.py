"""Clips decoded, and what is measured of them."""
