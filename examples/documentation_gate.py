"""A gate for a repository of documentation: do its pages still answer the questions that people ask?

    python documentation_gate.py docs/ questions.jsonl

Each line of questions.jsonl is an object: `question`; `expect`, words that a quote of the answer must
hold, or null where the documents do not say it and the question must be refused; and, if you like,
`document`, the name of the file that must be quoted. Exit code 0 when all hold, 1 when one does not,
2 when nothing could be asked. Needs no network and no key, so that it can run for every change:

    on: pull_request
    jobs:
      answers:
        runs-on: ubuntu-latest
        steps:
          - uses: actions/checkout@v4
          - uses: actions/setup-python@v5
            with: {python-version: "3.12"}
          - run: pip install pincite
          - run: python documentation_gate.py docs/ questions.jsonl
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from pincite import Library, PinciteError


def problem(asked: dict[str, Any], library: Library) -> str:
    """The problem of the answer to one question; empty if there is none."""
    answer = library.ask(asked["question"])
    if asked["expect"] is None:
        return f"should be refused, and shows: {answer.text[:100]}" if answer.citations else ""
    if not answer.citations:
        return f"refused: {answer.reasons[0]}"
    quotes = [
        citation.quote
        for citation in answer.citations
        if asked.get("document") in (None, Path(citation.source).name)
    ]
    if not quotes:
        return f"quotes {Path(answer.citations[0].source).name}, expected {asked['document']}"
    if not any(asked["expect"].casefold() in quote.casefold() for quote in quotes):
        return f"no quote holds '{asked['expect']}': {quotes[0][:100]}"
    return ""


def main(folder: Path, questions: Path) -> int:
    """Ask all questions and report the failures."""
    lines = questions.read_text(encoding="utf-8").splitlines()
    asked = [json.loads(line) for line in lines if line.strip()]
    with (
        tempfile.TemporaryDirectory() as home,
        Library.open(Path(home) / "library") as library,
    ):
        report = library.ingest([folder])
        for failed in report.failed:
            print(f"not read: {failed.path}: {failed.reason}")
        if not report.documents or not asked:
            print(f"{report.documents} documents, {len(asked)} questions: nothing could be asked")
            return 2
        found = [(one["question"], problem(one, library)) for one in asked]
    for question, told in found:
        print(f"{'WRONG' if told else 'right'}  {question}{f': {told}' if told else ''}")
    wrong = sum(bool(told) for _, told in found)
    print(f"{len(found) - wrong} of {len(found)} hold")
    return 1 if wrong or report.failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(*map(Path, sys.argv[1:3])))
    except (PinciteError, OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"error: {error!r}; usage: documentation_gate.py FOLDER QUESTIONS.jsonl")
