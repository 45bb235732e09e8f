"""A first `audit.yaml` for a project: what its folders and names tell of its data, and what records it already."""
