"""Rerankers on a server that the user configured, with the protocol of Jina and Cohere."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pincite.errors import ModelError
from pincite.models.servers import Place, ServerClient, checked_url, key_from
from pincite.models.vectors import sigmoid
from pincite.text.as_read import whole_characters

API_KEY = "PINCITE_RERANK_API_KEY"
"""The environment variable with the server's key."""

_PROBE = "What is the capital of France?"
_PROBED = ("Paris is the capital of France.", "Bananas are yellow when they are ripe.")
"""A sure yes and a sure no: if a server gives logits, one of them is outside 0..1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankServer:
    """The address of a reranker, and the limits of requests to it."""

    url: str
    model: str
    timeout_seconds: float = 60.0
    retries: int = 3
    batch_size: int = 20


class ServedScorer:
    """Gets scores from `/v1/rerank` and checks them.

    Some servers give probabilities and some logits, and the protocol does not distinguish them; the
    first request finds out with a pair of texts whose scores are known.
    """

    kind = "rerank_server"

    def __init__(
        self, server: RerankServer, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Raises ModelError for a bad address; the server is first contacted by `score`."""
        if not server.url:
            raise ModelError(
                f"rerank-server:{server.model} needs the address of a server: set rerank.url, "
                "such as http://127.0.0.1:8080/v1"
            )
        url = checked_url(server.url, setting="rerank.url", key_variable=API_KEY)
        place = Place(
            model=server.model,
            url=url,
            group="rerank",
            key=key_from(API_KEY),
            key_variable=API_KEY,
            timeout_seconds=server.timeout_seconds,
            retries=server.retries,
            too_long="give the server a longer window (llama-server: --ubatch-size)",
        )
        self._asked = ServerClient(place, sleep=sleep)
        self._path = "/rerank" if urlsplit(url).path.endswith("/v1") else "/v1/rerank"
        self._model = server.model
        self.together = server.batch_size
        self.name = f"rerank-server:{server.model}"
        self.runtime = f"server {self._asked.name}"
        self._gives_logits: bool | None = None

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One in 0..1 for each text, in order."""
        if self._gives_logits is None:
            self._gives_logits = any(not 0 <= s <= 1 for s in self._scores(_PROBE, _PROBED))
        found: list[float] = []
        for start in range(0, len(texts), self.together):
            found += self._scores(question, texts[start : start + self.together])
        if self._gives_logits:
            return [sigmoid(score) for score in found]
        if any(not 0 <= score <= 1 for score in found):
            raise ModelError(
                f"{self._asked.name}: gave scores outside 0..1 now, and inside before: another model "
                "answers under this name; restart Pincite"
            )
        return found

    def _scores(self, question: str, texts: Sequence[str]) -> list[float]:
        body = {
            "model": self._model,
            "query": whole_characters(question),
            "documents": list(map(whole_characters, texts)),
            "top_n": len(texts),
        }
        return self._read(self._asked.post(self._path, body), len(texts))

    def _read(self, answer: Any, expected: int) -> list[float]:
        """The scores in the order of the texts; servers give them best first."""
        try:
            found = {row["index"]: float(row["relevance_score"]) for row in answer["results"]}
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(
                f"{self._asked.name}: its answer has no results with index and relevance_score; check "
                "the address"
            ) from error
        if found.keys() != set(range(expected)):
            raise ModelError(
                f"{self._asked.name}: gave {len(found)} scores for {expected} texts, or wrong indexes; "
                "expected 0, 1, 2, ..."
            )
        scores = [found[index] for index in range(expected)]
        if not all(map(math.isfinite, scores)):
            raise ModelError(f"{self._asked.name}: gave a score that is not a finite number")
        return scores
