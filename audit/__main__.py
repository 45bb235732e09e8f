"""`python -m audit` is `audit`; like it, it imports nothing from the working directory, which may be a project's."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # where `-m` puts the working directory

from audit.cli.main import main

main()
