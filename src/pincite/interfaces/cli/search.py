"""`pincite search`: the passages that may answer, without an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

import pincite
from pincite.interfaces.cli.explain import Account
from pincite.interfaces.cli.options import (
    DEFAULT_LIBRARY,
    NO_FILTERS,
    BudgetOption,
    CollectionOption,
    ExplainOption,
    JsonOption,
    LibraryOption,
    ProfileOption,
    QuestionArgument,
    WhyOption,
    budget_ms,
    question_text,
    with_filters,
)
from pincite.interfaces.cli.output import indented, notice, print_json, say, short_path
from pincite.text.as_read import as_read
from pincite.text.locations import on_one_line, page_and_section

_EXCERPT_CHARS = 300


@with_filters
def search(
    question: QuestionArgument = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    limit: Annotated[
        int | None,
        typer.Option("--limit", "-n", min=1, max=100, help="Hits to show (retrieval.limit: 10)."),
    ] = None,
    collection: CollectionOption = None,
    filters: pincite.Filters = NO_FILTERS,
    sections: Annotated[
        bool, typer.Option("--sections", help="Show the whole section around each passage.")
    ] = False,
    explain: ExplainOption = False,
    why: WhyOption = None,
    budget: BudgetOption = "",
    as_json: JsonOption = False,
) -> None:
    """Find passages, best first."""
    from pincite.interfaces.forms import search_form

    text = question_text(question)
    with pincite.Library.open(library, create=False, profile=profile) as opened:
        result = opened.search(
            text,
            limit=limit,
            collection=collection,
            filters=filters,
            explain=explain,
            budget_ms=budget_ms(budget),
        )
        fates = (
            opened.why(text, why, collection=collection, filters=filters) if why is not None else ()
        )
        account = Account.of(result, opened, explain=explain, fates=fates, collection=collection)
        types = {
            name: opened.catalog.document(name).media_type
            for name in {hit.passage.span.document_id for hit in result.hits}
        }
        form = search_form(result, opened, collection=collection, sections=sections)
    for message in result.notices:
        notice(message)
    if as_json:
        print_json({**form, **account.form()})
    else:
        _print_hits(form, types, sections=sections)
        account.show()


def _print_hits(form: Mapping[str, Any], types: Mapping[str, str], *, sections: bool) -> None:
    """Print each hit with its location and the start of its text, or the section around it.

    `types` are the media types of the documents.
    """
    for hit in form["hits"]:
        details = (short_path(hit["source"]), page_and_section(hit["page"], hit["section"]))
        heading = "; ".join([part for part in details if part] + [f"score {hit['score']:.3f}"])
        say(indented(heading, first=f"{hit['rank']:>2}. "), bold=True)
        found = hit["section_text"] if sections else hit["text"]
        text = as_read(found, types[hit["document"]])
        text = text if sections else on_one_line(text)
        is_long = not sections and len(text) > _EXCERPT_CHARS
        cut = text[:_EXCERPT_CHARS].rstrip() + " ..." if is_long else text
        say(indented(cut, first="    ") + "\n")
    if not form["hits"]:
        say("Nothing found.")
