"""The sample documents, and what is asked about them."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

_ASKED = 5
"""One of them is not answered by the documents."""


def sample_documents() -> Path:
    """Their folder."""
    return Path(str(files("pincite.interfaces.samples"))) / "documents"


def sample_questions() -> list[str]:
    """The first five."""
    written = (sample_documents().parent / "questions.jsonl").read_text(encoding="utf-8")
    return [json.loads(line)["question"] for line in written.splitlines()[:_ASKED]]
