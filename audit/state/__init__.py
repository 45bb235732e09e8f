"""What this machine has read before, kept between audits in one SQLite file."""
