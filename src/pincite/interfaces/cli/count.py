"""`pincite count`: counts words in the whole collection, with every location."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

import pincite
from pincite.errors import UsageError
from pincite.interfaces.cli.options import (
    DEFAULT_LIBRARY,
    NO_FILTERS,
    CollectionOption,
    JsonOption,
    KeepOption,
    LibraryOption,
    SaveOption,
    SignOption,
    keeping,
    with_filters,
    words_given,
)
from pincite.interfaces.cli.output import indented, print_json, print_raw, say, short_path
from pincite.interfaces.cli.saving import check_outputs, check_saving, save_answer, whole_file
from pincite.records.flow import Answer
from pincite.text.locations import announcing_lines, as_shown, cut_to, on_one_line, place
from pincite.text.mentions import Mentions

if TYPE_CHECKING:
    from pincite.records.counts import SurveyRow
    from pincite.records.flow import Answer


# The mentions of a count as rows of a table, for spreadsheets.

COLUMNS = ("document", "file", "page", "section", "start", "end", "mentions", "quote", "below")


def write_rows(answer: Answer, file: TextIO) -> None:
    """One row per quote, in order; no cell can be read as a formula."""
    from pincite.report.sheets.files import harmless

    table = csv.writer(file, lineterminator="\n")
    table.writerow(COLUMNS)
    for row in _rows(answer):
        table.writerow([harmless(cell) for cell in row])


def _rows(answer: Answer) -> Iterator[tuple[object, ...]]:
    if answer.survey is None:
        return
    for row in answer.survey.rows:
        counter = Mentions(answer.survey.subject, answer.survey.closeness, row.language)
        for citation in answer.citations[row.first - 1 : row.first - 1 + row.citations]:
            yield (
                citation.document,
                citation.source,
                citation.page,
                citation.section,
                citation.start,
                citation.end,
                len(counter.found(citation.quote)),
                citation.quote,
                "\n".join(label.text for label in citation.announced_by),
            )


# `pincite count`: counts words in the whole collection, with every location.

_STDOUT = Path("-")
_SHOWN = 20
_PAGES_SHOWN = 8
_QUOTE_CHARS = 300


@with_filters
def count(
    words: Annotated[
        list[str],
        typer.Argument(
            help="Words to count, in any of their forms; in quotation marks, exactly as written.",
            metavar="WORDS...",
        ),
    ],
    library: LibraryOption = DEFAULT_LIBRARY,
    collection: CollectionOption = None,
    filters: pincite.Filters = NO_FILTERS,
    save: SaveOption = None,
    sign: SignOption = None,
    keep: KeepOption = False,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", help="Write every quote to a file for spreadsheets; - is stdout."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Count the occurrences of words in all documents, not only in the best ones.

    Shows the first 20 quotes; --json and --csv give all.
    """
    from pincite.verify.receipts.receipt import answer_form
    from pincite.verify.receipts.signing import sealed

    check_saving(save, sign)
    if csv == _STDOUT and as_json:
        raise UsageError("--csv - and --json both write to stdout; choose one of them")
    with pincite.Library.open(library, create=False, overrides=keeping(keep=keep)) as opened:
        check_outputs(opened, save, None if csv == _STDOUT else csv)
        answer = opened.count(words_given(words), collection=collection, filters=filters)
        save_answer(answer, opened, save, sign)
    form = answer_form(answer)
    if csv is not None:
        _write_csv(answer, csv)
    if csv == _STDOUT:
        return
    if as_json:
        print_json(sealed(form))
    else:
        print_count(answer)


def _write_csv(answer: Answer, path: Path) -> None:

    if path != _STDOUT:
        with whole_file(path) as file:
            write_rows(answer, file)
        return
    rows = io.StringIO(newline="")
    write_rows(answer, rows)
    print_raw(rows.getvalue())


def print_count(answer: Answer) -> None:
    """The count, a line for each document, and the first quotes."""
    assert answer.survey is not None
    say(indented(answer.text), bold=True)
    rows = answer.survey.rows
    if rows:
        say()
    for row in rows[:_SHOWN]:
        say(indented(_document_line(row), first="  "))
    _say_more(len(rows), "documents")
    say()
    for number, citation in enumerate(answer.citations[:_SHOWN], start=1):
        quote = cut_to(on_one_line(as_shown(citation)), _QUOTE_CHARS)
        for line in announcing_lines(citation):
            say(indented(line, first="    "))
        say(indented(f"{quote} [{number}]"))
        where = "; ".join(part for part in (Path(citation.source).name, place(citation)) if part)
        say(indented(where, first="      "), dim=True)
    _say_more(len(answer.citations), "quotes")
    if len(answer.survey.written) > 1:
        forms = ", ".join(f"{form} {times}" for form, times in answer.survey.written.items())
        say(indented(f"forms found: {forms}", first="  - "), dim=True)
    for reason in answer.reasons:
        say(indented(reason, first="  - "), fg="yellow")


def _document_line(row: SurveyRow) -> str:
    parts = [f"{row.mentions} in {short_path(row.paths[0])}"]
    if row.pages:
        more = ", ..." if len(row.pages) > _PAGES_SHOWN else ""
        word = "page" if len(row.pages) == 1 else "pages"
        parts.append(f"{word} {', '.join(map(str, row.pages[:_PAGES_SHOWN]))}{more}")
    if len(row.paths) > 1:
        parts.append(f"also at {', '.join(map(short_path, row.paths[1:]))}")
    return "; ".join(parts)


def _say_more(number: int, noun: str) -> None:
    if number > _SHOWN:
        say(f"  ... and {number - _SHOWN} more {noun}; --json lists all")
