"""Samples, pixels and values, with numpy and decoders; imported only by the programs of `audit.facts.processes`."""
