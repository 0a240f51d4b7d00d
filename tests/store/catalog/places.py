"""Places for catalogs: files of SQLite, and databases of PostgreSQL."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

from pincite.records.addresses import DatabaseAddress
from tests.postgres_server import TestServer

Place = Path | DatabaseAddress

NewPlace = Callable[[str], Place]
"""Gives the place of a name, the same one each time."""


@contextmanager
def files() -> Iterator[NewPlace]:
    """In a folder that goes after the block."""
    with tempfile.TemporaryDirectory() as folder:
        yield lambda name: Path(folder) / name


@contextmanager
def databases(server: TestServer) -> Iterator[NewPlace]:
    """Of a server; they go after the block."""
    with ExitStack() as ending:
        yield cache(lambda _: ending.enter_context(server.database()))
