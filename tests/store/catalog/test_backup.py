"""The backups that a database makes itself: a dump, and recovery to a point in time."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pincite import Library
from pincite.records.addresses import DatabaseAddress
from tests.postgres_server import TestServer, running_server

WORDS = {"embedding": {"model": "none"}, "verification": {"abstain_below": 0.0}}
QUESTION = "How many litres does the pump hold?"


def write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"{text}\n")
    return folder / name


def cited(library: Library) -> list[str]:
    return [one.quote for one in library.ask(QUESTION).citations]


@pytest.fixture
def original(database: DatabaseAddress, tmp_path: Path) -> DatabaseAddress:
    with Library.open(database, overrides=WORDS) as library:
        library.ingest([write(tmp_path / "documents", "pump.txt", "The pump holds 12 litres.")])
    return database


def test_a_dump_is_the_same_library_in_another_database(
    postgres_server: TestServer, original: DatabaseAddress, tmp_path: Path
) -> None:
    dump = tmp_path / "pincite.dump"
    postgres_server.tool("pg_dump", "--format=custom", f"--file={dump}", f"--dbname={original.url}")
    with Library.open(original, overrides=WORDS) as library:
        state = library.catalog.state()
        library.ingest(
            [write(tmp_path / "documents", "late.txt", "The late pump holds 99 litres.")]
        )
        assert "The late pump holds 99 litres." in cited(library)
    with postgres_server.database() as other:
        postgres_server.tool("pg_restore", "--no-owner", f"--dbname={other.url}", dump)
        with Library.open(other, create=False, overrides=WORDS) as restored:
            assert restored.catalog.state() == state
            # As many changes as the other has seen: the index that this host keeps of the library
            # must not be taken for one of these passages.
            restored.ingest(
                [write(tmp_path / "documents", "new.txt", "The new pump holds 7 litres.")]
            )
            assert {*cited(restored)} == {
                "The pump holds 12 litres.",
                "The new pump holds 7 litres.",
            }


def test_a_database_is_recovered_to_a_point_in_time(tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    with running_server() as server:
        beside = Path(server.address("").partition("host=")[2]).parent
        archive, backup = beside / "archive", beside / "backup"
        archive.mkdir()
        server.give(archive)
        server.run("ALTER SYSTEM SET archive_mode = on")
        server.run(f"ALTER SYSTEM SET archive_command = 'cp %p {archive}/%f'")
        server.stop()
        server.start()
        server.tool("pg_basebackup", f"--pgdata={backup}", f"--dbname={server.address('postgres')}")
        server.run("CREATE DATABASE pumps ENCODING 'UTF8' TEMPLATE template0")
        with Library.open(DatabaseAddress(server.address("pumps")), overrides=WORDS) as library:
            library.ingest([write(documents, "pump.txt", "The pump holds 12 litres.")])
            state = library.catalog.state()
            server.run("SELECT pg_create_restore_point('before')")
            library.remove([documents / "pump.txt"])
            assert not library.ask(QUESTION).citations
        server.stop()  # All that is left is the backup and the archive.
        recovered = TestServer(with_recovery(backup, archive, server))
        wait_for_promotion(recovered.address("postgres"))  # The other one is made by the archive.
        address = DatabaseAddress(recovered.address("pumps"))
        with Library.open(address, create=False, overrides=WORDS) as library:
            assert library.catalog.state() == state
            assert cited(library) == ["The pump holds 12 litres."]
        recovered.stop()


def with_recovery(backup: Path, archive: Path, server: TestServer) -> Path:
    """The backup, so that a server on it goes on with the archive up to the named point."""
    for left in backup.glob(".s.PGSQL*"):  # This server keeps its socket among its data.
        left.unlink()
    (backup / "recovery.signal").touch()
    with (backup / "postgresql.auto.conf").open("a") as settings:
        settings.write(
            f"restore_command = 'cp {archive}/%f %p'\nrecovery_target_name = 'before'\n"
            "recovery_target_action = 'promote'\narchive_mode = off\n"
        )
    server.give(backup)
    return backup


def wait_for_promotion(url: str) -> None:
    """Wait until the recovered server accepts changes."""
    import psycopg

    until = time.monotonic() + 300
    while time.monotonic() < until:
        with psycopg.connect(url) as connection:
            (is_in_recovery,) = connection.execute("SELECT pg_is_in_recovery()").fetchone() or (1,)
        if not is_in_recovery:
            return
        time.sleep(0.1)
    raise TimeoutError
