"""What should be: one file a check, pure, named family.name by its place."""
