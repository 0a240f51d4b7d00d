"""Asks an embedding server for vectors: Ollama, or any that speaks OpenAI's protocol."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from pincite.errors import ModelError
from pincite.servers import OLLAMA_HERE, Place, ServerClient, checked_url, key_from
from pincite.vectors import normalised

API_KEY = "PINCITE_EMBEDDING_API_KEY"
"""The environment variable with the server's key. A key never stands in settings, nor in a message."""

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where a model is served and how patient we are."""

    protocol: Literal["ollama", "openai"]
    url: str
    model: str
    timeout_seconds: float = 60.0
    retries: int = 3
    batch_size: int = 32


class EmbeddingServer:
    """Asks a server for vectors and checks what it gives."""

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
        """One row of length 1 for each text. Raises ModelError in plain words."""
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
                    f"{self.place}: numbered its vectors wrongly; expected 0, 1, 2, ..."
                )
            return [row["embedding"] for row in rows]
        except (KeyError, TypeError) as error:
            raise ModelError(
                f"{self.place}: its answer has no embeddings as the {self._server.protocol} "
                "protocol has them: is this the right address?"
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
