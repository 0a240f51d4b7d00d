"""Encoders on a server, with Ollama's or OpenAI's protocol."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from pincite.errors import ModelError
from pincite.models.servers import OLLAMA_HERE, Place, ServerClient, checked_url, key_from
from pincite.models.vectors import normalised
from pincite.stages import TextVector
from pincite.text.as_read import whole_characters

API_KEY = "PINCITE_EMBEDDING_API_KEY"
"""The environment variable with the server's key. Keys never appear in settings or messages."""

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server of a model, with its timeouts and batch size."""

    protocol: Literal["ollama", "openai"]
    url: str
    model: str
    timeout_seconds: float = 60.0
    retries: int = 3
    batch_size: int = 32


class EmbeddingServer:
    """Requests vectors from a server and checks them."""

    def __init__(self, server: Server, *, sleep: Callable[[float], None] = time.sleep) -> None:
        base, self._path = _address(server)
        self._server = server
        place = Place(
            model=server.model,
            url=base,
            group="embedding",
            key=key_from(API_KEY),
            key_variable=API_KEY,
            timeout_seconds=server.timeout_seconds,
            retries=server.retries,
            too_long="lower embedding.max_chars",
        )
        self._client = ServerClient(place, sleep=sleep)
        self.place = self._client.name

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Vectors (texts, dimensions) of length 1. Raises ModelError."""
        body: dict[str, Any] = {"model": self._server.model, "input": list(texts)}
        if self._server.protocol == "ollama":
            body["truncate"] = False
        else:
            body["encoding_format"] = "float"
        return self._checked(self._read(self._client.post(self._path, body)), len(texts))

    def _read(self, answer: Any) -> list[Any]:
        """The rows of an answer, in the order of the texts."""
        try:
            if self._server.protocol == "ollama":
                return list(answer["embeddings"])
            rows = sorted(answer["data"], key=lambda row: row["index"])
            if [row["index"] for row in rows] != list(range(len(rows))):
                raise ModelError(
                    f"{self.place}: its vectors have wrong indexes; expected 0, 1, 2, ..."
                )
            return [row["embedding"] for row in rows]
        except (KeyError, TypeError) as error:
            raise ModelError(
                f"{self.place}: its answer has no embeddings in the format of the "
                f"{self._server.protocol} protocol: is this the right address?"
            ) from error

    def _checked(self, rows: list[Any], expected: int) -> Vectors:
        if len(rows) != expected:
            raise ModelError(f"{self.place}: gave {len(rows)} vectors for {expected} texts")
        try:
            vectors = np.array(rows, dtype=np.float32).reshape(expected, -1)
        except (TypeError, ValueError) as error:
            raise ModelError(f"{self.place}: gave vectors of different lengths") from error
        lengths = np.linalg.norm(vectors, axis=1)
        if not np.isfinite(vectors).all() or not lengths.all():
            raise ModelError(
                f"{self.place}: gave a vector that is all zeros or not made of numbers; the model "
                "cannot be used"
            )
        unit: Vectors = normalised(vectors)
        return unit


def _address(server: Server) -> tuple[str, str]:
    """The server's address and the path of its embeddings. Raises ModelError for a bad one."""
    url = server.url or (OLLAMA_HERE if server.protocol == "ollama" else "")
    if not url:
        raise ModelError(
            f"openai:{server.model} needs the address of a server: set embedding.url, "
            "such as http://127.0.0.1:8080/v1"
        )
    base = checked_url(url, setting="embedding.url", key_variable=API_KEY)
    if server.protocol == "ollama":
        return base.removesuffix("/api"), "/api/embed"
    return base, "/embeddings" if urlsplit(base).path.endswith("/v1") else "/v1/embeddings"


_QUESTIONS_KEPT = 16
_PROBE = "What is the length of a vector?"
_FOR_NOTHING = "-"
"""Sent instead of an empty text, which servers reject."""


class RemoteEncoder:
    """Vectors from a server, without token states.

    A text of more than `max_chars` characters is split between words, and its vector is the mean of the
    pieces' vectors, weighted by length. Whether a vector depends on the other texts in its batch is up
    to the server; this class only keeps the order and checks the numbers.
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
                f"{self._server.place}: its vectors have {joined.shape[1]} numbers now, and had "
                f"{self.dimensions} before: a different model has this name now; restart with the "
                "model that encoded this library, or run 'pincite reindex'"
            )
        return joined


def pieces(text: str, max_chars: int) -> list[str]:
    """A text split at spaces if possible, into pieces of at most `max_chars` characters."""
    clean = whole_characters(text).strip()
    found = []
    while len(clean) > max_chars:
        cut = clean.rfind(" ", max_chars // 2, max_chars + 1)
        cut = cut if cut > 0 else max_chars
        found.append(clean[:cut].strip())
        clean = clean[cut:].strip()
    found.append(clean)
    return [piece for piece in found if piece] or [_FOR_NOTHING]
