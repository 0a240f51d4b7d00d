from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import (
    LibraryBusy,
    LibraryError,
    LibraryReadOnly,
    LibraryTooNew,
    LibraryUnreachable,
    NotStorable,
)
from pincite.records.addresses import DatabaseAddress
from pincite.records.library_records import Failure
from pincite.store.catalog import migrations
from pincite.store.catalog.catalog import Catalog
from pincite.store.catalog.escaping import escaped, unescaped
from pincite.store.catalog.postgres import _IDLE_SECONDS, PostgresStore
from pincite.testing.samples import ingested
from tests.postgres_server import TestServer, running_server

ODD = st.text(alphabet=st.sampled_from("\x00\x01\x02ab"), max_size=8)


@pytest.fixture
def store(database: DatabaseAddress) -> Iterator[PostgresStore]:
    opened = PostgresStore(database)
    yield opened
    opened.close()


@given(st.one_of(ODD, st.text()))
def test_any_text_comes_back_as_it_went_in(text: str) -> None:
    assert "\x00" not in escaped(text)
    assert unescaped(escaped(text)) == text


@given(ODD, ODD)
def test_texts_keep_their_order(one: str, other: str) -> None:
    assert (one < other) == (escaped(one).encode() < escaped(other).encode())


def test_odd_texts_are_stored_exactly_and_ordered_by_code_points(database: DatabaseAddress) -> None:
    catalog = Catalog(database)
    paths = ["/B", "/_", "/a", "/a\x00", "/a\x01", "/a\x02", "/a b", "/Ä", "/ä", "/水", "/𝒳"]
    failures = {path: Failure(reason=f"\x00 of \x01{path}") for path in reversed(paths)}
    catalog.record_failures("c\x00", failures)
    assert [one.path for one in catalog.failures()] == sorted(paths)
    assert {path for _, path in catalog.failed_before()} == set(paths)
    assert catalog.failed_before()["c\x00", "/a\x00"] == failures["/a\x00"]
    number = catalog.history.keep({"citations": [], "text": "\x00\ud800"}, "c")
    assert catalog.history.entries(number)[0].form["text"] == "\x00\ud800"
    catalog.put("c", ingested("a.txt", "# \x00 Nul\nIt is\x00here."), recipe="r")
    (passage,) = catalog.passages(catalog.passage_keys()).values()
    assert "\x00" in catalog.text_of(passage.span)
    catalog.close()


def test_what_cannot_be_written_as_utf_8_is_refused_as_in_a_file(database: DatabaseAddress) -> None:
    catalog = Catalog(database)
    with pytest.raises(NotStorable):
        catalog.record_failures("default", {"/a": Failure(reason="\ud800")})
    catalog.close()


def test_a_lock_is_held_by_one_and_freed_with_it(
    store: PostgresStore, database: DatabaseAddress
) -> None:
    other = PostgresStore(database)
    with store.held("write", patience_seconds=0, busy="in use"):
        assert other.is_held("write")
        assert not other.is_held("another")
        with (
            pytest.raises(LibraryBusy, match="in use"),
            other.held("write", patience_seconds=0, busy="in use"),
        ):
            pass
    assert not other.is_held("write")
    with (
        store.held("write", patience_seconds=0, busy="", shared=True),
        other.held("write", patience_seconds=0, busy="", shared=True),
    ):
        assert store.is_held("write")
    other.close()


def test_who_lost_the_lock_does_not_write_any_more(
    store: PostgresStore, postgres_server: TestServer
) -> None:
    with store.held("write", patience_seconds=0, busy=""):
        postgres_server.run(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
        )
        with (
            pytest.raises(LibraryUnreachable, match="lock of this change"),
            store.transaction(writes=True),
        ):
            pass
    with store.transaction(writes=True):
        pass


def test_a_connection_that_was_cut_is_replaced(
    store: PostgresStore, postgres_server: TestServer
) -> None:
    ((database,),) = store.rows("SELECT current_database()")

    def cut() -> None:
        postgres_server.run(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'"
        )

    cut()
    time.sleep(_IDLE_SECONDS)
    assert store.rows("SELECT 1") == [(1,)]
    cut()
    # It was in use a moment ago, and is not checked.
    assert store.rows("SELECT 1") == [(1,)]
    cut()
    with pytest.raises(LibraryUnreachable), store.transaction() as connection:
        connection.exec_driver_sql("SELECT 1")
    with store.transaction() as connection:
        connection.exec_driver_sql("SELECT 1")


