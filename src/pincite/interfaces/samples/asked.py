"""The sample documents and the questions about them."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

_ASKED = 5
"""The documents do not answer one of them."""


def sample_documents() -> Path:
    """Their folder."""
    return Path(str(files("pincite.interfaces.samples"))) / "documents"


def sample_questions() -> list[str]:
    """The first five questions."""
    written = (sample_documents().parent / "questions.jsonl").read_text(encoding="utf-8")
    return [json.loads(line)["question"] for line in written.splitlines()[:_ASKED]]
