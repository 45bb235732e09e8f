"""The sections of `audit.lock`: one file each, found by its name."""
