"""What is: one file a kind of fact, with its values, its request and its collector."""
