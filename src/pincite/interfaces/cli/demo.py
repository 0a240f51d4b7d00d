"""`pincite demo`: five questions about the bundled sample documents."""

from __future__ import annotations

import json
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer

import pincite
from pincite.interfaces.cli.answer import print_answer
from pincite.interfaces.cli.exits import ERROR
from pincite.interfaces.cli.options import JsonOption
from pincite.interfaces.cli.output import print_json, say

QUESTIONS_ASKED = 5


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
    as_json: JsonOption = False,
) -> None:
    """Ask five questions about the sample documents.

    One of them is not answered by the documents and must be refused.
    """
    samples = Path(str(files("pincite.samples")))
    lines = (samples / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines[:QUESTIONS_ASKED]]
    with (
        tempfile.TemporaryDirectory(prefix="pincite-demo-") as temporary,
        pincite.Library.open(library or Path(temporary) / "library") as opened,
    ):
        report = opened.ingest([samples / "documents"])
        answers = [opened.ask(question) for question in questions]
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
        say("the demo did not go as it should; run 'pincite doctor'", err=True)
        raise typer.Exit(ERROR)


def _form(report: Any, answers: list[Any]) -> dict[str, Any]:
    from pincite.interfaces.forms import ingest_form
    from pincite.verify.receipt import answer_form

    return {"ingest": ingest_form(report), "answers": [answer_form(answer) for answer in answers]}
