"""`pincite stats`: what a library holds."""

from __future__ import annotations

import typer

import pincite
from pincite.interfaces.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption
from pincite.interfaces.cli.output import print_json, print_problems, short_path

_MEGABYTE = 1_000_000


def stats(library: LibraryOption = DEFAULT_LIBRARY, as_json: JsonOption = False) -> None:
    """Show what a library holds and what was reported."""
    from pincite.interfaces.forms import stats_form

    with pincite.Library.open(library, create=False) as opened:
        found = opened.stats()
    if as_json:
        print_json(stats_form(found))
        return
    typer.echo(f"library        {short_path(str(library.absolute()))}")
    typer.echo(f"files          {found.documents}")
    typer.echo(f"passages       {found.passages}")
    typer.echo(f"PDF pages      {found.pages}")
    typer.echo(f"on disk        {found.bytes_on_disk / _MEGABYTE:.1f} MB")
    typer.echo(f"corpus version {found.corpus_version}")
    for name, files in found.collections.items():
        typer.echo(f"collection     {name} ({files} files)")
    print_problems("not read:", found.failures)
    print_problems("warnings:", found.warnings)
