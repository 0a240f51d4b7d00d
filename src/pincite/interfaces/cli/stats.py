"""`pincite stats`: what a library holds."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

import pincite
from pincite.interfaces.cli.options import (
    DEFAULT_LIBRARY,
    JsonOption,
    LibraryOption,
    VerboseOption,
)
from pincite.interfaces.cli.output import indented, print_json, print_problems, say, short_path

if TYPE_CHECKING:
    from pincite.holdings import Stats

_MEGABYTE = 1_000_000


def stats(
    library: LibraryOption = DEFAULT_LIBRARY,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Show how much of each file can be found.")
    ] = False,
    verbose: VerboseOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show what a library holds and what was reported."""
    from pincite.interfaces.forms import coverage_form, flagged, reported, stats_form

    with pincite.Library.open(library, create=False) as opened:
        found = opened.stats()
        if as_json:
            pages = {"coverage": coverage_form(found, opened)} if coverage else {}
            print_json({**stats_form(found), **pages})
            return
    if coverage:
        _print_coverage(found)
        return
    say(f"library        {short_path(str(library.absolute()))}")
    say(f"files          {found.documents}")
    say(f"passages       {found.passages}")
    say(f"PDF pages      {found.pages}")
    say(f"on disk        {found.bytes_on_disk / _MEGABYTE:.1f} MB")
    say(f"corpus version {found.corpus_version}")
    for name, files in found.collections.items():
        say(f"collection     {name} ({files} files)")
    print_problems("not read:", found.failures, verbose=verbose)
    print_problems("warnings:", reported(found.files), verbose=verbose)
    print_problems("look at these:", flagged(found.files), verbose=verbose)


def _print_coverage(found: Stats) -> None:
    """A line for each file, with what is the matter below it."""
    from pincite.interfaces.forms import told_flags

    reasons = {problem.path: problem.reason for problem in found.failures}
    say(" status      characters  pages  tables  pictures  file", bold=True)
    for file in found.files:
        told = file.coverage
        status = "not renewed" if file.path in reasons else told.get("status", "unknown")
        recognition = told.get("recognition")
        say(
            f" {status:<11} {told.get('characters', 0):>10,}  {told.get('pages') or '':>5}  "
            f"{told.get('tables') or '':>6}  {told.get('images') or '':>8}  "
            f"{short_path(file.path)}",
            fg=None if status == "complete" else "yellow",
        )
        sure = [f"recognised from pictures, {recognition:.0%} sure"] if recognition else []
        for line in (*told.get("gaps", ()), *sure, *told_flags(file), *told.get("warnings", ())):
            say(indented(line, first=" " * 14))
    held = {file.path for file in found.files}
    for path, reason in reasons.items():
        if path not in held:
            say(f" {'failed':<11}{'':36}  {short_path(path)}", fg="red")
        say(indented(reason, first=" " * 14))
    counts = Counter(str(file.coverage.get("status", "unknown")) for file in found.files)
    counts["failed"] = len(reasons.keys() - held)
    say(", ".join(f"{count} {status}" for status, count in counts.items() if count))
