"""Statistics, pure."""
