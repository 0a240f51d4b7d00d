"""`pincite remove`: forget files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from fnmatch import fnmatchcase
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
            help="Files, folders or patterns such as '*.tmp'; they need not exist any more.",
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
        held = [file.path for file in opened.files() if file.collection == collection]
        named = [path for given in paths for path in _meant(given, held)]
        removed = opened.remove(named, collection=collection) if named else ()
    if as_json:
        print_json({"removed": list(removed)})
    else:
        for path in removed:
            say(f"removed {short_path(path)}")
    if not removed:
        say("nothing to remove: the library holds none of these paths", err=True)
        raise typer.Exit(ERROR)


def _meant(given: Path, held: Sequence[str]) -> list[Path]:
    """What a path means: itself, or what it matches where it is a pattern and no file.

    A pattern without a folder matches the name in any folder.
    """
    if not any(sign in str(given) for sign in "*?[") or given.exists():
        return [given]
    if given.name == str(given):
        return [Path(path) for path in held if fnmatchcase(Path(path).name, str(given))]
    pattern = os.path.abspath(given)
    return [Path(path) for path in held if fnmatchcase(path, pattern)]
