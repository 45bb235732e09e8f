"""Plan, collect, evaluate; generic, it knows no check and no fact by name."""
