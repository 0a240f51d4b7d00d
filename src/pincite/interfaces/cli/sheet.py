"""`pincite table`: one table over many documents, each cell with its quote."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

import pincite
from pincite.interfaces.cli.options import (
    DEFAULT_LIBRARY,
    CollectionOption,
    DocumentFilter,
    JsonOption,
    LibraryOption,
    ProfileOption,
    StanceOption,
    judging,
)
from pincite.interfaces.cli.output import ABSTAINED, console, notice, print_json, print_raw, say
from pincite.interfaces.cli.saving import check_not_input, check_outputs

_KEPT = ".cells.jsonl"


def table(
    questions: Annotated[
        Path,
        typer.Argument(
            help="A question on each line, with a name and a kind if wanted: "
            "'Rent [number]: What is the monthly rent?'. Kinds: text, number, date, yes/no, list. "
            "Or the name of shipped questions: contract, invoice, procedure, prospectus.",
            show_default=False,
        ),
    ],
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write: .csv, .xlsx, .html, .docx, .pdf, .md or .json; repeatable.",
        ),
    ] = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    stance: StanceOption = "",
    collection: CollectionOption = None,
    document: DocumentFilter = None,
    as_json: JsonOption = False,
) -> None:
    """Ask the same questions of every document: one row each, every cell with its quote.

    Without --output, it is printed as CSV. A cell without an answer is empty and says why. Cells are
    kept beside the first output, so that the next run asks only new questions and changed documents.

    Exit code 0 when any cell has a value, 3 when none has.
    """
    from pincite.report.sheets.files import (
        check_sheet_outputs,
        csv_text,
        sheet_form,
        write_sheet,
    )
    from pincite.report.sheets.kept import CellsOnFile
    from pincite.report.sheets.sheet import fill, read_columns

    outputs = output or []
    columns = read_columns(questions)
    check_sheet_outputs(outputs)
    for path in outputs:
        check_not_input(path, questions)
    with (
        pincite.Library.open(
            library, create=False, profile=profile, overrides=judging(stance)
        ) as opened,
        _progress() as progress,
    ):
        kept = outputs[0].with_name(outputs[0].name + _KEPT) if outputs else None
        check_outputs(opened, *outputs, kept)
        made = fill(
            opened,
            columns,
            kept=CellsOnFile(kept) if kept else None,
            collection=collection,
            documents=document or (),
            on_cell=progress,
        )
        served = opened.settings.server
    own = f"http://{served.host}:{served.port}" if served.port else ""
    server = served.public_url or own
    for line in write_sheet(made, outputs, server=server):
        notice(line)
    if as_json:
        print_json(sheet_form(made))
    elif not outputs:
        print_raw(csv_text(made))
    else:
        cells = len(made.rows) * len(made.columns)
        say(
            f"{len(made.rows)} documents, {made.filled} of {cells} cells have a value, {made.asked} "
            f"asked in this run; written to {', '.join(map(str, outputs))}"
        )
    if not made.filled:
        raise typer.Exit(ABSTAINED)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A progress bar where a person watches."""
    if not sys.stderr.isatty():
        yield lambda _done, _of: None
        return
    from rich.progress import Progress

    with Progress(console=console(err=True), transient=True) as bar:
        task = bar.add_task("asking")
        yield lambda done, of: bar.update(task, completed=done, total=of)
