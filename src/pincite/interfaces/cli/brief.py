"""`pincite brief`: a document in its own sentences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import pincite
from pincite.interfaces.cli.options import (
    DEFAULT_LIBRARY,
    CollectionOption,
    JsonOption,
    LibraryOption,
)
from pincite.interfaces.cli.output import indented, notice, print_json, say, visible_line

if TYPE_CHECKING:
    from pincite.report.brief import Brief


def brief(
    document: Annotated[str, typer.Argument(help="A file of the library: its name, path or id.")],
    library: LibraryOption = DEFAULT_LIBRARY,
    section: Annotated[
        str, typer.Option("--section", help="Only below headings with these words.")
    ] = "",
    share: Annotated[
        float,
        typer.Option(
            "--share", min=0.001, max=1.0, help="Part of its statements to show, in 0..1."
        ),
    ] = 0.1,
    collection: CollectionOption = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write: .html, .docx, .pdf, .md or .json; repeatable.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Summarise a document in its own sentences: every section represented, figures and duties first.

    No language model takes part: each sentence is a verified quote.
    """
    from pincite.report.brief import brief as brief_of
    from pincite.report.brief import brief_form, write_brief
    from pincite.report.writing import check_outputs

    outputs = output or []
    check_outputs(outputs)
    with pincite.Library.open(library, create=False) as opened:
        for path in outputs:
            opened.check_output(path)
        told = brief_of(opened, document, section=section, share=share, collection=collection)
    for line in write_brief(told, outputs):
        notice(line)
    if as_json:
        print_json(brief_form(told))
    else:
        _print(told, outputs)


def _print(told: Brief, outputs: list[Path]) -> None:
    from pincite.report.brief import readable, summary

    say(visible_line(Path(told.source).name), bold=True)
    say(summary(told), dim=True)
    for one in told.sections:
        say()
        if one.heading:
            say(visible_line(one.heading), bold=True)
        for citation in one.sentences:
            page = f"  (page {citation.page})" if citation.page else ""
            say(indented(visible_line(readable(citation) + page), first="  • "))
    for line in told.notices:
        notice(line)
    if outputs:
        say(f"written to {', '.join(map(str, outputs))}")
