"""Datasets as such, whatever keeps them."""
