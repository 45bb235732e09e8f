"""Bytes to records, pure."""
