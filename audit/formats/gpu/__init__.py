"""What NVIDIA's driver and its tool say, from bytes to records."""
