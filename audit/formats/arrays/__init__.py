"""Files of arrays and tensors: bytes in, records out; nothing is ever unpickled."""
