"""Encoders behind a server that the user configured."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Literal

import numpy as np

from pincite.embed.server import EmbeddingServer, Server, Vectors
from pincite.errors import ModelError
from pincite.stages import TextVector
from pincite.text.search_text import whole_characters
from pincite.vectors import normalised

_QUESTIONS_KEPT = 16
_PROBE = "What is the length of a vector?"
_FOR_NOTHING = "-"
"""Sent in place of a text without words, which servers refuse."""


class RemoteEncoder:
    """Vectors of texts from a server. There are no token states.

    A text of more than `max_chars` characters is cut between words into pieces, and its vector is
    their mean, weighted by length. The server decides how exactly a vector is the same with other
    texts in the batch; ours only keeps the order and checks the numbers.
    """

    has_token_states: Literal[False] = False

    def __init__(
        self,
        server: Server,
        *,
        query_prefix: str = "",
        passage_prefix: str = "",
        max_chars: int = 2000,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._server = EmbeddingServer(server, sleep=sleep)
        self._batch_size = server.batch_size
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._max_chars = max_chars
        self.dimensions = self._server.vectors([_PROBE]).shape[1]
        use = json.dumps([query_prefix, passage_prefix, max_chars, self.dimensions])
        used = hashlib.sha256(use.encode()).hexdigest()[:8]
        self.name = f"{server.protocol}:{server.model}#{used}"
        self.runtime = f"server {self._server.place}"
        self.encode_question = lru_cache(maxsize=_QUESTIONS_KEPT)(self._encode_question)

    def encode(self, texts: Sequence[str]) -> Iterator[TextVector]:
        """The vector of each text, in order."""
        return self._encode(texts, self._passage_prefix)

    def _encode_question(self, text: str) -> TextVector:
        return next(self._encode([text], self._query_prefix))

    def _encode(self, texts: Sequence[str], prefix: str) -> Iterator[TextVector]:
        for start in range(0, len(texts), self._batch_size):
            group = [
                pieces(text, self._max_chars) for text in texts[start : start + self._batch_size]
            ]
            vectors = iter(self._vectors([prefix + piece for text in group for piece in text]))
            for text in group:
                rows = np.stack([next(vectors) for _ in text])
                weights = np.array([[len(piece)] for piece in text], dtype=np.float32)
                yield TextVector(vector=normalised((rows * weights).sum(axis=0)))

    def _vectors(self, inputs: Sequence[str]) -> Vectors:
        size = self._batch_size
        found = [
            self._server.vectors(inputs[start : start + size])
            for start in range(0, len(inputs), size)
        ]
        joined = np.concatenate(found)
        if joined.shape[1] != self.dimensions:
            raise ModelError(
                f"{self._server.place}: gives vectors of {joined.shape[1]} numbers now, and gave "
                f"{self.dimensions} before: another model answers under this name; restart with the "
                "model that encoded this library, or run 'pincite reindex'"
            )
        return joined


def pieces(text: str, max_chars: int) -> list[str]:
    """A text cut between words where there are blanks, each piece at most `max_chars` long."""
    clean = whole_characters(text).strip()
    found = []
    while len(clean) > max_chars:
        cut = clean.rfind(" ", max_chars // 2, max_chars + 1)
        cut = cut if cut > 0 else max_chars
        found.append(clean[:cut].strip())
        clean = clean[cut:].strip()
    found.append(clean)
    return [piece for piece in found if piece] or [_FOR_NOTHING]
