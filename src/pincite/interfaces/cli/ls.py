"""`pincite ls`: the files a library holds."""

from __future__ import annotations

from dataclasses import asdict
from fnmatch import fnmatch
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated

import typer

import pincite
from pincite.interfaces.cli.options import (
    DEFAULT_LIBRARY,
    CollectionOption,
    JsonOption,
    LibraryOption,
)
from pincite.interfaces.cli.output import print_json, say, short_path

if TYPE_CHECKING:
    from pincite.holdings import FileEntry


def ls(
    pattern: Annotated[
        str, typer.Argument(help="Part of a path, or a pattern such as '*.pdf'.")
    ] = "",
    library: LibraryOption = DEFAULT_LIBRARY,
    collection: CollectionOption = None,
    versions: Annotated[
        bool, typer.Option("--versions", help="Show the old versions that are kept, too.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the files a library holds."""
    with pincite.Library.open(library, create=False) as opened:
        found = [e for e in opened.files(collection=collection) if _matches(e, pattern)]
    if as_json:
        print_json({"files": [asdict(entry) for entry in found]})
        return
    if found:
        say(" status   passages  pages  file", bold=True)
    for entry in found:
        _print_entry(entry, versions=versions)
    say(f"{len(found)} files")


def _matches(entry: FileEntry, pattern: str) -> bool:
    name = PurePath(entry.path).name
    return pattern in entry.path or fnmatch(name, pattern) or fnmatch(entry.path, pattern)


def _print_entry(entry: FileEntry, *, versions: bool) -> None:
    status = str(entry.coverage.get("status", "unknown"))
    pages = entry.coverage.get("pages") or ""
    path = short_path(entry.path)
    colour = "yellow" if status == "partial" else None
    say(f" {status:<8} {entry.passages:>8}  {pages:>5}  {path}", fg=colour)
    if versions:
        for old in entry.old_versions:
            when = old.replaced_at[:16].replace("T", " ")
            say(f"{'':>26}{old.document_id} until {when} UTC (superseded)", dim=True)
