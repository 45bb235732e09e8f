"""Signals decoded; imported only by the programs of `audit.facts.processes`."""
