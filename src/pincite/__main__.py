"""`python -m pincite` is the `pincite` command."""

from pincite.interfaces.cli.start import run

run()
