"""`pincite migrate`: copies a library from a folder into a database, or back."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from pincite.interfaces.cli.options import JsonOption, named_library
from pincite.interfaces.cli.output import print_json, say, short_path


def migrate(
    source: Annotated[
        str,
        typer.Argument(
            help="Folder or database of the library.", metavar="LIBRARY", parser=named_library
        ),
    ],
    target: Annotated[
        str,
        typer.Argument(
            help="An empty database, postgresql://USER@HOST/NAME, or a new folder.",
            metavar="TARGET",
            parser=named_library,
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Copy a library from a folder into a database, or back (docs/scale.md).

    Copies all that is not derived: documents, passages, vectors, conversations, kept answers,
    settings, calibration. Every table is compared afterwards. If stopped, run it again.
    """
    from pincite.interfaces.cli.ingest import stop_kindly
    from pincite.interfaces.cli.progress import counted_rows
    from pincite.library.homes import shown_place
    from pincite.library.migrate import migrate_library

    with stop_kindly(), counted_rows() as progress:
        report = migrate_library(source, target, progress=progress)
    if as_json:
        print_json(asdict(report))
        return
    for name, digest in report.tables.items():
        say(f"{name:<14} {digest.rows:>9,} rows  {digest.sha256[:16]}")
    say(
        f"{short_path(shown_place(target))} is library {report.library_id}: {report.copied:,} rows "
        f"copied, all compared, in {report.seconds:.1f} s"
    )
