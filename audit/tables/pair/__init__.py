"""Two tables measured against each other, column by column."""
