"""What a table is, column by column: counts, moments, quantiles, levels."""
