"""`pincite check`: what the documents say about each statement of a text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import pincite
from pincite.interfaces.cli.options import (
    DEFAULT_LIBRARY,
    NO_FILTERS,
    CollectionOption,
    JsonOption,
    LibraryOption,
    ProfileOption,
    with_filters,
)
from pincite.interfaces.cli.output import (
    VERIFICATION_FAILED,
    indented,
    notice,
    print_json,
    say,
    visible_line,
)

if TYPE_CHECKING:
    from pincite.records.checked_texts import CheckedStatement, CheckedText
    from pincite.records.flow import Citation

_STANDARD_INPUT = "-"
_LOOKS = {
    "supported": ("✓", "green"),
    "contradicted": ("✗", "red"),
    "not found": ("?", "yellow"),
    "no claim": (" ", None),
}


@with_filters
def check(
    file: Annotated[
        str,
        typer.Argument(
            help="The text: a file of any format that is read, or - for standard input."
        ),
    ],
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    collection: CollectionOption = None,
    filters: pincite.Filters = NO_FILTERS,
    show_all: Annotated[
        bool, typer.Option("--all", help="Also show the quotes of supported statements.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Check a text of yours, or of a model's, against the documents, statement by statement.

    Supported: quotes carry its numbers, names, negations and words. Contradicted: a quote says the same
    with another number, date, duty or negation. Not found: neither, however similar the nearest quote.
    Exit code 0 when every claim is supported, 4 when not.
    """
    from pincite.interfaces.cli.progress import progress_line
    from pincite.report.checking import check_file, check_text, checked_form

    with (
        pincite.Library.open(library, create=False, profile=profile) as opened,
        progress_line() as show,
    ):
        chosen = {
            "collection": collection,
            "filters": filters,
            "on_statement": lambda done, every: show(f"checked {done:,} of {every:,} statements"),
        }
        if file == _STANDARD_INPUT:
            text = sys.stdin.buffer.read().decode("utf-8-sig", "replace")
            checked = check_text(opened, text, **chosen)
        else:
            checked = check_file(opened, Path(file), **chosen)
    if as_json:
        print_json(checked_form(checked))
    else:
        print_checked(checked, show_all=show_all)
    if not checked.holds:
        raise typer.Exit(VERIFICATION_FAILED)


def print_checked(checked: CheckedText, *, show_all: bool) -> None:
    """Each statement with what the documents say; `show_all`: also where they support it."""
    for one in checked.statements:
        _print_statement(one, show_all=show_all)
    say()
    say(", ".join(f"{count} {standing}" for standing, count in checked.counts.items() if count))
    for told in checked.notices:
        notice(told)


def _print_statement(one: CheckedStatement, *, show_all: bool) -> None:
    sign, colour = _LOOKS[one.standing]
    words = visible_line(" ".join(one.text.split()))
    say(indented(words, first=f"{sign} "), fg=colour)
    if one.detail and one.standing == "not found":
        say(indented(f"{one.verdict}: {visible_line(one.detail)}", first="    "), dim=True)
    for quote in one.against:
        _print_quote("but", quote)
    is_free = one.verdict == "worded freely"
    if show_all or is_free or one.standing == "not found":
        what = "in other words" if is_free else "" if one.standing == "supported" else "nearest"
        for quote in one.quotes if show_all or is_free else one.quotes[:1]:
            _print_quote(what, quote)


def _print_quote(what: str, quote: Citation) -> None:
    from pincite.text.locations import place

    label = f"{what}: " if what else ""
    say(indented(f"{label}{_said(quote)}", first="    "))
    where = ", ".join(filter(None, (Path(quote.source).name, place(quote))))
    say(indented(visible_line(where), first="    "), dim=True)


def _said(quote: Citation) -> str:
    """The quote; a table row with the head of each cell."""
    if not any(cell.columns for cell in quote.cells):
        return visible_line(f"“{' '.join(quote.quote.split())}”")
    rows = dict.fromkeys(label.text for cell in quote.cells for label in cell.rows)
    cells = (
        ": ".join([*(label.text for label in cell.columns), cell.text]) for cell in quote.cells
    )
    return visible_line(" | ".join([*rows, *cells]))
