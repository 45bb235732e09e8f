"""Tables by column, with polars: imported only by the programs of `audit.facts.processes`, which can be killed."""
