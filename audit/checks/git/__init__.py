"""Git: the code that runs is the code that was recorded."""
