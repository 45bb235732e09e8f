"""The demonstration: a small real project, recorded with Git and DVC, and faults of the kind that cost training runs."""
