"""Programs of two versions use one catalog: the older go on while a newer has added to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection

from pincite.errors import LibraryBusy, LibraryTooNew
from pincite.library.migrate import migrate_library
from pincite.records.addresses import DatabaseAddress
from pincite.store.catalog import catalog as catalog_module
from pincite.store.catalog import migrations
from pincite.store.catalog.catalog import Catalog
from pincite.store.catalog.migrations import Step
from pincite.testing.samples import ingested
from tests.store.catalog.places import Place


def add(connection: Connection) -> None:
    connection.exec_driver_sql("ALTER TABLE documents ADD COLUMN later TEXT NOT NULL DEFAULT 'x'")
    connection.exec_driver_sql("CREATE TABLE later (id INTEGER PRIMARY KEY)")


def take_away(connection: Connection) -> None:
    connection.exec_driver_sql("ALTER TABLE feedback DROP COLUMN comment")


ADDING, REMOVING = Step(add, only_adds=True), Step(take_away)


@contextmanager
def newer_program(monkeypatch: pytest.MonkeyPatch, *steps: Step) -> Iterator[None]:
    """Within the block this program has more steps."""
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "STEPS", (*migrations.STEPS, *steps))
        patch.setattr(migrations, "NEWEST", migrations.NEWEST + len(steps))
        yield


@pytest.fixture
def upgrade(monkeypatch: pytest.MonkeyPatch, place: Place) -> Callable[..., None]:
    """Open the catalog with a program that has these steps."""

    def run(*steps: Step) -> None:
        with newer_program(monkeypatch, *steps):
            Catalog(place).close()

    return run


def text_of(catalog: Catalog) -> dict[str, str]:
    return {name: catalog.document(name).text for name in catalog.recipes()}


def test_a_running_and_a_restarted_older_program_read_and_write_on(
    place: Place, upgrade: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    running = Catalog(place)
    running.put("c", ingested("a.txt", "It opens at 350 bar."), recipe="r")
    assert len(text_of(running)) == 1
    upgrade(ADDING)
    running.put("c", ingested("b.txt", "It closes at 300 bar."), recipe="r")
    restarted = Catalog(place)
    restarted.put("c", ingested("c.txt", "It leaks."), recipe="r")
    assert text_of(running) == text_of(restarted)
    assert sorted(text_of(running).values()) == [
        "It closes at 300 bar.", "It leaks.", "It opens at 350 bar."
    ]  # fmt: skip
    with newer_program(monkeypatch, ADDING):
        newer = Catalog(place)
    with newer.store.transaction() as connection:
        found = connection.exec_driver_sql("SELECT later FROM documents").scalars().all()
    assert found == ["x", "x", "x"]
    for catalog in (running, restarted, newer):
        catalog.close()


def test_one_snapshot_shows_the_same_before_and_after(
    place: Place, upgrade: Callable[..., None]
) -> None:
    running = Catalog(place)
    running.put("c", ingested("a.txt", "It opens at 350 bar."), recipe="r")
    with running.frozen():
        before = running.generation()
        upgrade(ADDING)
        assert running.generation() == before
        assert list(text_of(running).values()) == ["It opens at 350 bar."]
    running.close()


def test_an_older_program_is_told_when_it_can_no_longer_use_the_catalog(
    place: Place, upgrade: Callable[..., None]
) -> None:
    running = Catalog(place)
    upgrade(ADDING, REMOVING)
    told = f"format {migrations.NEWEST + 2}.*up to {migrations.NEWEST}"
    with pytest.raises(LibraryTooNew, match=told):
        running.generation()
    with pytest.raises(LibraryTooNew, match=told):
        Catalog(place)
    running.close()


def test_each_addition_is_made_once(
    place: Place, upgrade: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    Catalog(place).close()
    upgrade(ADDING)
    upgrade(ADDING)
    upgrade(ADDING, REMOVING)
    with newer_program(monkeypatch, ADDING, REMOVING):
        catalog = Catalog(place)
        assert catalog.meta("schema_version") == str(migrations.NEWEST)
        assert catalog.meta("applied_version") == str(migrations.NEWEST)
        catalog.close()


def test_a_catalog_of_an_older_release_has_no_row_for_its_last_step(place: Place) -> None:
    older = Catalog(place)
    with older.store.transaction(writes=True) as connection:
        connection.exec_driver_sql("DELETE FROM meta WHERE name = 'applied_version'")
        connection.exec_driver_sql(
            f"UPDATE meta SET value = '{migrations.NEWEST}' WHERE name = 'schema_version'"
        )
        assert not migrations.versions_of(connection).is_behind
    older.close()
    Catalog(place).close()


def test_an_older_program_does_not_copy_what_it_does_not_know(
    place: Place, upgrade: Callable[..., None], tmp_path: Path
) -> None:
    Catalog(place).close()
    upgrade(ADDING)
    source = place if isinstance(place, DatabaseAddress) else place.parent
    if isinstance(source, Path):
        place.rename(source / "catalog.sqlite3")
    with pytest.raises(LibraryTooNew, match="copy it with the newer one"):
        migrate_library(source, tmp_path / "copy")


def test_an_upgrade_gives_way_to_a_question_that_is_still_reading(
    database: DatabaseAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    running, other = Catalog(database), Catalog(database)
    running.put("c", ingested("a.txt", "It opens at 350 bar."), recipe="r")
    monkeypatch.setattr(catalog_module, "_MIGRATING_SECONDS", 0)
    with newer_program(monkeypatch, ADDING):
        with running.frozen():
            text_of(running)
            with pytest.raises(LibraryBusy):
                Catalog(database)
            assert text_of(other) == text_of(running)
        Catalog(database).close()
    assert text_of(other) == text_of(running)
    for catalog in (running, other):
        catalog.close()
