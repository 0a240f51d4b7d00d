"""Asks an embedding server for vectors: Ollama, or any that speaks OpenAI's protocol.

Requests go to the address that the user configured and nowhere else: redirects are not followed, and
proxies and passwords that the environment names for other programs are not used.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from pincite.errors import ModelError
from pincite.vectors import normalised

if TYPE_CHECKING:
    import httpx

API_KEY = "PINCITE_EMBEDDING_API_KEY"
"""The environment variable with the server's key. A key never stands in settings, nor in a message."""

OLLAMA_HERE = "http://127.0.0.1:11434"
"""Where Ollama listens on a machine of one's own."""

_AGAIN = {408, 425, 429, 500, 502, 503, 504}
"""Answers after which the same request may succeed."""
_FIRST_WAIT_SECONDS, _LONGEST_WAIT_SECONDS = 0.5, 30.0
_MESSAGE_CHARS = 300
_TOO_LONG = re.compile(r"too (long|large)|context (length|size|window)|maximum context", re.I)

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
    """Asks a server for vectors, again where that may help, and checks what it gives."""

    def __init__(self, server: Server, *, sleep: Callable[[float], None] = time.sleep) -> None:
        base, path = _address(server)
        self._server = server
        self._url = base + path
        self._sleep = sleep
        self._key = os.environ.get(API_KEY, "")
        self.place = f"{server.model} at {base}"
        self._client = _client(server, self._key)

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text. Raises ModelError in plain words."""
        body: dict[str, Any] = {"model": self._server.model, "input": list(texts)}
        if self._server.protocol == "ollama":
            body["truncate"] = False
        else:
            body["encoding_format"] = "float"
        return self._checked(self._read(self._answer(body)), len(texts))

    def _answer(self, body: dict[str, Any]) -> Any:
        """The server's answer, after as many tries as it takes and is allowed."""
        for tried in range(self._server.retries + 1):
            problem, wait, answer = self._try(body)
            if not problem:
                return answer
            if wait is None:
                break
            if tried < self._server.retries:
                self._sleep(max(wait, _backoff(tried)))
        tries = f" ({tried + 1} tries)" if tried else ""
        raise ModelError(f"{self.place}: {self._safe(problem)}{tries}")

    def _try(self, body: dict[str, Any]) -> tuple[str, float | None, Any]:
        """What went wrong if anything did; how long to wait at least, None if there is no use."""
        import httpx

        try:
            response = self._client.post(self._url, json=body)
        except httpx.TimeoutException:
            seconds = self._server.timeout_seconds
            return f"gave no answer in {seconds:g} s: raise embedding.timeout_seconds", 0.0, None
        except httpx.TransportError as error:
            return f"cannot be reached ({error}): is the server running?", 0.0, None
        if response.is_success:
            try:
                return "", None, response.json()
            except ValueError:
                return (
                    "answered with something that is no JSON: is this the right address?",
                    None,
                    None,
                )
        told = _message(response)
        problem = f"answered {response.status_code}: {told}{_advice(response, told)}"
        may_help = response.status_code in _AGAIN and not _TOO_LONG.search(told)
        return problem, _asked_to_wait(response) if may_help else None, None

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

    def _safe(self, message: str) -> str:
        return message.replace(self._key, "[key]") if self._key else message


def _address(server: Server) -> tuple[str, str]:
    """The server's address and the path of its embeddings. Raises ModelError for a bad one."""
    url = (server.url or (OLLAMA_HERE if server.protocol == "ollama" else "")).rstrip("/")
    if not url:
        raise ModelError(
            f"openai:{server.model} needs the address of a server: set embedding.url, "
            "such as http://127.0.0.1:8080/v1"
        )
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ModelError(f"embedding.url is {url!r}; expected http://HOST:PORT or https://HOST")
    if parts.username or parts.password or parts.query:
        raise ModelError(
            f"embedding.url holds more than an address; put the key into the environment as {API_KEY}"
        )
    if server.protocol == "ollama":
        return url.removesuffix("/api"), "/api/embed"
    return url, "/embeddings" if parts.path.endswith("/v1") else "/v1/embeddings"


def _client(server: Server, key: str) -> httpx.Client:
    try:
        import httpx
    except ImportError as error:
        raise ModelError(
            "encoders behind a server need httpx: install it with pip install 'pincite[remote]'"
        ) from error
    base, _ = _address(server)
    if key and base.startswith("http://") and not _is_this_machine(base):
        raise ModelError(
            f"{base}: the key in {API_KEY} would travel in clear text; use https, or unset it"
        )
    return httpx.Client(
        timeout=server.timeout_seconds,
        headers={"Authorization": f"Bearer {key}"} if key else {},
        follow_redirects=False,
        trust_env=False,
    )


def _is_this_machine(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _backoff(tried: int) -> float:
    """Seconds before the next try: doubled each time, and spread so that clients do not meet."""
    longest: float = min(_LONGEST_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 2.0**tried)
    # How long decides nothing that has to be kept secret.
    return longest * random.uniform(0.5, 1.0)  # noqa: S311


def _asked_to_wait(response: httpx.Response) -> float:
    try:
        seconds = float(response.headers.get("retry-after", 0))
    except ValueError:  # A date; the usual backoff will do.
        return 0.0
    return min(max(seconds, 0.0), _LONGEST_WAIT_SECONDS)


def _message(response: httpx.Response) -> str:
    """What the server says about it, on one line."""
    try:
        content = response.json()
        told = content.get("error", content) if isinstance(content, dict) else content
        told = told.get("message", told) if isinstance(told, dict) else told
    except ValueError:
        told = response.text
    return " ".join(str(told).split())[:_MESSAGE_CHARS]


def _advice(response: httpx.Response, told: str) -> str:
    code = response.status_code
    if _TOO_LONG.search(told):
        return "; lower embedding.max_chars"
    if code in (401, 403):
        return f"; set the key in the environment as {API_KEY}"
    if code == 404:
        return "; is the model there and embedding.url right? (Ollama: 'ollama pull NAME')"
    if response.is_redirect:
        return "; redirects are not followed: set embedding.url to the final address"
    return ""
