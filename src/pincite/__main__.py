"""`python -m pincite` is the `pincite` command."""

from pincite.interfaces.cli.app import main

main()
