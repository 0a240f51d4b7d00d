"""An embedder and a reranker that need no model file."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from pincite.settings.groups import EmbeddingSettings
from pincite.settings.loading import Settings
from pincite.stages import TextVector

_WORD = re.compile(r"\w+")


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


class HashEncoder:
    """`embedding.model = "plugin:hashes"`: every word is a direction."""

    name = "pincite-example/hashes-256"
    dimensions = 256
    runtime = "numpy"
    has_token_states = False

    def __init__(self, settings: EmbeddingSettings, cache: Path) -> None:
        del settings, cache

    def encode(self, texts: Sequence[str]) -> Iterator[TextVector]:
        """The vector of each text, of length 1."""
        for text in texts:
            yield self.encode_question(text)

    def encode_question(self, text: str) -> TextVector:
        """The same for a question."""
        vector = np.zeros(self.dimensions, dtype=np.float32)
        for word in _words(text) or [""]:
            vector[zlib.crc32(word.encode()) % self.dimensions] += 1
        return TextVector(vector=vector / np.linalg.norm(vector))


class SharedWords:
    """`rerank.model = "plugin:shared-words"`: the share of the question's words that a text has."""

    name = "pincite-example/shared-words"
    kind = "shared_words"
    runtime = "python"
    together = 50

    def __init__(self, settings: Settings, cache: Path) -> None:
        del settings, cache

    def score(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """One score in 0..1 for each text."""
        wanted = set(_words(question))
        return [len(wanted & set(_words(text))) / max(len(wanted), 1) for text in texts]
