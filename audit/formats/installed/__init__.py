"""What installers leave beside what they installed, from bytes to records."""
