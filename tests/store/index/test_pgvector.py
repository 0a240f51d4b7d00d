"""The vectors of a library in PostgreSQL, in one index for all its hosts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pincite.errors import LibraryBusy, LibraryError
from pincite.models.vectors import normalised
from pincite.records.addresses import DatabaseAddress
from pincite.records.filters import Filters, Scope
from pincite.settings.groups import DenseSettings
from pincite.store.catalog.catalog import Catalog
from pincite.store.index import dense_pgvector
from pincite.store.index.dense_engine import Engine
from pincite.store.index.dense_pgvector import PgvectorIndex
from pincite.store.index.indexes import Indexes, IndexFolder
from pincite.testing.contracts import DenseIndexContract
from pincite.testing.fakes import FakeEncoder
from pincite.testing.samples import ingested

ENCODER = FakeEncoder()
ENGINE = Engine(kind="pgvector", links=16, build_depth=100)
RANDOM = np.random.default_rng(7)
VECTORS = normalised(
    RANDOM.standard_normal((30, 64))[RANDOM.integers(0, 30, 600)]
    + RANDOM.standard_normal((600, 64))
).astype(np.float32)
DOCUMENTS = 20


@pytest.fixture
def catalog(database: DatabaseAddress) -> Iterator[Catalog]:
    opened = Catalog(database)
    yield opened
    opened.close()


def fill(catalog: Catalog, documents: int = DOCUMENTS) -> list[int]:
    """Documents of 30 passages in two collections; the keys of their passages."""
    for number in range(documents):
        lines = "\n".join(f"# Part {part}\nLine {part} of {number}." for part in range(30))
        item = ingested(f"{number}.txt", lines, encoder=ENCODER)
        catalog.put("even" if number % 2 == 0 else "odd", item, recipe="r")
    return catalog.passage_keys()


def index_folder(folder: Path, **changes: object) -> IndexFolder:
    folder.mkdir(exist_ok=True)
    chosen = DenseSettings(engine="pgvector", **changes)  # type: ignore[arg-type]
    return IndexFolder(folder, model=ENCODER.name, dimensions=64, dense=chosen)


def keys_of(index: PgvectorIndex, scope: Scope | None = None) -> set[int]:
    found = index.search(VECTORS[0], limit=5_000, scope=scope or Scope())
    return {item.key for item in found}


class TestPgvector(DenseIndexContract):
    lost = 0.1

    @pytest.fixture
    def keys(self, catalog: Catalog) -> list[int]:
        return fill(catalog)

    @pytest.fixture
    def vectors(self) -> np.ndarray:
        return VECTORS

    @pytest.fixture
    def dense(self, catalog: Catalog, keys: list[int]) -> PgvectorIndex:
        index = PgvectorIndex(catalog, ENGINE, model="random", dimensions=64)
        with index.being_made():
            index.add(keys[:100], VECTORS[:100])
        index.add(keys[100:], VECTORS[100:])
        assert len(index) == len(keys) == len(VECTORS)
        return index

    @pytest.mark.parametrize("walked", [1, 40_000])
    def test_a_collection_gives_as_many_as_asked_for_however_far_they_are(
        self, dense: PgvectorIndex, catalog: Catalog, monkeypatch: pytest.MonkeyPatch, walked: int
    ) -> None:
        """Also where the walk through the graph ends before."""
        monkeypatch.setattr(dense_pgvector, "_WALKED_AT_MOST", walked)
        scope = Scope.of("odd", Filters())
        members = set(catalog.keys_in(scope).tolist())  # type: ignore[union-attr]
        for row in VECTORS[:5]:
            found = dense.search(row, limit=250, scope=scope)
            assert len(found) == 250
            assert {item.key for item in found} <= members
        assert keys_of(dense, scope) == members


def test_scores_differ_in_the_fourth_decimal(catalog: Catalog, tmp_path: Path) -> None:
    keys = fill(catalog, 1)
    rows = catalog.vectors(keys, model=ENCODER.name, dimensions=64)[1]
    asked = ENCODER.encode_question("Line 3 of 0.").vector
    exact = dict(zip(keys, (rows @ asked).tolist(), strict=True))
    made = index_folder(tmp_path / "index").rebuild(catalog).dense
    assert isinstance(made, PgvectorIndex)
    for item in made.search(asked, limit=30):
        assert abs(item.score - exact[item.key]) < 0.0005


def test_two_hosts_keep_one_index(catalog: Catalog, tmp_path: Path) -> None:
    fill(catalog, 2)
    one, other = index_folder(tmp_path / "one"), index_folder(tmp_path / "other")
    here, there = one.rebuild(catalog), other.rebuild(catalog)
    assert isinstance(here.dense, PgvectorIndex)
    assert isinstance(there.dense, PgvectorIndex)
    assert here.dense.table == there.dense.table
    catalog.put("new", ingested("n.txt", "A new line.", encoder=ENCODER), recipe="r")
    catalog.remove("even", "0.txt")
    for folder, indexes in ((one, here), (other, there), (one, here)):
        changed = folder.update(catalog, indexes)
        assert isinstance(changed.dense, PgvectorIndex)
        assert keys_of(changed.dense) == set(catalog.passage_keys())
    opened, why_not = other.load(catalog)
    assert (opened is not None, why_not) == (True, "")
    assert not list((tmp_path / "one").glob("*.faiss"))


def test_an_index_that_was_begun_and_left_is_not_searched_and_is_finished(
    catalog: Catalog, tmp_path: Path
) -> None:
    keys = fill(catalog, 2)
    index = PgvectorIndex(catalog, ENGINE, model=ENCODER.name, dimensions=64)
    with pytest.raises(KeyboardInterrupt), index.being_made():
        index.add(keys[:9], VECTORS[:9])
        raise KeyboardInterrupt
    assert not index.is_there()
    made = index_folder(tmp_path / "index").rebuild(catalog).dense
    assert isinstance(made, PgvectorIndex)
    assert keys_of(made) == set(keys)


def test_while_a_host_makes_it_others_wait(catalog: Catalog, tmp_path: Path) -> None:
    fill(catalog, 1)
    index = PgvectorIndex(catalog, ENGINE, model=ENCODER.name, dimensions=64)
    with index.being_made(), pytest.raises(LibraryBusy, match="another host is building the index"):
        index_folder(tmp_path / "index").rebuild(catalog)


def made_again(catalog: Catalog, folder: Path, **changes: object) -> Indexes:
    return index_folder(folder, **changes).rebuild(catalog)


def test_another_setting_makes_another_index_and_the_old_one_goes(
    catalog: Catalog, tmp_path: Path
) -> None:
    fill(catalog, 1)
    old = made_again(catalog, tmp_path / "index").dense
    new = made_again(catalog, tmp_path / "index", m=8).dense
    assert isinstance(old, PgvectorIndex)
    assert isinstance(new, PgvectorIndex)
    assert new.is_there()
    assert not old.is_there()
    with pytest.raises(LibraryBusy, match="is being replaced; ask again"):
        old.search(VECTORS[0], limit=3)


def test_a_library_in_a_folder_has_no_pgvector(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path / "catalog.sqlite3")
    with pytest.raises(LibraryError, match="is in a folder: give the address of a library in Post"):
        index_folder(tmp_path / "index").rebuild(catalog)
    catalog.close()


def test_without_the_extension_one_line_says_what_to_install(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dense_pgvector, "_EXTENSION", "vectors of another name")
    with pytest.raises(LibraryError, match="has no pgvector: install it there") as told:
        index_folder(tmp_path / "index").rebuild(catalog)
    assert "\n" not in str(told.value)
