"""Keeps a library's vocabulary beside its lexical index."""

from __future__ import annotations

import json
from pathlib import Path

from pincite.index.snapshot import write_atomically
from pincite.text.vocabulary import Vocabulary

VOCABULARY_FILE = "vocabulary.json"


def write_vocabulary(folder: Path, vocabulary: Vocabulary) -> None:
    """Write it into the index's folder."""
    content = {"words": vocabulary.words, "explained": vocabulary.explained}
    written = json.dumps(content).encode()
    write_atomically(folder / VOCABULARY_FILE, lambda file: file.write(written))


def read_vocabulary(folder: Path) -> Vocabulary:
    """Read it back. Raises OSError or ValueError when it is missing or damaged."""
    content = json.loads((folder / VOCABULARY_FILE).read_text(encoding="utf-8"))
    try:
        return Vocabulary(words=content["words"], explained=content["explained"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"{VOCABULARY_FILE} is not what was written: {error}") from error
