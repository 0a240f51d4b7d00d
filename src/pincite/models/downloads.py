"""Downloads a model file, only when a user asks for it by URL and checksum."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from pincite.errors import ModelError
from pincite.models.servers import is_this_machine
from pincite.records.files import open_regular

if TYPE_CHECKING:
    import httpx

_SECONDS = 30.0
"""Longest time without data from the server."""
_MOST_REDIRECTS = 5


@contextmanager
def opened(url: str) -> Iterator[IO[bytes]]:
    """The content at an https or file URL. Raises ModelError if it is not available."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        with _file(Path(unquote(parts.path))) as content:
            yield content
        return
    with _response(url) as response:
        yield io.BufferedReader(_Body(response, url))


def _file(path: Path) -> IO[bytes]:
    try:
        return open_regular(path)
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from error


@contextmanager
def _response(url: str) -> Iterator[httpx.Response]:
    try:
        import httpx
    except ImportError as error:
        raise ModelError(
            "fetching a model needs httpx: install it with pip install 'pincite[remote]'"
        ) from error
    with httpx.Client(timeout=_SECONDS, follow_redirects=False) as client:
        for _ in range(_MOST_REDIRECTS):
            _check_safe(url)
            try:
                response = client.send(client.build_request("GET", url), stream=True)
            except (httpx.RequestError, httpx.InvalidURL) as error:
                raise ModelError(f"{url}: cannot be reached: {error}") from error
            with closing(response):
                if response.next_request is None:
                    if not response.is_success:
                        raise ModelError(
                            f"{url}: answered {response.status_code}; expected a file: check the "
                            "address"
                        )
                    yield response
                    return
                # Redirects lead to storage servers; the checksum proves that the file is the right one.
                url = str(response.next_request.url)
    raise ModelError(f"{url}: redirects more than {_MOST_REDIRECTS} times; use the final address")


def _check_safe(url: str) -> None:
    """Raises ModelError unless the URL is https, or http on this machine."""
    scheme = urlsplit(url).scheme
    if scheme == "https" or (scheme == "http" and is_this_machine(url)):
        return
    raise ModelError(f"{url}: expected an https:// or file:// address")


class _Body(io.RawIOBase):
    """The content of a response as a file object."""

    def __init__(self, response: httpx.Response, url: str) -> None:
        self._parts = response.iter_bytes()
        self._url = url
        self._waiting = b""

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer with the available content. Raises ModelError if the connection breaks."""
        import httpx

        try:
            while not self._waiting:
                self._waiting = next(self._parts, b"")
                if not self._waiting:
                    return 0
        except httpx.RequestError as error:
            raise ModelError(f"{self._url}: the connection broke: {error}; try again") from error
        count = min(len(buffer), len(self._waiting))
        buffer[:count] = self._waiting[:count]
        self._waiting = self._waiting[count:]
        return count
