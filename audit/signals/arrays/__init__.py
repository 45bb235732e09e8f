"""Arrays and tensors: what their headers say, and their values scanned."""
