"""Checks of pictures: whether they are whole."""
