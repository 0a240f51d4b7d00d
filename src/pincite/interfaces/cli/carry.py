"""`pincite export` and `pincite import`: a library in one file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pincite.errors import BundleError
from pincite.interfaces.cli.exits import ERROR, VERIFICATION_FAILED
from pincite.interfaces.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption
from pincite.interfaces.cli.output import print_json, say, say_error

if TYPE_CHECKING:
    from pincite.bundle.library import Carried

_GONE_SHOWN = 10


def export(
    file: Annotated[Path, typer.Argument(help="The file to write (.tar).", metavar="FILE")],
    library: LibraryOption = DEFAULT_LIBRARY,
    sources: Annotated[
        bool, typer.Option("--sources", help="Take along the files that the library holds.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a library into one file whose every byte is checked when it is read again.

    The library may be in use. Exit code 1 when a file could not be taken along with --sources; the
    rest is written.
    """
    from pincite.bundle.library import export_library

    carried = export_library(library, file, with_sources=sources)
    _tell(f"wrote {file}", carried, as_json=as_json)
    if carried.gone:
        raise typer.Exit(ERROR)


def import_(
    file: Annotated[Path, typer.Argument(help="What 'pincite export' wrote.", metavar="FILE")],
    library: LibraryOption = DEFAULT_LIBRARY,
    sources_to: Annotated[
        Path | None,
        typer.Option(help="Write the files that it brings into this new folder.", metavar="FOLDER"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a new library of a file that 'pincite export' wrote, all of it or nothing.

    Exit code 4 when anything in the file is not as it was written.
    """
    from pincite.bundle.library import import_library

    try:
        carried = import_library(file, library, sources_to=sources_to)
    except BundleError as error:
        say_error(str(error))
        raise typer.Exit(VERIFICATION_FAILED) from error
    _tell(f"made {library}", carried, as_json=as_json)


def _tell(done: str, carried: Carried, *, as_json: bool) -> None:
    if as_json:
        print_json(asdict(carried))
        return
    say(f"{done}: {carried.documents} documents, {carried.sources} of their files with it")
    for told in carried.gone[:_GONE_SHOWN]:
        say_error(f"not taken along: {told}")
    if len(carried.gone) > _GONE_SHOWN:
        say_error(f"and {len(carried.gone) - _GONE_SHOWN} more")
    say(f"SHA-256 {carried.sha256}")
