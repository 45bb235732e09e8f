"""Checks of arrays and tensors: dtypes and shapes, whole files, and values."""
