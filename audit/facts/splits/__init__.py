"""Splits of data: which datasets they are, and what they share."""
