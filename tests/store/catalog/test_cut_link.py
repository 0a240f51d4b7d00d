"""What a user of a database sees whose link is cut or falls silent, and that it heals by itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from pincite import Library, LibraryUnreachable
from pincite.records.addresses import DatabaseAddress
from pincite.store.catalog import postgres
from pincite.store.catalog.postgres import PostgresStore

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
WORDS = {"embedding": {"model": "none"}, "verification": {"abstain_below": 0.0}}
QUESTION = "How many litres of oil does the pump hold?"
LONG = "SELECT pg_sleep(300)"


@pytest.fixture
def link(database: DatabaseAddress, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    socket = f"{make_url(database.url).query['host']}/.s.PGSQL.5432"
    with import_module("slow_link").SlowLink.to(socket) as link:
        yield link


@pytest.fixture
def address(database: DatabaseAddress, link: Any) -> DatabaseAddress:
    name = make_url(database.url).database
    return DatabaseAddress(f"postgresql://postgres@127.0.0.1:{link.port}/{name}?connect_timeout=2")


@pytest.fixture
def store(address: DatabaseAddress) -> Iterator[PostgresStore]:
    opened = PostgresStore(address)
    yield opened
    opened.close()


def while_asking(store: PostgresStore, happens: Any) -> BaseException | None:
    """What the question of a thread ends with when something happens meanwhile."""
    began = threading.Event()

    def ask() -> None:
        with store.transaction() as connection:
            connection.exec_driver_sql("SELECT 1")
            began.set()
            connection.exec_driver_sql(LONG)

    with ThreadPoolExecutor(1) as threads:
        asking = threads.submit(ask)
        began.wait()
        happens()
        return asking.exception()


def test_a_statement_whose_link_is_cut_ends_and_the_next_one_goes_through(
    store: PostgresStore, link: Any
) -> None:
    error = while_asking(store, link.cut)
    assert isinstance(error, LibraryUnreachable)
    assert "the connection to the database was lost" in str(error)
    with pytest.raises(LibraryUnreachable, match="cannot connect to the database"):
        store.rows("SELECT 1")
    link.heal()
    assert store.rows("SELECT 1") == [(1,)]


def test_a_link_that_falls_silent_is_given_up(
    store: PostgresStore, link: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(postgres, "_SILENCE_SECONDS", 0.5)
        error = while_asking(store, link.fall_silent)
    assert isinstance(error, LibraryUnreachable)
    assert "no word for 0.5 seconds" in str(error)
    link.heal()
    assert store.rows("SELECT 1") == [(1,)]


def test_a_slow_answer_is_waited_for(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    # Rows come one after the other, all of them together later than the longest silence.
    monkeypatch.setattr(postgres, "_SILENCE_SECONDS", 2.0)
    began = time.monotonic()
    filled = "SELECT repeat(md5(n::text), 3000), pg_sleep(0.2) FROM generate_series(1, 15) n"
    assert len(store.rows(filled)) == 15
    assert time.monotonic() - began > 2.0


def test_a_statement_that_works_silently_for_long_is_waited_for(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_SILENCE_SECONDS", 0.5)
    assert store.rows("SELECT 1 FROM (SELECT pg_sleep(2)) AS work") == [(1,)]


def test_a_question_tells_that_the_link_is_cut_and_is_answered_when_it_is_back(
    address: DatabaseAddress, link: Any, tmp_path: Path
) -> None:
    (file := tmp_path / "pump.txt").write_text("The pump holds 12 litres of oil.\n")
    with Library.open(address, overrides=WORDS) as library:
        library.ingest([file])
        assert "12 litres" in library.ask(QUESTION).text
        link.cut()
        with pytest.raises(LibraryUnreachable):
            library.ask(QUESTION)
        link.heal()
        assert "12 litres" in library.ask(QUESTION).text
