"""Headers of pictures, from bytes to records."""
