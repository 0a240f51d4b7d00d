from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from sqlalchemy import update

from pincite import Library, LibraryBusy, LibraryError, UsageError
from pincite.library.folder import Work, under_way
from pincite.library.migrate import MigrateProgress, migrate_library
from pincite.records.addresses import DatabaseAddress
from pincite.store.catalog import copying, schema
from pincite.store.catalog.catalog import Catalog
from pincite.store.catalog.conversations import KeptTurn
from pincite.store.catalog.feedback import Judgement

LEXICAL = {"embedding": {"model": "none"}}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with a row in every table."""
    tmp_path = tmp_path_factory.mktemp("original")
    documents = tmp_path / "documents"
    documents.mkdir()
    for name in ("pump", "valve", "gone"):
        (documents / f"{name}.txt").write_text(f"# {name}\nThe {name} holds 12 litres.\n")
    (documents / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    home = tmp_path / "library"
    home.mkdir()
    (home / "settings.toml").write_text("[chunking]\nmax_chars = 300\n")
    with Library.open(home) as library:
        library.ingest([documents], tags=["manual"])
        (documents / "gone.txt").unlink()
        (documents / "pump.txt").write_text("# pump\nThe pump holds 14 litres.\n")
        library.ingest([documents])
        catalog = library.catalog
        turn = KeptTurn(question="q\x00", read_as="q", answer={"é": [1.5]}, asked="2026")
        catalog.conversations.delete(catalog.conversations.begin(None, turn))
        catalog.conversations.begin("default", turn)
        catalog.history.keep({"citations": [], "text": "水"}, None)
        catalog.feedback.keep(Judgement(question="q", helpful=False, answer={"status": "x"}))
        with pytest.raises(KeyboardInterrupt), under_way(library.home.notes, Work(paths=("/x",))):
            raise KeyboardInterrupt
    return home


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "library"))


@pytest.fixture
def documents(original: Path) -> Path:
    return original.parent / "documents"


def test_all_goes_into_a_database_and_back(
    folder: Path, database: DatabaseAddress, tmp_path: Path
) -> None:
    there = migrate_library(folder, database)
    assert not [name for name, digest in there.tables.items() if not digest.rows]
    assert there.copied == sum(digest.rows for digest in there.tables.values())
    back = migrate_library(database, tmp_path / "back")
    assert (back.library_id, back.tables) == (there.library_id, there.tables)
    assert (tmp_path / "back/settings.toml").read_bytes() == (folder / "settings.toml").read_bytes()
    states = []
    for place in (folder, database, tmp_path / "back"):
        with Library.open(place) as library:
            assert library.settings.chunking.max_chars == 300
            asked = library.ask("How many litres does the pump hold?")
            cited = [(c.document, c.start, c.end, c.quote) for c in asked.citations]
            states.append((library.catalog.state(), asked.text, asked.reasons, cited))
            assert any("/x was interrupted" in reason for reason in asked.reasons)
            assert library.catalog.conversations.begin(None, _turn()) == 3
    assert states[0] == states[1] == states[2]


def _turn() -> KeptTurn:
    return KeptTurn(question="new", read_as="new", answer={}, asked="2026")


class Stopped(Exception):
    pass


@pytest.mark.parametrize("changes_meanwhile", [False, True])
def test_a_migration_that_was_stopped_goes_on(
    folder: Path,
    database: DatabaseAddress,
    monkeypatch: pytest.MonkeyPatch,
    documents: Path,
    changes_meanwhile: bool,
) -> None:
    monkeypatch.setattr(copying, "_BATCH_ROWS", 1)

    def stop(step: MigrateProgress) -> None:
        if step.table == "passages":
            raise Stopped

    with pytest.raises(Stopped):
        migrate_library(folder, database, progress=stop)
    with pytest.raises(LibraryError, match="run the same 'pincite migrate' again"):
        Library.open(database)
    if changes_meanwhile:
        with Library.open(folder) as library:
            library.remove([documents / "valve.txt"])
    report = migrate_library(folder, database)
    assert report.copied
    with Library.open(database) as moved, Library.open(folder) as library:
        assert moved.catalog.state() == library.catalog.state()
    assert migrate_library(folder, database).copied == 0


def test_another_library_is_left_alone(
    folder: Path, database: DatabaseAddress, documents: Path
) -> None:
    with Library.open(database, overrides=LEXICAL) as other:
        other.ingest([documents / "pump.txt"])
        before = other.catalog.state()
    with pytest.raises(LibraryError, match="holds another library"):
        migrate_library(folder, database)
    with pytest.raises(LibraryError, match="holds another library"):
        migrate_library(database, folder)
    with Library.open(database, create=False) as other:
        assert other.catalog.state() == before
    with pytest.raises(UsageError, match="the same place"):
        migrate_library(folder, folder)


def test_a_row_that_differs_is_found(folder: Path, database: DatabaseAddress) -> None:
    migrate_library(folder, database)
    catalog = Catalog(database)
    with catalog.store.transaction(writes=True) as connection:
        connection.execute(update(schema.passages).values(context="other"))
    catalog.close()
    with pytest.raises(LibraryError, match="table passages"):
        migrate_library(folder, database)


def test_nobody_ingests_meanwhile(folder: Path, database: DatabaseAddress, documents: Path) -> None:
    with Library.open(folder, overrides=LEXICAL) as library:

        def ingest(_: MigrateProgress) -> None:
            library.ingest([documents])

        with pytest.raises(LibraryBusy):
            migrate_library(folder, database, progress=ingest)
