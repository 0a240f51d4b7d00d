"""`pincite remove`: forget files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import pincite
from pincite.interfaces.cli.exits import ERROR
from pincite.interfaces.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption, named_path
from pincite.interfaces.cli.output import print_json, say, short_path


def remove(
    paths: Annotated[
        list[Path],
        typer.Argument(
            help="Files or folders; they need not exist any more.",
            parser=named_path,
        ),
    ],
    library: LibraryOption = DEFAULT_LIBRARY,
    collection: Annotated[
        str, typer.Option("--collection", "-c", help="Where they are filed.")
    ] = "default",
    as_json: JsonOption = False,
) -> None:
    """Forget files.

    Their passages and vectors go too. The files themselves are not touched.
    """
    with pincite.Library.open(library, create=False) as opened:
        removed = opened.remove(paths, collection=collection)
    if as_json:
        print_json({"removed": list(removed)})
    else:
        for path in removed:
            say(f"removed {short_path(path)}")
    if not removed:
        say("nothing to remove: the library holds none of these paths", err=True)
        raise typer.Exit(ERROR)
