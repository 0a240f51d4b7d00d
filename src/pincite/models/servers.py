"""The client for configured servers; apart from `downloads.py` the only code that opens connections.

Requests go only to the configured address: redirects are not followed, and proxies and passwords set
in the environment for other programs are not used.
"""

from __future__ import annotations

import json
import os
import random
import re
import time
import weakref
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from pincite.errors import ModelError, ModelUnreachable

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

OLLAMA_HERE = "http://127.0.0.1:11434"
"""Ollama's default address."""

_AGAIN = {408, 425, 429, 500, 502, 503, 504}
"""Status codes after which a retry may succeed."""
_FIRST_WAIT_SECONDS, _LONGEST_WAIT_SECONDS = 0.5, 30.0
_CONNECT_SECONDS = 10.0
_REST_SECONDS = 30.0
"""How long an absent server is not asked again, so that later questions need not wait."""
_MESSAGE_CHARS = 300
_LONGEST_LINE_BYTES = 1_000_000
_LONGEST_STREAM_BYTES = 16_000_000
_LONGEST_ANSWER_BYTES = 64_000_000
"""64 vectors of 4,096 numbers take 6 million bytes as JSON."""
_LONGEST_ERROR_BYTES = 100_000
_PIECE_BYTES = 1 << 16
_TOO_LONG = re.compile(r"too (long|large)|context (length|size|window)|maximum context", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A server's address, its timeouts, and the names of its settings for messages."""

    model: str
    url: str
    group: str
    """The group of settings, such as `embedding`."""
    key: str = ""
    key_variable: str = ""
    """The environment variable with the key. Keys never appear in settings or messages."""
    key_header: str = ""
    """The header that carries only the key; empty: `Authorization`, as a bearer."""
    timeout_seconds: float = 60.0
    retries: int = 3
    is_waited_for: bool = False
    """A user is waiting: an absent server is tried once, and then not for a while."""
    too_long: str = ""
    """Advice if the server says that a text is too long."""
    if_not_found: str = "is the model there? (Ollama: 'ollama pull NAME')"
    """Advice if the server says that it does not have what was asked for."""
    url_setting: str = "url"
    socket: str = ""
    """Path of a Unix socket, for a server in this process."""


def key_from(variable: str) -> str:
    """The key in an environment variable; empty if it is not set."""
    return os.environ.get(variable, "")


def checked_url(url: str, *, setting: str, key_variable: str) -> str:
    """The URL without a trailing slash. Raises ModelError for an invalid one."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # urlsplit's error for a bad port or bracket
        is_address = False
    if not is_address:
        raise ModelError(f"{setting} is {url!r}; expected http://HOST:PORT or https://HOST")
    if parts.username or parts.password or parts.query:
        raise ModelError(
            f"{setting} contains more than an address; set the key in the environment as "
            f"{key_variable}"
        )
    return url.rstrip("/")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failure:
    """A failed request; `wait` is the minimum wait before a retry, None if a retry is useless."""

    message: str
    wait: float | None = None
    is_unreachable: bool = False
    is_absent: bool = False
    """Nothing listens at the address."""


class ServerClient:
    """Sends requests to one server, with retries. Raises ModelError.

    The error is a ModelUnreachable if the server is absent, too slow, or failing (5xx).
    """

    def __init__(self, place: Place, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._place = place
        self._sleep = sleep
        self.name = f"{place.model} at {place.url}"
        self._client = _client(place)
        self._absent, self._rests_until = "", 0.0
        # Closes kept-alive connections when the client is no longer used.
        self.close = weakref.finalize(self, self._client.close)

    def get(self, path: str) -> Any:
        """The JSON at a path."""
        return self.request("GET", path)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """The server's JSON answer, after retries if necessary."""
        return self.request("POST", path, body)

    def request(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """The server's JSON answer to any method, after retries if necessary."""
        return _json(self._whole(method, path, body), self.name)

    def _whole(self, method: str, path: str, body: dict[str, Any] | None = None) -> bytes:
        """A whole answer; the timeout applies to each try."""

        def send() -> httpx.Response:
            request = self._client.build_request(method, self._place.url + path, json=body)
            return self._client.send(request, stream=True)

        return self._answer(send, self._all_of)

    def lines(self, path: str, body: dict[str, Any]) -> Iterator[str]:
        """The lines of a streamed answer as they arrive, all within the timeout.

        A request is retried only until its first line has arrived.
        """
        deadline = time.monotonic() + self._place.timeout_seconds

        def send() -> httpx.Response:
            seconds = max(deadline - time.monotonic(), 0.001)
            request = self._client.build_request(
                "POST", self._place.url + path, json=body, timeout=_timeout(seconds)
            )
            return self._client.send(request, stream=True)

        with closing(self._answer(send, lambda opened, _: opened, deadline=deadline)) as response:
            yield from self._lines_of(response, deadline)

    def _lines_of(self, response: httpx.Response, deadline: float) -> Iterator[str]:
        import httpx

        waiting, total = b"", 0
        try:
            for part in _before(deadline, self._parts(response)):
                total += len(part)
                *lines, waiting = (waiting + part).split(b"\n")
                if len(waiting) > _LONGEST_LINE_BYTES or total > _LONGEST_STREAM_BYTES:
                    raise ModelError(
                        f"{self.name}: sent more than an answer can be; expected at most "
                        f"{_LONGEST_LINE_BYTES:,} bytes in a line and {_LONGEST_STREAM_BYTES:,} in "
                        "total: is this the right address?"
                    )
                yield from (line.decode("utf-8", "replace").rstrip("\r") for line in lines)
        except httpx.TimeoutException as error:
            raise ModelUnreachable(f"{self.name}: {self._too_slow()}") from error
        except httpx.RequestError as error:
            raise ModelUnreachable(
                f"{self.name}: broke off in the middle of its answer ({error}); ask again"
            ) from error
        if waiting:
            yield waiting.decode("utf-8", "replace").rstrip("\r")

    def _parts(self, response: httpx.Response) -> Iterator[bytes]:
        """An answer as it arrives, decompressed in small pieces; some may be empty."""
        encoding = response.headers.get("content-encoding", "identity").lower()
        if encoding == "identity":
            yield from response.iter_raw()
        elif encoding == "gzip":
            yield from _unpacked(response.iter_raw(), self.name)
        else:
            raise ModelError(
                f"{self.name}: answered with the encoding {encoding!r}; expected gzip or none"
            )

    def _all_of(self, response: httpx.Response, deadline: float) -> bytes:
        content = b"".join(self._until(response, deadline, _LONGEST_ANSWER_BYTES + 1))
        if len(content) > _LONGEST_ANSWER_BYTES:
            raise ModelError(
                f"{self.name}: answered more than {_LONGEST_ANSWER_BYTES:,} bytes, more than any "
                "request needs: is this the right address?"
            )
        return content

    def _until(self, response: httpx.Response, deadline: float, most: int) -> Iterator[bytes]:
        """The first `most` bytes of an answer. Raises ReadTimeout after the deadline."""
        with closing(response):
            for part in _before(deadline, self._parts(response)):
                yield part[:most]
                most -= len(part)
                if most <= 0:
                    return

    def _answer(
        self,
        send: Callable[[], httpx.Response],
        take: Callable[[httpx.Response, float], T],
        *,
        deadline: float = float("inf"),
    ) -> T:
        """The result of `take` for a successful response, after retries if necessary.

        `take` gets the response and the deadline of this try.
        """
        if time.monotonic() < self._rests_until:
            raise ModelUnreachable(self._absent)
        tried = 0
        while isinstance(found := self._try(send, take, deadline), _Failure):
            wait = max(found.wait or 0.0, _backoff(tried))
            is_last = tried == self._place.retries or time.monotonic() + wait > deadline
            tried += 1
            if found.wait is None or is_last:
                tries = f" ({tried} tries)" if tried > 1 else ""
                kind = ModelUnreachable if found.is_unreachable else ModelError
                message = f"{self.name}: {self.without_key(found.message)}{tries}"
                if found.is_absent and self._place.is_waited_for:
                    self._absent, self._rests_until = message, time.monotonic() + _REST_SECONDS
                raise kind(message)
            self._sleep(wait)
        return found

    def _try(
        self,
        send: Callable[[], httpx.Response],
        take: Callable[[httpx.Response, float], T],
        latest: float,
    ) -> T | _Failure:
        import httpx

        from pincite.models.timed_connections import until

        deadline = min(latest, time.monotonic() + self._place.timeout_seconds)
        try:
            with until(deadline):
                response = send()
            if response.is_success:
                return take(response, deadline)
            content = b"".join(self._until(response, deadline, _LONGEST_ERROR_BYTES))
        except httpx.TimeoutException:
            return _Failure(message=self._too_slow(), wait=0.0, is_unreachable=True)
        except httpx.ConnectError as error:
            message = f"cannot be reached ({error}): is the server running?"
            wait = None if self._place.is_waited_for else 0.0
            return _Failure(message=message, wait=wait, is_unreachable=True, is_absent=True)
        except httpx.RequestError as error:
            message = f"cannot be reached ({error}): is the server running?"
            return _Failure(message=message, wait=0.0, is_unreachable=True)
        return self._refused(response, _message(content))

    def _refused(self, response: httpx.Response, message: str) -> _Failure:
        code = response.status_code
        may_help = code in _AGAIN and not _TOO_LONG.search(message)
        return _Failure(
            message=f"answered {code}: {message}{self._advice(response, message)}",
            wait=_asked_to_wait(response) if may_help else None,
            is_unreachable=code >= 500 and may_help,
        )

    def _too_slow(self) -> str:
        seconds, group = self._place.timeout_seconds, self._place.group
        return f"gave no answer in {seconds:g} s: raise {group}.timeout_seconds"

    def _advice(self, response: httpx.Response, message: str) -> str:
        code, url = response.status_code, f"{self._place.group}.{self._place.url_setting}"
        if _TOO_LONG.search(message):
            return f"; {self._place.too_long}" if self._place.too_long else ""
        if code in (401, 403):
            return f"; set the key in the environment as {self._place.key_variable}"
        if code == 404:
            return f"; is {url} right, and {self._place.if_not_found}"
        if response.is_redirect:
            return f"; redirects are not followed: set {url} to the final address"
        return ""

    def object_of(self, written: str, *, called: str) -> dict[str, Any]:
        """A JSON object from a stream. Raises ModelError for anything else and for reported errors."""
        try:
            found = json.loads(written)
        except ValueError as error:
            raise ModelError(
                f"{self.name}: sent {called} that is not JSON: is this the right address?"
            ) from error
        if not isinstance(found, dict) or found.get("error"):
            message = self.without_key(reported_error(found))
            raise ModelError(f"{self.name}: broke off with an error: {message[:300]}")
        return found

    def without_key(self, message: str) -> str:
        """A server's message with the key removed."""
        key = self._place.key
        return message.replace(key, "[key]") if key else message


def _client(place: Place) -> httpx.Client:
    try:
        import httpx

        from pincite.models.timed_connections import TimedTransport
    except ImportError as error:
        raise ModelError(
            "servers are asked with httpx: install it with pip install 'pincite[remote]'"
        ) from error
    if place.key and place.url.startswith("http://") and not is_this_machine(place.url):
        raise ModelError(
            f"{place.url}: the key in {place.key_variable} would travel in clear text; use https, "
            "or unset it"
        )
    return httpx.Client(
        timeout=_timeout(place.timeout_seconds),
        headers={"Accept-Encoding": "gzip", **_key_header(place)},
        follow_redirects=False,
        trust_env=False,
        transport=TimedTransport(socket=place.socket),
    )


def _key_header(place: Place) -> dict[str, str]:
    if not place.key:
        return {}
    named = place.key_header
    return {named: place.key} if named else {"Authorization": f"Bearer {place.key}"}


def _timeout(seconds: float) -> httpx.Timeout:
    import httpx

    return httpx.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS))


