"""`pincite batch`: a file of questions becomes a file of answers."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import pincite
from pincite.errors import PinciteError, UsageError
from pincite.interfaces.cli.options import (
    DEFAULT_LIBRARY,
    NO_FILTERS,
    CollectionOption,
    JsonOption,
    LibraryOption,
    ModelOption,
    ModeOption,
    ProfileOption,
    StanceOption,
    generation,
    judging,
    with_filters,
)
from pincite.interfaces.cli.output import ERROR, console, print_json, say
from pincite.interfaces.cli.saving import check_not_input, check_outputs, whole_file

if TYPE_CHECKING:
    from pincite.library.library import Library

_AT_ONCE = 2
"""Questions answered at a time: while one waits for the encoder, another searches and verifies."""


@with_filters
def batch(
    questions: Annotated[
        Path,
        typer.Argument(
            help="A question on each line, a CSV file with a column 'question', or JSON lines: "
            '{"id": ..., "question": ...}.'
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write answers to.")],
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    mode: ModeOption = "",
    model: ModelOption = "",
    stance: StanceOption = "",
    collection: CollectionOption = None,
    filters: pincite.Filters = NO_FILTERS,
    as_json: JsonOption = False,
) -> None:
    """Answer a file of questions.

    Answers come in the order of the questions, one JSON object on each line.

    A question that cannot be answered at all (empty, too long, the library in use) gets an object
    with status "error".
    """
    check_not_input(output, questions)
    asked = list(_read_questions(questions))
    counts = {"answered": 0, "abstained": 0, "error": 0}
    with pincite.Library.open(
        library,
        create=False,
        profile=profile,
        overrides={**generation(mode, model), **judging(stance)},
    ) as opened:
        check_outputs(opened, output)
        with whole_file(output) as file:
            for form in _answers(opened, asked, collection, filters):
                counts[form["status"]] += 1
                file.write(json.dumps(form, ensure_ascii=False) + "\n")
    if as_json:
        print_json({"questions": len(asked), **counts, "output": str(output)})
    else:
        summary = ", ".join(f"{count} {status}" for status, count in counts.items())
        say(f"{len(asked)} questions: {summary}; written to {output}")
    if counts["error"]:
        raise typer.Exit(ERROR)


def _read_questions(path: Path) -> Iterator[dict[str, Any]]:
    """Questions with ids. Plain lines, and CSV files without ids, are numbered."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise UsageError(f"{path}: no such file; expected a file of questions") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not UTF-8 ({error.reason}); save it as UTF-8") from error
    if path.suffix.lower() in (".csv", ".tsv"):
        return _rows(path, text)
    # Not `splitlines`, which also splits at characters that JSON allows inside strings.
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    is_json = path.suffix.lower() in (".json", ".jsonl") or any(
        line.lstrip().startswith("{") for _, line in lines
    )
    if is_json:
        return (_from_json(path, number, line) for number, line in lines)
    return ({"id": number, "question": line.strip()} for number, line in lines)


def _from_json(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        item = json.loads(line)
    except ValueError as error:
        raise UsageError(f"{path}, line {number}: is not JSON ({error})") from error
    if not isinstance(item, dict) or "id" not in item or not isinstance(item.get("question"), str):
        raise UsageError(
            f'{path}, line {number}: expected {{"id": ..., "question": "..."}}, found {line[:60]}'
        )
    return item


def _rows(path: Path, text: str) -> Iterator[dict[str, Any]]:
    """Raises UsageError that lists the columns for a file without questions."""
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    names = {name.strip().lower(): name for name in rows.fieldnames or () if name}
    if "question" not in names:
        raise UsageError(
            f"{path}: expected a column 'question' and optionally 'id'; found "
            f"{', '.join(names) or 'no columns'}"
        )
    try:
        for number, row in enumerate(rows, start=1):
            question = (row[names["question"]] or "").strip()
            if question:
                yield {"id": row[names["id"]] if "id" in names else number, "question": question}
    except csv.Error as error:
        raise UsageError(f"{path}, line {rows.line_num}: is not CSV ({error})") from error


def _answers(
    library: Library, asked: list[dict[str, Any]], collection: str | None, filters: pincite.Filters
) -> Iterator[dict[str, Any]]:
    from rich.progress import track

    from pincite.verify.receipts.receipt import answer_form
    from pincite.verify.receipts.signing import sealed

    def answer(item: dict[str, Any]) -> dict[str, Any]:
        try:
            found = library.ask(item["question"], collection=collection, filters=filters)
        except PinciteError as error:
            return {"id": item["id"], "status": "error", "error": str(error)}
        return sealed({"id": item["id"], **answer_form(found)})

    with ThreadPoolExecutor(_AT_ONCE) as threads:
        results = threads.map(answer, asked)
        if sys.stderr.isatty():
            results = iter(
                track(
                    results,
                    "answering",
                    total=len(asked),
                    console=console(err=True),
                    transient=True,
                )
            )
        yield from results
