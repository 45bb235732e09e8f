"""Plan, collect, evaluate, remember; generic, it knows no check and no fact by name."""
