"""Asks a server that the user configured, again where that may help.

Requests go to the address that was configured and nowhere else: redirects are not followed, and
proxies and passwords that the environment names for other programs are not used.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pincite.errors import ModelError

if TYPE_CHECKING:
    import httpx

_AGAIN = {408, 425, 429, 500, 502, 503, 504}
"""Answers after which the same request may succeed."""
_FIRST_WAIT_SECONDS, _LONGEST_WAIT_SECONDS = 0.5, 30.0
_MESSAGE_CHARS = 300
_TOO_LONG = re.compile(r"too (long|large)|context (length|size|window)|maximum context", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a model is served and how patient we are.

    `group` is the group of settings that says so, and `key_name` the environment variable with the
    key: a key never stands in settings, nor in a message. `shorten` is the advice for texts that
    are too long.
    """

    url: str
    path: str
    model: str
    group: str
    key_name: str
    shorten: str
    timeout_seconds: float = 60.0
    retries: int = 3


class ConfiguredServer:
    """Posts JSON and gives the JSON that comes back."""

    def __init__(self, place: Place, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._place = place
        self._sleep = sleep
        self._key = os.environ.get(place.key_name, "")
        self.name = f"{place.model} at {place.url}"
        self._client = _client(place, self._key)

    def post(self, body: dict[str, Any]) -> Any:
        """The server's answer, after as many tries as it takes and is allowed.

        Raises ModelError in plain words.
        """
        for tried in range(self._place.retries + 1):
            problem, wait, answer = self._try(body)
            if not problem:
                return answer
            if wait is None:
                break
            if tried < self._place.retries:
                self._sleep(max(wait, _backoff(tried)))
        tries = f" ({tried + 1} tries)" if tried else ""
        raise ModelError(f"{self.name}: {self._safe(problem)}{tries}")

    def _try(self, body: dict[str, Any]) -> tuple[str, float | None, Any]:
        """What went wrong if anything did; how long to wait at least, None if there is no use."""
        import httpx

        try:
            response = self._client.post(self._place.url + self._place.path, json=body)
        except httpx.TimeoutException:
            seconds, setting = self._place.timeout_seconds, f"{self._place.group}.timeout_seconds"
            return f"gave no answer in {seconds:g} s: raise {setting}", 0.0, None
        except httpx.TransportError as error:
            return f"cannot be reached ({error}): is the server running?", 0.0, None
        if response.is_success:
            try:
                return "", None, response.json()
            except ValueError:
                problem = "answered with something that is no JSON: is this the right address?"
                return problem, None, None
        told = _message(response)
        problem = f"answered {response.status_code}: {told}{self._advice(response, told)}"
        may_help = response.status_code in _AGAIN and not _TOO_LONG.search(told)
        return problem, _asked_to_wait(response) if may_help else None, None

    def _advice(self, response: httpx.Response, told: str) -> str:
        code, group = response.status_code, self._place.group
        if _TOO_LONG.search(told):
            return f"; {self._place.shorten}"
        if code in (401, 403):
            return f"; set the key in the environment as {self._place.key_name}"
        if code == 404:
            return f"; is the model there and {group}.url right? (Ollama: 'ollama pull NAME')"
        if response.is_redirect:
            return f"; redirects are not followed: set {group}.url to the final address"
        return ""

    def _safe(self, message: str) -> str:
        return message.replace(self._key, "[key]") if self._key else message


def checked_address(url: str, *, group: str, key_name: str) -> str:
    """The address without a slash at its end. Raises ModelError for what is none."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ModelError(f"{group}.url is {url!r}; expected http://HOST:PORT or https://HOST")
    if parts.username or parts.password or parts.query:
        raise ModelError(
            f"{group}.url holds more than an address; put the key into the environment as {key_name}"
        )
    return url.rstrip("/")


def versioned(url: str, path: str) -> str:
    """The path below an address that may end in /v1 already."""
    return path if urlsplit(url).path.endswith("/v1") else f"/v1{path}"


def _client(place: Place, key: str) -> httpx.Client:
    try:
        import httpx
    except ImportError as error:
        raise ModelError(
            "models behind a server need httpx: install it with pip install 'pincite[remote]'"
        ) from error
    if key and place.url.startswith("http://") and not _is_this_machine(place.url):
        raise ModelError(
            f"{place.url}: the key in {place.key_name} would travel in clear text; use https, or "
            "unset it"
        )
    return httpx.Client(
        timeout=place.timeout_seconds,
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
