"""The stages of the trial: ingest, encode, search and answer on samples, then ask the library once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pincite
from pincite.errors import PinciteError
from pincite.interfaces.samples.asked import sample_documents, sample_questions


def run(folder: Path, library: Path | None, profile: str) -> dict[str, Any]:
    """Run the stages; returns counts and digests, and `problems` for what went wrong."""
    questions, problems = sample_questions(), []
    with pincite.Library.open(folder / "library", profile=profile) as opened:
        report = opened.ingest([sample_documents()])
        answers = [opened.ask(question) for question in questions]
    problems += [f"{one.path}: {one.reason}" for one in report.failed]
    found = {
        "documents": report.documents,
        "questions": len(answers),
        "answered": sum(answer.status == "answered" for answer in answers),
        "settings_digest": answers[0].settings_digest,
    }
    if library is not None:
        try:
            with pincite.Library.open(library, create=False, profile=profile) as opened:
                answer = opened.ask(questions[0])
            found["settings_digest"] = answer.settings_digest
            found["corpus_version"] = answer.corpus_version
        except PinciteError as error:
            problems.append(f"the library was not asked: {error}")
    return {**found, "problems": problems}
