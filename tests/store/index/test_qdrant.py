"""The vectors of a library on a Qdrant server: Qdrant's own engine behind its published interface."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pincite.errors import LibraryBusy, LibraryError, LibraryUnreachable
from pincite.records.addresses import DatabaseAddress
from pincite.records.filters import Filters, Scope
from pincite.settings.groups import DenseSettings
from pincite.store.catalog.catalog import Catalog
from pincite.store.index.dense_engine import Engine
from pincite.store.index.dense_qdrant import API_KEY, QdrantIndex
from pincite.store.index.indexes import Indexes, IndexFolder
from pincite.testing.contracts import DenseIndexContract
from pincite.testing.fakes import FakeEncoder
from pincite.testing.samples import ingested
from tests.qdrant_server import QdrantServer, running_qdrant
from tests.store.index.test_pgvector import VECTORS, fill

ENCODER = FakeEncoder()
ENGINE = Engine(kind="qdrant", links=16, build_depth=100)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[QdrantServer]:
    with running_qdrant(tmp_path / "qdrant") as running:
        yield running


def opened(catalog: Catalog, server: QdrantServer, **changes: Any) -> QdrantIndex:
    chosen = DenseSettings(engine="qdrant", url=server.url).model_copy(update=changes)
    return QdrantIndex(catalog, ENGINE, model=ENCODER.name, dimensions=64, chosen=chosen)


def index_folder(folder: Path, server: QdrantServer, **changes: Any) -> IndexFolder:
    folder.mkdir(exist_ok=True)
    chosen = DenseSettings.model_validate({"engine": "qdrant", "url": server.url} | changes)
    return IndexFolder(folder, model=ENCODER.name, dimensions=64, dense=chosen)


def dense_of(indexes: Indexes) -> QdrantIndex:
    assert isinstance(indexes.dense, QdrantIndex)
    return indexes.dense


def keys_of(index: QdrantIndex, collection: str | None = None) -> set[int]:
    scope = Scope.of(collection, Filters())
    return {item.key for item in index.search(VECTORS[0], limit=5_000, scope=scope)}


def assert_as_in(catalog: Catalog, index: QdrantIndex) -> None:
    """Whether the index has each passage, with its own vector."""
    keys, rows = catalog.vectors(catalog.passage_keys(), model=ENCODER.name, dimensions=64)
    assert keys_of(index) == set(keys)
    for key, row in zip(keys, rows, strict=True):
        (found,) = index.search(row, limit=1, scope=Scope(keys=(key,)))
        assert found.score == pytest.approx(1, abs=0.002)


@pytest.fixture(scope="module")
def shared(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[QdrantIndex, list[int], QdrantServer]]:
    folder = tmp_path_factory.mktemp("qdrant")
    with running_qdrant(folder / "server") as server:
        catalog = Catalog(folder / "catalog")
        keys = fill(catalog)
        index = opened(catalog, server)
        with index.being_made():
            index.add(keys[:100], VECTORS[:100])
        index.add(keys[100:], VECTORS[100:])
        assert len(index) == len(keys) == len(VECTORS)
        yield index, keys, server
        catalog.close()


class TestQdrant(DenseIndexContract):
    lost = 0.1

    @pytest.fixture
    def dense(self, shared: tuple[QdrantIndex, list[int], QdrantServer]) -> QdrantIndex:
        return shared[0]

    @pytest.fixture
    def keys(self, shared: tuple[QdrantIndex, list[int], QdrantServer]) -> list[int]:
        return shared[1]

    @pytest.fixture
    def vectors(self) -> np.ndarray:
        return VECTORS

    def test_the_vectors_have_a_graph(
        self, shared: tuple[QdrantIndex, list[int], QdrantServer]
    ) -> None:
        """Otherwise the tests of this class would compare all."""
        index, _, server = shared
        shard = server.collections[index.collection].shard
        assert shard.info().indexed_vectors_count == len(VECTORS)

    def test_qdrants_own_client_reads_the_index(
        self, shared: tuple[QdrantIndex, list[int], QdrantServer]
    ) -> None:
        """So the server of these tests speaks as that client expects."""
        from qdrant_client import QdrantClient

        index, keys, server = shared
        client = QdrantClient(url=server.url, check_compatibility=False)
        assert [one.alias_name for one in client.get_aliases().aliases] == [index.name]
        assert client.count(index.name).count == len(keys)
        found = client.query_points(index.name, query=VECTORS[5].tolist(), limit=3).points
        assert [one.id for one in found] == [i.key for i in index.search(VECTORS[5], limit=3)]
        (point,) = client.retrieve(index.collection, [keys[0]])
        assert point.payload is not None
        assert point.payload["collections"] == ["even"]
        client.close()


def test_adding_twice_and_removing_what_is_not_there_change_nothing(
    catalog: Catalog, server: QdrantServer
) -> None:
    keys = fill(catalog, 2)
    index = opened(catalog, server)
    for _ in range(2):
        with index.being_made():
            index.add(keys, VECTORS[: len(keys)])
        index.remove([(10**6, 10**6 + 3)])
        index.add([10**6], VECTORS[:1])  # Of no passage.
    assert len(index) == len(keys)
    index.remove([(keys[3], keys[5]), (keys[3], keys[4])])
    assert keys_of(index) == set(keys) - set(keys[3:6])
    assert index.missing(keys) == keys[3:6]


def test_two_hosts_keep_one_index(catalog: Catalog, server: QdrantServer, tmp_path: Path) -> None:
    fill(catalog, 2)
    one, other = (index_folder(tmp_path / name, server) for name in ("one", "other"))
    here, there = one.rebuild(catalog), other.rebuild(catalog)
    assert dense_of(here).collection == dense_of(there).collection
    catalog.put("new", ingested("n.txt", "A new line.", encoder=ENCODER), recipe="r")
    catalog.remove("even", "0.txt")
    for folder, indexes in ((one, here), (other, there), (one, here)):
        assert_as_in(catalog, dense_of(folder.update(catalog, indexes)))
    found, why_not = other.load(catalog)
    assert (found is not None, why_not) == (True, "")
    assert not list((tmp_path / "one").glob("*.faiss"))


def test_a_document_in_another_collection_is_found_there(
    catalog: Catalog, server: QdrantServer, tmp_path: Path
) -> None:
    fill(catalog, 2)
    folder = index_folder(tmp_path / "index", server)
    indexes = folder.rebuild(catalog)
    even, odd = (keys_of(dense_of(indexes), name) for name in ("even", "odd"))
    text = "\n".join(f"# Part {part}\nLine {part} of 0." for part in range(30))
    catalog.put("odd", ingested("0.txt", text, encoder=ENCODER), recipe="r")
    indexes = folder.update(catalog, indexes)
    assert keys_of(dense_of(indexes), "odd") == even | odd
    assert keys_of(dense_of(indexes), "even") == even
    catalog.remove("even", "0.txt")
    assert keys_of(dense_of(indexes), "even") == set(), "the rights are those of this moment"
    indexes = folder.update(catalog, indexes)
    assert keys_of(dense_of(indexes), "odd") == even | odd
    held = server.collections[dense_of(indexes).collection].shard.retrieve([*even], True, False)
    assert {tuple(point.payload["collections"]) for point in held} == {("odd",)}


def test_what_another_host_did_not_finish_is_made_up_for(
    catalog: Catalog, server: QdrantServer, tmp_path: Path
) -> None:
    """A new host compares all with the catalog: collections too, and passages that are gone."""
    fill(catalog, 3)
    index_folder(tmp_path / "lost", server).rebuild(catalog)
    text = "\n".join(f"# Part {part}\nLine {part} of 0." for part in range(30))
    catalog.put("odd", ingested("0.txt", text, encoder=ENCODER), recipe="r")
    catalog.remove("odd", "1.txt")
    made = dense_of(index_folder(tmp_path / "new", server).rebuild(catalog))
    assert_as_in(catalog, made)
    assert keys_of(made, "odd") == set(catalog.passage_keys()[:30])


def test_a_restored_library_has_its_own_vectors_again(server: QdrantServer, tmp_path: Path) -> None:
    """Its keys are given again, to other passages than those that the server knows by them."""
    path = tmp_path / "catalog.sqlite3"
    catalog = Catalog(path)
    fill(catalog, 1)
    catalog.close()
    shutil.copy(path, tmp_path / "backup")
    catalog = Catalog(path)
    catalog.put("even", ingested("lost.txt", "One line.\n\nTwo.", encoder=ENCODER), recipe="r")
    folder = index_folder(tmp_path / "index", server)
    folder.rebuild(catalog)
    lost = catalog.passage_keys()
    catalog.close()
    shutil.copy(tmp_path / "backup", path)
    catalog = Catalog(path)
    catalog.put("even", ingested("new.txt", "Other words.", encoder=ENCODER), recipe="r")
    assert set(catalog.passage_keys()) <= set(lost)
    assert_as_in(catalog, dense_of(folder.rebuild(catalog)))
    catalog.close()


def test_an_index_that_was_begun_and_left_is_not_searched_and_is_finished(
    catalog: Catalog, server: QdrantServer, tmp_path: Path
) -> None:
    """By a process that the system ended in the middle of its second request with vectors."""
    fill(catalog, 3)
    program = (
        "import sys; from pathlib import Path; from pincite.store.catalog.catalog import Catalog\n"
        "from pincite.store.index import dense_qdrant\n"
        "from tests.store.index.test_qdrant import QdrantServer, index_folder\n"
        "dense_qdrant._NUMBERS_AT_ONCE = 64 * 20\n"
        "place = QdrantServer(folder=Path(), url=sys.argv[2])\n"
        "index_folder(Path(sys.argv[1]) / 'killed', place).rebuild(Catalog(Path(sys.argv[3])))\n"
    )
    seen = list[str]()

    def end_it(method: str, path: str) -> None:
        seen.append(f"{method} {path.rpartition('/')[2]}")
        if seen.count("PUT points") == 2:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()

    server.before = end_it
    command = [sys.executable, "-c", program, tmp_path, server.url, tmp_path / "catalog"]
    process = subprocess.Popen([*map(str, command)])
    assert process.wait() == -signal.SIGKILL
    server.before = lambda method, path: None
    index = opened(catalog, server)
    assert not index.is_there()
    assert len(index) == 40, "the server finishes what it was asked"
    server.asked.clear()
    made = dense_of(index_folder(tmp_path / "index", server).rebuild(catalog))
    sent = [
        body for method, path, body in server.asked if (method, path[-7:]) == ("PUT", "/points")
    ]
    assert sum(len(body["batch"]["ids"]) for body in sent) == 50
    assert_as_in(catalog, made)


def test_another_setting_makes_another_index_and_the_old_one_goes(
    catalog: Catalog, server: QdrantServer, tmp_path: Path
) -> None:
    fill(catalog, 1)
    old = dense_of(index_folder(tmp_path / "index", server).rebuild(catalog))
    new = dense_of(index_folder(tmp_path / "index", server, m=8).rebuild(catalog))
    assert new.is_there()
    assert not old.is_there()
    assert list(server.collections) == [new.collection]
    with pytest.raises(LibraryBusy, match="is being replaced; ask again"):
        old.search(VECTORS[0], limit=3)


def test_libraries_on_one_server_do_not_touch_each_other(
    catalog: Catalog, server: QdrantServer, tmp_path: Path
) -> None:
    fill(catalog, 1)
    other = Catalog(tmp_path / "other.sqlite3")
    fill(other, 2)
    one = dense_of(index_folder(tmp_path / "one", server).rebuild(catalog))
    two = dense_of(index_folder(tmp_path / "two", server).rebuild(other))
    assert (len(one), len(two)) == (30, 60)
    other.close()


def test_while_a_host_makes_it_others_wait(
    database: DatabaseAddress, server: QdrantServer, tmp_path: Path
) -> None:
    catalog = Catalog(database)
    fill(catalog, 1)
    index = opened(catalog, server)
    with index.being_made(), pytest.raises(LibraryBusy, match="another host is building the index"):
        index_folder(tmp_path / "index", server).rebuild(catalog)
    catalog.close()


class TestErrors:
    """Each is one line that says what to do next."""

    def refused(self, catalog: Catalog, server: QdrantServer, **changes: Any) -> str:
        with pytest.raises(LibraryError) as told:
            opened(catalog, server, **changes).is_there()
        assert "\n" not in str(told.value)
        return str(told.value)

    def test_a_server_that_is_away(
        self, catalog: Catalog, server: QdrantServer, tmp_path: Path
    ) -> None:
        """Nothing is built again, and it works again when the server is back."""
        fill(catalog, 1)
        folder = index_folder(tmp_path / "index", server)
        folder.rebuild(catalog)
        away = index_folder(tmp_path / "index", replace(server, url="http://127.0.0.1:9"))
        with pytest.raises(LibraryUnreachable, match=r"Qdrant at .*: is the server running\?"):
            away.load(catalog)
        assert folder.load(catalog)[1] == ""

    def test_a_key(
        self, catalog: Catalog, server: QdrantServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server.key = "right"
        told = self.refused(catalog, server)
        assert told.endswith(f"set the key in the environment as {API_KEY}")
        monkeypatch.setenv(API_KEY, "wrong")
        assert "answered 401: Must provide an API key" in self.refused(catalog, server)
        monkeypatch.setenv(API_KEY, "right")
        assert not opened(catalog, server).is_there()
        told = self.refused(catalog, server, url="http://qdrant.example:6333")
        assert "would travel in clear text; use https" in told

    def test_a_version(self, catalog: Catalog, server: QdrantServer) -> None:
        server.version = "1.9.7"
        told = self.refused(catalog, server)
        assert told.endswith("is version 1.9.7; 1.12 or newer is needed: update it")

    def test_an_address(self, catalog: Catalog, server: QdrantServer) -> None:
        assert "set dense.url" in self.refused(catalog, server, url="")
        assert "expected http" in self.refused(catalog, server, url="qdrant:6333")
        secret = self.refused(catalog, server, url="http://me:secret@127.0.0.1")
        assert API_KEY in secret
        assert "secret" not in secret
        server.version = "of something else"
        assert "not as Qdrant does: check dense.url" in self.refused(catalog, server)

    def test_other_dimensions(self, catalog: Catalog, server: QdrantServer) -> None:
        index = opened(catalog, server)
        vectors = {"size": 32, "distance": "Dot"}
        made = {"vectors": vectors, "hnsw_config": {"m": 16, "ef_construct": 100}}
        server.answer("PUT", f"/collections/{index.collection}", made, "")
        with (
            pytest.raises(
                LibraryError, match=r"has vectors of 32 numbers; 64 were expected: delete"
            ),
            index.being_made(),
        ):
            raise AssertionError("it was begun")


def test_a_foreign_index_folder_names_no_server(
    catalog: Catalog, server: QdrantServer, tmp_path: Path
) -> None:
    """Its manifest says qdrant; the settings of this user have an address, and another engine."""
    fill(catalog, 1)
    index_folder(tmp_path / "index", server).rebuild(catalog)
    server.asked.clear()
    found, why_not = index_folder(tmp_path / "index", server, engine="auto").load(catalog)
    assert found is None
    assert "and dense.engine is another" in why_not
    assert server.asked == []
