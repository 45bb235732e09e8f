"""What breaks the rules of a schema."""
