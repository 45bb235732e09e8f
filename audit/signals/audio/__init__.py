"""Clips decoded in blocks, and what is measured of them."""
