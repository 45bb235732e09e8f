"""Checks of arrays and tensors: how they are stored, and their values."""
