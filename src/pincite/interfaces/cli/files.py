"""`pincite ls`, `remove` and `stats`: the files that a library holds."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from fnmatch import fnmatch, fnmatchcase
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated

import typer

import pincite
from pincite.interfaces.cli.options import (
    DEFAULT_LIBRARY,
    CollectionOption,
    JsonOption,
    LibraryOption,
    VerboseOption,
    named_path,
)
from pincite.interfaces.cli.output import (
    ERROR,
    indented,
    print_json,
    print_problems,
    say,
    short_path,
)

if TYPE_CHECKING:
    from pincite.records.library_records import FileEntry, Stats


def ls(
    pattern: Annotated[
        str, typer.Argument(help="Part of a path, or a pattern such as '*.pdf'.")
    ] = "",
    library: LibraryOption = DEFAULT_LIBRARY,
    collection: CollectionOption = None,
    versions: Annotated[
        bool, typer.Option("--versions", help="Also show the old versions that are kept.")
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


# `pincite remove`: forget files.


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
        str, typer.Option("--collection", "-c", help="The collection they are in.")
    ] = "default",
    as_json: JsonOption = False,
) -> None:
    """Forget files.

    Also removes their passages and vectors. The files themselves are not touched.
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
    """The paths meant: the given one, or the matches of a pattern that is not a file's name.

    A pattern without a folder matches the name in any folder.
    """
    if not any(sign in str(given) for sign in "*?[") or given.exists():
        return [given]
    if given.name == str(given):
        return [Path(path) for path in held if fnmatchcase(Path(path).name, str(given))]
    pattern = os.path.abspath(given)
    return [Path(path) for path in held if fnmatchcase(path, pattern)]


# `pincite stats`: what a library holds.

_MEGABYTE = 1_000_000


def stats(
    library: LibraryOption = DEFAULT_LIBRARY,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Show how much of each file is searchable.")
    ] = False,
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show what a library holds and the problems reported."""
    from pincite.interfaces.forms import coverage_form, flagged, reported, stats_form
    from pincite.library.homes import shown_place

    with pincite.Library.open(library, create=False) as opened:
        found = opened.stats()
        if as_json:
            pages = {"coverage": coverage_form(found, opened)} if coverage else {}
            print_json({**stats_form(found), **pages})
            return
    if coverage:
        _print_coverage(found)
        return
    say(f"library        {short_path(shown_place(library))}")
    say(f"files          {found.documents}")
    say(f"passages       {found.passages}")
    say(f"PDF pages      {found.pages}")
    say(f"on disk        {found.bytes_on_disk / _MEGABYTE:.1f} MB")
    say(f"corpus version {found.corpus_version}")
    for name, files in found.collections.items():
        say(f"collection     {name} ({files} files)")
    print_problems("not read:", found.failures, verbose=verbose)
    print_problems("warnings:", reported(found.files), verbose=verbose)
    print_problems("needs attention:", flagged(found.files), verbose=verbose)


def _print_coverage(found: Stats) -> None:
    """One line per file, with its problems below."""
    from pincite.interfaces.forms import flags_of_file

    reasons = {problem.path: problem.reason for problem in found.failures}
    say(" status      characters  pages  tables  pictures  file", bold=True)
    for file in found.files:
        coverage = file.coverage
        status = "not renewed" if file.path in reasons else coverage.get("status", "unknown")
        recognition = coverage.get("recognition")
        say(
            f" {status:<11} {coverage.get('characters', 0):>10,}  {coverage.get('pages') or '':>5}  "
            f"{coverage.get('tables') or '':>6}  {coverage.get('images') or '':>8}  "
            f"{short_path(file.path)}",
            fg=None if status == "complete" else "yellow",
        )
        sure = [f"recognised from pictures, {recognition:.0%} sure"] if recognition else []
        for line in (
            *coverage.get("gaps", ()),
            *sure,
            *flags_of_file(file),
            *coverage.get("warnings", ()),
        ):
            say(indented(line, first=" " * 14))
    held = {file.path for file in found.files}
    for path, reason in reasons.items():
        if path not in held:
            say(f" {'failed':<11}{'':36}  {short_path(path)}", fg="red")
        say(indented(reason, first=" " * 14))
    counts = Counter(str(file.coverage.get("status", "unknown")) for file in found.files)
    counts["failed"] = len(reasons.keys() - held)
    say(", ".join(f"{count} {status}" for status, count in counts.items() if count))
