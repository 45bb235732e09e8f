"""Headers of files of arrays and tensors, from bytes to records; nothing is unpickled."""
