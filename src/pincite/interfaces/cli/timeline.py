"""`pincite timeline`: the dated statements of the documents in order."""

from __future__ import annotations

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
    with_filters,
    words_given,
)
from pincite.interfaces.cli.output import indented, notice, print_json, say, visible_line
from pincite.interfaces.cli.progress import progress_line

if TYPE_CHECKING:
    from pincite.records.flow import Citation
    from pincite.report.timeline import Timeline

_SHOWN = 50


@with_filters
def timeline(
    question: Annotated[
        list[str] | None,
        typer.Argument(
            help="What the dates are to be about; all of them if omitted.", show_default=False
        ),
    ] = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    collection: CollectionOption = None,
    filters: pincite.Filters = NO_FILTERS,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write: .csv, .ics, .html, .docx, .pdf, .md or .json; repeatable.",
        ),
    ] = None,
    show_all: Annotated[
        bool, typer.Option("--all", help=f"Print all entries, not only the first {_SHOWN}.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the dated statements of the documents in order, each with its quote.

    Says what a date is: due, valid from, valid until, published, sent, or an event. A date without a
    year gets the one year of the heading above it, or is listed apart. Statements that differ in the
    date alone name each other.
    """
    from pincite.report.timeline import OWN_FORMATS, timeline_form, write_timeline
    from pincite.report.timeline import timeline as timeline_of
    from pincite.report.writing import check_outputs

    outputs = output or []
    check_outputs(outputs, also=OWN_FORMATS)
    with pincite.Library.open(library, create=False) as opened, progress_line() as show:
        for path in outputs:
            opened.check_output(path)
        found = timeline_of(
            opened,
            words_given(question or []),
            collection=collection,
            filters=filters,
            on_document=lambda name: show(f"reading {name}"),
        )
    for told in write_timeline(found, outputs):
        notice(told)
    if as_json:
        print_json(timeline_form(found))
    else:
        _print(found, outputs, most=None if show_all else _SHOWN)


def _print(found: Timeline, outputs: list[Path], *, most: int | None) -> None:
    from pincite.report.brief import readable
    from pincite.report.timeline import note_of

    for number, one in enumerate(found.entries[:most], start=1):
        say(f"{number}. {one.written}  {one.role}", bold=True)
        say(indented(visible_line(f"“{readable(one.citation)}”"), first="    "))
        say(indented(_where(one.citation), first="    "), dim=True)
        if told := note_of(one):
            say(indented(visible_line(told), first="    "), fg="yellow")
    rest = len(found.entries) - len(found.entries[:most])
    if rest:
        say(f"\n{rest} more: --all")
    for cited in found.undated[:most]:
        say(indented(visible_line(f"“{readable(cited)}”"), first="no year: "))
        say(indented(_where(cited), first="    "), dim=True)
    if not found.entries and not found.undated:
        say("no dates were found")
    for told in found.notices:
        notice(told)
    if outputs:
        say(f"written to {', '.join(map(str, outputs))}")


def _where(citation: Citation) -> str:
    from pincite.text.locations import place

    return visible_line(", ".join(filter(None, (Path(citation.source).name, place(citation)))))
