"""The only door to the outside: files, processes, git, environment, clock."""
