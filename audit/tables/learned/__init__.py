"""What a model learns from tables that it should not be able to: which table a row is of, the label from one column."""