def is_this_machine(url: str) -> bool:
    """Whether an address cannot leave this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _backoff(tried: int) -> float:
    """Seconds before the next try: doubled each time, with jitter so that clients do not collide."""
    longest: float = min(_LONGEST_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 2.0**tried)
    # Not security-relevant.
    return longest * random.uniform(0.5, 1.0)  # noqa: S311


def _asked_to_wait(response: httpx.Response) -> float:
    try:
        seconds = float(response.headers.get("retry-after", 0))
    except ValueError:  # A date: use the usual backoff.
        return 0.0
    return min(max(seconds, 0.0), _LONGEST_WAIT_SECONDS)


def _before(deadline: float, parts: Iterator[bytes]) -> Iterator[bytes]:
    """The parts that arrive before the deadline. Raises ReadTimeout after it."""
    import httpx

    from pincite.models.timed_connections import until

    while True:
        with until(deadline):
            part = next(parts, None)
        if part is None:
            return
        if time.monotonic() > deadline:
            raise httpx.ReadTimeout("the whole answer took too long")
        yield part


def _unpacked(parts: Iterator[bytes], name: str) -> Iterator[bytes]:
    """Decompresses gzip in small pieces, since it may expand a thousandfold."""
    unpack = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    for part in parts:
        try:
            yield unpack.decompress(part, _PIECE_BYTES)
            while unpack.unconsumed_tail:
                yield unpack.decompress(unpack.unconsumed_tail, _PIECE_BYTES)
        except zlib.error as error:
            raise ModelError(f"{name}: answered with damaged gzip ({error}); ask again") from error


def _json(content: bytes, name: str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{name}: its answer is not JSON: is this the right address?") from error


def _message(content: bytes) -> str:
    """The server's error message, on one line."""
    try:
        message = reported_error(json.loads(content))
    except (ValueError, RecursionError):
        message = content.decode("utf-8", "replace")
    return " ".join(message.split())[:_MESSAGE_CHARS]


def reported_error(content: Any) -> str:
    """The message of an error, in any of the formats that servers use."""
    if isinstance(content, dict) and isinstance(content.get("status"), dict):
        content = content["status"]  # Qdrant's
    error = content.get("error", content) if isinstance(content, dict) else content
    error = error.get("message", error) if isinstance(error, dict) else error
    return error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
