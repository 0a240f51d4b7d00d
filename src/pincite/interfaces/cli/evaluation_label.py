"""`pincite eval label`: questions and the passages that answer them, judged by a person."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import pincite
from pincite.errors import UsageError
from pincite.interfaces.cli.options import DEFAULT_LIBRARY, LibraryOption
from pincite.interfaces.cli.output import indented, notice, say
from pincite.places import on_one_line, page_and_section

if TYPE_CHECKING:
    from pincite.library import Library


def label(
    folder: Annotated[Path, typer.Argument(help="Folder of the set, new or begun before.")],
    library: LibraryOption = DEFAULT_LIBRARY,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Passages to judge.")] = 5,
) -> None:
    """Make a labelled set from your own library: ask, and say which passages answer.

    Every question is kept at once; an empty line ends. The set is measured with 'pincite eval FOLDER'.
    """
    from pincite.evaluate.label import LabelledSet

    with pincite.Library.open(library, create=False) as opened:
        made = LabelledSet(folder, opened)
        say(f"{made.questions} questions in {folder}; for each passage: y(es), n(o), s(kip)\n")
        while question := typer.prompt("question (empty: done)", default="", show_default=False):
            try:
                grades = _judged(opened, question, limit)
            except UsageError as error:
                notice(str(error))
                continue
            if grades is None:
                say("skipped\n")
                continue
            made.add(question, grades)
            helpful = sum(grade > 0 for grade in grades.values())
            found = f"{helpful} of {len(grades)} documents answer it" if grades else "nothing found"
            say(f"kept: {found}\n")


def _judged(opened: Library, question: str, limit: int) -> dict[str, int] | None:
    """A grade for each document of the passages shown, that of its best; None: skip the question."""
    grades: dict[str, int] = {}
    hits = opened.search(question, limit=limit).hits
    for number, hit in enumerate(hits, start=1):
        document = hit.passage.span.document_id
        where = page_and_section(hit.passage.page, "")
        heading = ", ".join(part for part in (hit.passage.context, where) if part)
        say("\n" + indented(heading, first=f"{number}/{len(hits)} "), bold=True)
        say(indented(on_one_line(opened.catalog.text_of(hit.passage.span)), first="    "))
        answer = ""
        while answer not in ("y", "n", "s"):
            told = typer.prompt("does it answer? [y/N/s]", default="n", show_default=False)
            answer = told.strip().lower()[:1]
        if answer == "s":
            return None
        grades[document] = max(grades.get(document, 0), int(answer == "y"))
    return grades
