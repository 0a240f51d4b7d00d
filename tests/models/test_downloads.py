from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from pincite.errors import ModelError
from pincite.models.downloads import opened

CONTENT = b"GGUF" + bytes(range(256)) * 9000


class Files(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        place = {"/elsewhere": "/file", "/round": "/round", "/away": "http://192.0.2.1/file"}
        if self.path in place:
            self.send_response(302)
            self.send_header("Location", place[self.path])
            self.end_headers()
            return
        self.send_response(404 if self.path == "/none" else 200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[: 5000 if self.path == "/half" else None])

    def log_message(self, *arguments: Any) -> None: ...


@pytest.fixture
def address() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Files) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def fetched(url: str) -> bytes:
    with opened(url) as content:
        return content.read()


@pytest.mark.parametrize("path", ["/file", "/elsewhere"])
def test_a_file_is_fetched_from_where_it_is_stored(address: str, path: str) -> None:
    assert fetched(address + path) == CONTENT


def test_a_file_of_this_machine_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a model.gguf"
    file.write_bytes(CONTENT)
    assert fetched(file.as_uri()) == CONTENT
    with pytest.raises(ModelError, match=r"none\.gguf: cannot be read"):
        fetched((tmp_path / "none.gguf").as_uri())


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/none", "answered 404; expected a file"),
        ("/half", "connection broke"),
        ("/round", "redirects more than 5 times"),
        ("/away", "expected an https:// or file:// address"),
    ],
)
def test_what_cannot_be_fetched_is_a_clear_error(address: str, path: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        fetched(address + path)


@pytest.mark.parametrize(
    "url", ["http://models.example/a.gguf", "ftp://x/a", "a.gguf", "", "https://"]
)
def test_only_safe_addresses_are_taken(url: str) -> None:
    with pytest.raises(ModelError, match=r"expected an https|cannot be reached"):
        fetched(url)
