"""What is in tables: requests whose work is done by programs of `audit.facts.processes`."""
