"""Asks a server that the user configured; with `download.py` the only code that opens connections.

Requests go to the configured address and nowhere else: redirects are not followed, and proxies and
passwords that the environment names for other programs are not used.
"""

from __future__ import annotations

import json
import os
import random
import re
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pincite.errors import ModelError, ModelUnreachable

if TYPE_CHECKING:
    import httpx

OLLAMA_HERE = "http://127.0.0.1:11434"
"""Where Ollama listens on a machine of one's own."""

_AGAIN = {408, 425, 429, 500, 502, 503, 504}
"""Answers after which the same request may succeed."""
_FIRST_WAIT_SECONDS, _LONGEST_WAIT_SECONDS = 0.5, 30.0
_CONNECT_SECONDS = 10.0
_MESSAGE_CHARS = 300
_LONGEST_LINE_BYTES = 1_000_000
_LONGEST_STREAM_BYTES = 16_000_000
_TOO_LONG = re.compile(r"too (long|large)|context (length|size|window)|maximum context", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a server is, how patient we are, and how its settings are called in messages."""

    model: str
    url: str
    group: str
    """Of settings, such as `embedding`."""
    key: str = ""
    key_variable: str = ""
    """The environment variable the key came from. A key never stands in settings or messages."""
    timeout_seconds: float = 60.0
    retries: int = 3
    too_long: str = ""
    """What to do when the server says that a text is too long."""
    url_setting: str = "url"
    socket: str = ""
    """A socket in the file system, for a server inside this process."""


def key_from(variable: str) -> str:
    """The key that an environment variable holds; empty for none."""
    return os.environ.get(variable, "")


def checked_url(url: str, *, setting: str, key_variable: str) -> str:
    """An address without a slash at its end. Raises ModelError for one that is none."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # urlsplit's word for a bad port or a bad bracket
        is_address = False
    if not is_address:
        raise ModelError(f"{setting} is {url!r}; expected http://HOST:PORT or https://HOST")
    if parts.username or parts.password or parts.query:
        raise ModelError(
            f"{setting} holds more than an address; put the key into the environment as "
            f"{key_variable}"
        )
    return url.rstrip("/")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failure:
    """What went wrong; how long to wait at least before another try, None if there is no use."""

    told: str
    wait: float | None = None
    is_unreachable: bool = False


class ServerClient:
    """Asks one server, again where that may help. Raises ModelError in plain words.

    It is a ModelUnreachable where the server is not there, too slow, or failing (5xx).
    """

    def __init__(self, place: Place, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._place = place
        self._sleep = sleep
        self.name = f"{place.model} at {place.url}"
        self._client = _client(place)
        # Connections that are kept open are given back when nobody uses the client any more.
        self.close = weakref.finalize(self, self._client.close)

    def get(self, path: str) -> Any:
        """The JSON that stands at a path."""
        return _json(self._answer(lambda: self._client.get(self._place.url + path)), self.name)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """The server's JSON answer, after as many tries as it takes and is allowed."""
        url = self._place.url + path
        return _json(self._answer(lambda: self._client.post(url, json=body)), self.name)

    def lines(self, path: str, body: dict[str, Any]) -> Iterator[str]:
        """The lines of a streamed answer as they come, all of them within the timeout.

        A request is tried again until its first line has come, and not after that.
        """
        deadline = time.monotonic() + self._place.timeout_seconds

        def send() -> httpx.Response:
            seconds = max(deadline - time.monotonic(), 0.001)
            request = self._client.build_request(
                "POST", self._place.url + path, json=body, timeout=_timeout(seconds)
            )
            return self._client.send(request, stream=True)

        with closing(self._answer(send, deadline=deadline)) as response:
            yield from self._lines_of(response, deadline)

    def _lines_of(self, response: httpx.Response, deadline: float) -> Iterator[str]:
        import httpx

        waiting, total = b"", 0
        try:
            for part in response.iter_bytes():
                if time.monotonic() > deadline:
                    raise ModelUnreachable(f"{self.name}: {self._too_slow()}")
                total += len(part)
                *lines, waiting = (waiting + part).split(b"\n")
                if len(waiting) > _LONGEST_LINE_BYTES or total > _LONGEST_STREAM_BYTES:
                    raise ModelError(
                        f"{self.name}: sent more than a written answer can be; expected at most "
                        f"{_LONGEST_LINE_BYTES:,} bytes in a line and {_LONGEST_STREAM_BYTES:,} in "
                        "all: is this the right address?"
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

    def _answer(
        self, send: Callable[[], httpx.Response], *, deadline: float = float("inf")
    ) -> httpx.Response:
        """A successful response, after as many tries as it takes and is allowed."""
        tried = 0
        while isinstance(found := self._try(send), _Failure):
            wait = max(found.wait or 0.0, _backoff(tried))
            is_last = tried == self._place.retries or time.monotonic() + wait > deadline
            tried += 1
            if found.wait is None or is_last:
                tries = f" ({tried} tries)" if tried > 1 else ""
                kind = ModelUnreachable if found.is_unreachable else ModelError
                raise kind(f"{self.name}: {self.without_key(found.told)}{tries}")
            self._sleep(wait)
        return found

    def _try(self, send: Callable[[], httpx.Response]) -> httpx.Response | _Failure:
        import httpx

        try:
            response = send()
            if not response.is_success:
                response.read()
        except httpx.TimeoutException:
            return _Failure(told=self._too_slow(), wait=0.0, is_unreachable=True)
        except httpx.RequestError as error:
            told = f"cannot be reached ({error}): is the server running?"
            return _Failure(told=told, wait=0.0, is_unreachable=True)
        return response if response.is_success else self._refused(response)

    def _refused(self, response: httpx.Response) -> _Failure:
        told, code = _message(response), response.status_code
        may_help = code in _AGAIN and not _TOO_LONG.search(told)
        return _Failure(
            told=f"answered {code}: {told}{self._advice(response, told)}",
            wait=_asked_to_wait(response) if may_help else None,
            is_unreachable=code >= 500 and may_help,
        )

    def _too_slow(self) -> str:
        seconds, group = self._place.timeout_seconds, self._place.group
        return f"gave no answer in {seconds:g} s: raise {group}.timeout_seconds"

    def _advice(self, response: httpx.Response, told: str) -> str:
        code, url = response.status_code, f"{self._place.group}.{self._place.url_setting}"
        if _TOO_LONG.search(told):
            return f"; {self._place.too_long}" if self._place.too_long else ""
        if code in (401, 403):
            return f"; set the key in the environment as {self._place.key_variable}"
        if code == 404:
            return f"; is the model there and {url} right? (Ollama: 'ollama pull NAME')"
        if response.is_redirect:
            return f"; redirects are not followed: set {url} to the final address"
        return ""

    def without_key(self, message: str) -> str:
        """What a server said, with our key taken out."""
        key = self._place.key
        return message.replace(key, "[key]") if key else message


def _client(place: Place) -> httpx.Client:
    try:
        import httpx
    except ImportError as error:
        raise ModelError(
            "models behind a server need httpx: install it with pip install 'pincite[remote]'"
        ) from error
    if place.key and place.url.startswith("http://") and not is_this_machine(place.url):
        raise ModelError(
            f"{place.url}: the key in {place.key_variable} would travel in clear text; use https, "
            "or unset it"
        )
    return httpx.Client(
        timeout=_timeout(place.timeout_seconds),
        headers={"Authorization": f"Bearer {place.key}"} if place.key else {},
        follow_redirects=False,
        trust_env=False,
        transport=httpx.HTTPTransport(uds=place.socket) if place.socket else None,
    )


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


def _json(response: httpx.Response, name: str) -> Any:
    try:
        return response.json()
    except ValueError as error:
        raise ModelError(
            f"{name}: answered with something that is no JSON: is this the right address?"
        ) from error


def _message(response: httpx.Response) -> str:
    """What the server says about it, on one line."""
    try:
        told = told_error(response.json())
    except ValueError:
        told = response.text
    return " ".join(told.split())[:_MESSAGE_CHARS]


def told_error(content: Any) -> str:
    """The message of an error, in any of the forms in which servers write it."""
    told = content.get("error", content) if isinstance(content, dict) else content
    told = told.get("message", told) if isinstance(told, dict) else told
    return told if isinstance(told, str) else json.dumps(told, ensure_ascii=False)
