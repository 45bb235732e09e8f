"""One file an output: a finished report in, bytes out."""
