"""Facts about the environment that a project runs in: which one it is, and what is installed in it."""
