"""What splits share: rows, groups, times, classes."""
