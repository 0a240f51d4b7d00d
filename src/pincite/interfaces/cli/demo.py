"""`pincite demo`: five questions about the bundled sample documents."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

import pincite
from pincite.errors import UsageError
from pincite.interfaces.cli.answer import print_answer
from pincite.interfaces.cli.options import JsonOption
from pincite.interfaces.cli.output import ERROR, print_json, say, short_path
from pincite.interfaces.cli.serve import start
from pincite.interfaces.samples.asked import sample_documents, sample_questions
from pincite.records.flow import Answer
from pincite.records.library_records import IngestReport


def demo(
    library: Annotated[
        Path | None,
        typer.Option(
            "--library",
            "-l",
            help="Keep the library in this folder.",
            show_default="a temporary folder",
        ),
    ] = None,
    documents: Annotated[
        Path | None,
        typer.Option("--documents", help="Only write the sample documents into this new folder."),
    ] = None,
    show_page: Annotated[
        bool,
        typer.Option("--serve", help="Afterwards serve the documents, to ask more in a browser."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Ask five questions about the sample documents.

    The documents do not answer one of them; it must be refused.
    """
    if show_page and as_json:
        raise UsageError(
            "--serve and --json cannot be combined: the server runs until stopped; use one of them"
        )
    if documents is not None:
        _write_documents(documents)
        return
    with tempfile.TemporaryDirectory(prefix="pincite-demo-") as temporary:
        folder = library or Path(temporary) / "library"
        with pincite.Library.open(folder) as opened:
            report = opened.ingest([sample_documents()])
            answers = [opened.ask(question) for question in sample_questions()]
        _print(report, answers, as_json=as_json)
        if show_page:
            start(str(folder))


def _write_documents(folder: Path) -> None:
    if folder.exists():
        raise UsageError(f"{folder} already exists; name a new folder for the sample documents")
    shutil.copytree(sample_documents(), folder)
    shown = shlex.quote(short_path(str(folder)))
    say(f"{sum(1 for _ in folder.iterdir())} sample documents are in {shown}; next:")
    say(f"  pincite ingest {shown}")


def _print(report: IngestReport, answers: list[Answer], *, as_json: bool) -> None:
    if as_json:
        print_json(_form(report, answers))
    else:
        say(
            f"{report.documents} sample documents, {report.passages} passages, "
            f"ingested in {report.seconds:.1f} s"
        )
        for answer in answers:
            say(f"\n? {answer.question}", bold=True)
            print_answer(answer)
    if report.failed or {answer.status for answer in answers} != {"answered", "abstained"}:
        say("the demo gave unexpected answers; run 'pincite doctor'", err=True)
        raise typer.Exit(ERROR)


def _form(report: Any, answers: list[Any]) -> dict[str, Any]:
    from pincite.interfaces.forms import ingest_form
    from pincite.verify.receipts.receipt import answer_form

    return {"ingest": ingest_form(report), "answers": [answer_form(answer) for answer in answers]}
