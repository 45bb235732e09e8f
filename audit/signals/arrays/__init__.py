"""Values of arrays read in blocks, and what is measured of them."""
