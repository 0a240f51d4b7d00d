"""`pincite search`: the passages that may answer, without an answer."""

from __future__ import annotations

from typing import Annotated

import typer

import pincite
from pincite.interfaces.cli.options import (
    DEFAULT_LIBRARY,
    CollectionOption,
    ExplainOption,
    JsonOption,
    LibraryOption,
    QuestionArgument,
)
from pincite.interfaces.cli.output import (
    indented,
    notice,
    on_one_line,
    place,
    print_json,
    print_trace,
    short_path,
)

_EXCERPT_CHARS = 300


def search(
    question: QuestionArgument,
    library: LibraryOption = DEFAULT_LIBRARY,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="Hits to show.")] = 10,
    collection: CollectionOption = None,
    explain: ExplainOption = False,
    as_json: JsonOption = False,
) -> None:
    """Find passages, best first."""
    from pincite.interfaces.forms import search_form

    with pincite.Library.open(library, create=False) as opened:
        result = opened.search(question, limit=limit, collection=collection)
        form = search_form(result, opened)
    for message in result.notices:
        notice(message)
    if as_json:
        print_json({**form, "trace": dict(result.trace)} if explain else form)
        return
    for hit in form["hits"]:
        details = (short_path(hit["source"]), place(hit["page"], hit["section"]))
        heading = "; ".join([part for part in details if part] + [f"score {hit['score']:.3f}"])
        typer.secho(indented(heading, first=f"{hit['rank']:>2}. "), bold=True)
        text = on_one_line(hit["text"])
        cut = text if len(text) <= _EXCERPT_CHARS else text[:_EXCERPT_CHARS].rstrip() + " ..."
        typer.echo(indented(cut, first="    ") + "\n")
    if not form["hits"]:
        typer.echo("Nothing found.")
    if explain:
        print_trace(result.trace, result.timings)
