"""Keeps a library's vocabulary beside its lexical index."""

from __future__ import annotations

import json
from pathlib import Path

from pincite.index.snapshot import MOST_BYTES, write_atomically
from pincite.regular_files import read_json
from pincite.text.vocabulary import Vocabulary

VOCABULARY_FILE = "vocabulary.json"


def write_vocabulary(folder: Path, vocabulary: Vocabulary) -> None:
    """Write it into the index's folder."""
    content = {"words": vocabulary.words, "explained": vocabulary.explained}
    written = json.dumps(content).encode()
    write_atomically(folder / VOCABULARY_FILE, lambda file: file.write(written))


def read_vocabulary(folder: Path) -> Vocabulary:
    """Read it back. Raises OSError or ValueError when it is missing or damaged."""
    content = read_json(folder / VOCABULARY_FILE, most_bytes=MOST_BYTES)
    try:
        words, explained = content["words"], content["explained"]
        if not (_are_counts(words) and all(map(_are_counts, explained.values()))):
            raise TypeError("expected words and how often each stands there")
        return Vocabulary(words=words, explained=explained)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{VOCABULARY_FILE} is not what was written: {error}") from error


def _are_counts(found: object) -> bool:
    return isinstance(found, dict) and all(type(count) is int for count in found.values())
