"""Checks of pictures: sizes and modes, whole files, content, and the annotations that describe them."""
