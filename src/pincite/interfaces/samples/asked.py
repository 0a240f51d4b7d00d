"""The sample documents and the questions about them."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

_ASKED = 5
"""The documents do not answer one of them."""


_FEWEST_WORDS = 6


def sample_documents() -> Path:
    """Their folder."""
    return Path(str(files("pincite.interfaces.samples"))) / "documents"


def sample_sentences() -> list[str]:
    """Sentences of those documents that are Markdown, for made text."""
    from pincite.text.sentences import sentence_spans

    texts = (path.read_text(encoding="utf-8") for path in sorted(sample_documents().glob("*.md")))
    lines = (line for text in texts for line in text.splitlines() if line[:1].isalpha())
    found = (line[start:end] for line in lines for start, end in sentence_spans(line))
    return [one for one in found if len(one.split()) >= _FEWEST_WORDS]


def sample_questions() -> list[str]:
    """The first five questions."""
    written = (sample_documents().parent / "questions.jsonl").read_text(encoding="utf-8")
    return [json.loads(line)["question"] for line in written.splitlines()[:_ASKED]]
