"""Fixtures for all tests: no network, no settings from outside, one encoder for the whole run."""

from __future__ import annotations

import io
import ipaddress
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from hypothesis import settings
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pincite.records.addresses import DatabaseAddress
from tests.postgres_server import TestServer, running_server
from tests.tiers import IS_QUICK

pytest.register_assert_rewrite("pincite.testing.contracts", "pincite.testing.language_models")

# The same examples on every machine, and no folder of past failures beside the sources.
settings.register_profile(
    "repeatable", deadline=None, derandomize=True, database=None, max_examples=60
)
settings.load_profile("repeatable")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Archives that are made for a test hold the time; its name must not, processes compare it."""
    made_now = isinstance(val, bytes) and val.startswith(b"PK")
    return argname if made_now else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the slow tests out of the quick tier, unless one is asked for by its file or name."""
    root = config.rootpath
    is_whole = [Path(name).resolve() for name in config.args if "::" not in name]
    if not IS_QUICK or root / "tests" not in is_whole:
        return
    slow = set((root / "tests" / "slow_tests.txt").read_text(encoding="utf-8").split())
    left_out = [item for item in items if item.nodeid.partition("[")[0] in slow]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item.nodeid.partition("[")[0] not in slow]


class NetworkUsed(AssertionError):
    """A test tried to reach another machine."""


def _refuse_strangers(address: Any) -> None:
    if not isinstance(address, tuple) or _is_loopback(str(address[0])):
        return
    raise NetworkUsed(f"a test tried to connect to {address}; everything must work offline")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def guarded(self: socket.socket, address: Any) -> None:
        _refuse_strangers(address)
        connect(self, address)

    def guarded_ex(self: socket.socket, address: Any) -> int:
        _refuse_strangers(address)
        return connect_ex(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    monkeypatch.setattr(socket.socket, "connect_ex", guarded_ex)


@pytest.fixture(scope="session", autouse=True)
def config_folder_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What a test approves or serves, and what the user of this machine does, do not meet."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("PINCITE_") and name != "PINCITE_SHARED":
            monkeypatch.delenv(name)


@pytest.fixture(scope="session", autouse=True)
def encoder_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all libraries of this run, those of child processes too, keep the prepared encoder."""
    cache = tmp_path_factory.mktemp("cache")
    os.environ["XDG_CACHE_HOME"] = str(cache)
    return cache / "pincite" / "prepared"


@pytest.fixture(scope="session")
def encoder(encoder_cache: Path) -> Any:
    from pincite.models.encoders.windowed import MiniLmEncoder

    return MiniLmEncoder(encoder_cache)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real documents and data sets, where it is present."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("PINCITE_SHARED", beside))
    if not folder.is_dir():
        pytest.skip(f"the shared data are not here ({folder}); set PINCITE_SHARED")
    return folder


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[TestServer]:
    """One PostgreSQL for the whole run."""
    with running_server() as server:
        yield server


@pytest.fixture
def database(postgres_server: TestServer) -> Iterator[DatabaseAddress]:
    """A new database in it."""
    with postgres_server.database() as address:
        yield address


@pytest.fixture(scope="session")
def make_scan() -> Callable[..., bytes]:
    """Makes a PDF whose pages are pictures of lines of text; a page is the lines of one string."""

    def make(*pages: str, size: float = 14) -> bytes:
        buffer = io.BytesIO()
        canvas = Canvas(buffer, pagesize=(600, 800))
        for page in pages:
            canvas.setFont("Helvetica", size)
            for number, line in enumerate(page.splitlines()):
                canvas.drawString(60, 720 - 1.5 * size * number, line)
            canvas.showPage()
        canvas.save()
        return photographed(buffer.getvalue())

    return make


def photographed(content: bytes) -> bytes:
    """The same pages as pictures, as a scanner makes them."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    pdf = pypdfium2.PdfDocument(content)
    for page in pdf:
        canvas.setPageSize(page.get_size())
        picture = ImageReader(page.render(scale=150 / 72).to_pil())
        canvas.drawImage(picture, 0, 0, *page.get_size())
        canvas.showPage()
    pdf.close()
    canvas.save()
    return buffer.getvalue()