def test_what_is_frozen_does_not_see_what_others_write(database: DatabaseAddress) -> None:
    catalog, other = Catalog(database), Catalog(database)
    with catalog.frozen():
        before = catalog.generation()
        writing = threading.Thread(
            target=other.put, args=("c", ingested("a.txt", "It starts.")), kwargs={"recipe": "r"}
        )
        writing.start()
        writing.join()
        assert (catalog.generation(), catalog.passage_keys()) == (before, [])
    assert catalog.generation() > before
    assert len(catalog.passage_keys()) == 1
    catalog.close()
    other.close()


# --- Databases that cannot hold a catalog -----------------------------------------------------------


def test_a_server_that_is_not_there_is_told_in_one_line(database: DatabaseAddress) -> None:
    nowhere = DatabaseAddress("postgresql://anna:s3cret@127.0.0.1:1/docs")
    with pytest.raises(LibraryUnreachable, match="cannot connect to the database") as told:
        Catalog(nowhere)
    assert "s3cret" not in str(told.value)
    with pytest.raises(LibraryUnreachable, match='"none" does not exist'):
        Catalog(DatabaseAddress(_other_name(database)))


def _other_name(database: DatabaseAddress) -> str:
    before, _, query = database.url.partition("?")
    return f"{before.rpartition('/')[0]}/none?{query}"


def test_a_database_of_another_encoding_is_refused(postgres_server: TestServer) -> None:
    how = "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'"
    with (
        postgres_server.database(how) as address,
        pytest.raises(LibraryError, match="encoding is LATIN1; Pincite needs UTF8"),
    ):
        Catalog(address)


def test_a_database_of_something_else_is_left_alone(database: DatabaseAddress) -> None:
    store = PostgresStore(database)
    with store.transaction(writes=True) as connection:
        connection.exec_driver_sql("CREATE TABLE customers (id int)")
    with pytest.raises(LibraryError, match="contains other tables and no Pincite catalog"):
        Catalog(database)
    with store.transaction(writes=True) as connection:
        connection.exec_driver_sql("CREATE SCHEMA pincite")
    beside = DatabaseAddress(f"{database.url}&options=-csearch_path%3Dpincite")
    catalog = Catalog(beside)
    assert catalog.counts()["documents"] == 0
    catalog.close()
    store.close()


def test_a_catalog_of_a_newer_format_is_left_alone(database: DatabaseAddress) -> None:
    catalog = Catalog(database)
    with catalog.store.transaction(writes=True) as connection:
        connection.exec_driver_sql("UPDATE meta SET value = '99' WHERE name = 'schema_version'")
    catalog.close()
    with pytest.raises(LibraryTooNew, match=rf"format 99.*up to {migrations.NEWEST}"):
        Catalog(database)


def test_a_user_without_rights_is_told_what_to_ask_for(
    postgres_server: TestServer, database: DatabaseAddress
) -> None:
    name = str(database).rpartition("?")[0].rpartition("/")[2]
    postgres_server.run("DROP ROLE IF EXISTS guest")
    postgres_server.run("CREATE ROLE guest LOGIN PASSWORD 's3cret'")
    guest = DatabaseAddress(postgres_server.address(name, user="guest", password="s3cret"))
    with pytest.raises(LibraryReadOnly, match="lacks a privilege") as told:
        Catalog(guest)
    assert "s3cret" not in str(told.value)
    owner = Catalog(database)
    owner.record_failures("c", {"/a": Failure(reason="x")})
    with owner.store.transaction(writes=True) as connection:
        connection.exec_driver_sql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO guest")
    reader = Catalog(guest)
    assert reader.failures() == owner.failures()
    with pytest.raises(LibraryReadOnly):
        reader.record_failures("c", {"/a": None})
    for catalog in (owner, reader):
        catalog.close()


def test_a_server_that_restarts_is_told_and_then_used_again() -> None:
    with running_server() as server, server.database() as address:
        catalog = Catalog(address)
        catalog.record_failures("c", {"/a": Failure(reason="x")})
        server.stop()
        with pytest.raises(LibraryUnreachable):
            catalog.failures()
        server.start()
        assert len(catalog.failures()) == 1
        catalog.close()
