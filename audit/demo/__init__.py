"""The demonstration: a small real project, recorded with Git and DVC, and faults that cost people training runs."""
