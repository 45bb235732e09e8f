"""Headers of pictures: bytes in, records out; nothing is decoded."""
