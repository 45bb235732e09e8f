"""Programs of our own that load libraries which can hang or crash; each runs in a process that can be killed."""
