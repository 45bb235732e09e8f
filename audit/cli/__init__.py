"""One file a command: it parses words, calls the layers below, and sets the exit code."""
