"""`python -m audit` is `audit`."""

from audit.cli.main import main

main()
