from __future__ import annotations

import importlib.util
import io
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.models.vectors import normalised
from pincite.settings.groups import DenseSettings
from pincite.store.index import dense_faiss
from pincite.store.index.dense_chroma import ChromaIndex
from pincite.store.index.dense_engine import Effort, Engine, wanted_engine
from pincite.store.index.dense_faiss import FaissIndex
from pincite.store.index.dense_store import StoredVectors
from pincite.store.index.indexes import ScopedDense
from pincite.testing.contracts import DenseIndexContract

RANDOM = np.random.default_rng(7)
CENTRES = RANDOM.standard_normal((30, 64))
VECTORS = normalised(
    CENTRES[RANDOM.integers(0, 30, 600)] + RANDOM.standard_normal((600, 64))
).astype(np.float32)
KEYS = sorted(int(key) for key in RANDOM.permutation(10_000)[:600])

ENGINES = {
    "flat": Engine(kind="flat"),
    "sq8": Engine(kind="sq8"),
    "ivf": Engine(kind="ivf", lists=16),
    "hnsw": Engine(kind="hnsw", links=8, build_depth=40),
    "chroma": Engine(kind="chroma", links=16, build_depth=100, search_depth=100),
}
needs_chroma = pytest.mark.skipif(
    importlib.util.find_spec("chromadb") is None,
    reason="the extra pincite[chroma] is not installed",
)
EVERY = [
    pytest.param(kind, marks=needs_chroma if kind == "chroma" else ()) for kind in sorted(ENGINES)
]
Make = Callable[[], StoredVectors]


def faiss_index(kind: str) -> FaissIndex:
    index = FaissIndex(64, ENGINES[kind])
    index.effort = Effort(lists=8)
    index.train(VECTORS)
    return index


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[[str], StoredVectors]]:
    """Empty indexes by engine; Chroma's are closed in the end."""
    made: list[StoredVectors] = []

    def empty(kind: str) -> StoredVectors:
        if kind == "chroma":
            made.append(ChromaIndex(tmp_path / f"chroma{len(made)}", ENGINES[kind]))
        else:
            made.append(faiss_index(kind))
        return made[-1]

    yield empty
    for index in made:
        if isinstance(index, ChromaIndex):
            index.close()


def fill(index: StoredVectors) -> StoredVectors:
    index.add(KEYS[:120], VECTORS[:120])
    index.add(KEYS[120:], VECTORS[120:])
    return index


class _Filled(DenseIndexContract):
    kind: str

    @pytest.fixture
    def stored(self, make: Callable[[str], StoredVectors]) -> StoredVectors:
        return fill(make(self.kind))

    @pytest.fixture
    def dense(self, stored: StoredVectors) -> ScopedDense:
        return ScopedDense(stored, lambda scope: scope.keys)

    @pytest.fixture
    def keys(self) -> list[int]:
        return KEYS

    @pytest.fixture
    def vectors(self) -> np.ndarray:
        return VECTORS


class TestFlat(_Filled):
    kind = "flat"


class TestSq8(_Filled):
    kind = "sq8"
    lost = 0.05


class TestIvf(_Filled):
    kind = "ivf"
    lost = 0.1

    def test_no_more_is_given_than_there_is(
        self, stored: FaissIndex, dense: ScopedDense, keys: list[int], vectors: np.ndarray
    ) -> None:
        stored.effort = Effort(lists=16)
        super().test_no_more_is_given_than_there_is(dense, keys, vectors)


class TestHnsw(_Filled):
    kind = "hnsw"
    lost = 0.1


@needs_chroma
class TestChroma(_Filled):
    kind = "chroma"
    lost = 0.1


def found(index: StoredVectors, row: int) -> list[tuple[int, float]]:
    return [(item.key, item.score) for item in index.search(VECTORS[row], limit=50)]


def inside(key: int, ranges: list[tuple[int, int]]) -> bool:
    return any(first <= key <= last for first, last in ranges)


@pytest.mark.parametrize("kind", EVERY)
def test_removed_ranges_are_gone_and_the_rest_is_found_as_before(
    kind: str, make: Callable[[str], StoredVectors]
) -> None:
    index = fill(make(kind))
    ranges = [(0, 999), (KEYS[300], KEYS[300]), (7_000, 7_500)]
    left = [key for key in KEYS if not inside(key, ranges)]
    index.remove(ranges)
    assert len(index) == len(left)
    for place, key in enumerate(KEYS[:400]):
        best = index.search(VECTORS[place], limit=1)[0]
        assert not inside(best.key, ranges)
        if key in left:
            assert best.key == key
    assert index.search(VECTORS[300], limit=3, allowed=[KEYS[300]]) == []


@pytest.mark.parametrize("kind", ["flat", "sq8"])
def test_many_ranges_are_removed_in_the_time_of_one(kind: str) -> None:
    vectors = np.ones((40_000, 64), dtype=np.float32)
    index = FaissIndex(64, ENGINES[kind])
    index.add(range(len(vectors)), vectors)
    begun = time.process_time()
    index.remove([(key, key) for key in range(0, len(vectors), 2)])
    assert time.process_time() - begun < 2
    assert len(index) == len(vectors) // 2


@pytest.mark.parametrize("kind", EVERY)
def test_both_ends_of_a_removed_range_go_and_may_come_back(
    kind: str, make: Callable[[str], StoredVectors]
) -> None:
    index = make(kind)
    index.add([4, 5, 6, 7], VECTORS[:4])
    index.remove([(5, 6)])
    assert {key for key, _ in found(index, 0)} == {4, 7}
    index.add([8], VECTORS[2:3])
    assert found(index, 2)[0][0] == 8


@pytest.mark.parametrize("kind", EVERY)
def test_an_empty_index_finds_nothing(kind: str, make: Callable[[str], StoredVectors]) -> None:
    index = make(kind)
    index.add([], VECTORS[:0])
    index.remove([(1, 5)])
    assert len(index) == 0
    assert index.search(VECTORS[0], limit=5) == []
    assert index.search(VECTORS[0], limit=5, allowed=[1]) == []


@pytest.mark.parametrize("few", [30, 50, 200])
def test_allowed_vectors_outside_the_searched_lists_are_found_too(few: int) -> None:
    index = faiss_index("ivf")
    fill(index)
    index.effort = Effort(lists=1)
    nearest = np.argsort(-VECTORS @ VECTORS[0])
    farthest = sorted(KEYS[place] for place in nearest[-few:])
    found = index.search(VECTORS[0], limit=30, allowed=farthest)
    assert len(found) == 30
    assert {item.key for item in found} <= set(farthest)


def test_few_allowed_of_many_lists_are_looked_up_and_scored_as_by_a_scan(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    index = faiss_index("ivf")
    fill(index)
    untouched, few = content(index), KEYS[40:80:4]

    def within(keys: list[int]) -> list[tuple[int, float]]:
        found = index.search(VECTORS[44], limit=5, allowed=keys)
        return [(item.key, round(item.score, 5)) for item in found]

    scanned = within(few)
    monkeypatch.setattr(dense_faiss, "TAKEN_OUT_SHARE", 0.5)
    assert within(few) == scanned
    assert len(scanned) == 5
    assert scanned[0][0] == KEYS[44]
    assert within([*few, 10_001]) == scanned  # A passage without a vector.
    assert content(index) == untouched
    assert within(few) == scanned
    index.add([10_001], VECTORS[44:45])
    assert {key for key, _ in within([*few, 10_001])[:2]} == {KEYS[44], 10_001}
    index.remove([(KEYS[44], KEYS[44])])
    assert KEYS[44] not in [key for key, _ in within(few)]


@pytest.mark.parametrize("kind", ["flat", "sq8", "ivf", "hnsw"])
def test_an_index_comes_back_from_a_file_as_it_was(kind: str, tmp_path: Path) -> None:
    index = faiss_index(kind)
    fill(index)
    index.remove([(0, 500)])
    path = tmp_path / "ünï 水 #1.faiss"
    with path.open("wb") as file:
        index.write_to(file)
    loaded = FaissIndex.load(path, ENGINES[kind])
    loaded.effort = index.effort
    assert len(loaded) == len(index)
    assert found(loaded, 300) == found(index, 300)
    loaded.add([99_999], VECTORS[300:301])
    assert 99_999 in [key for key, _ in found(loaded, 300)[:2]]


@needs_chroma
def test_a_chroma_index_comes_back_from_its_folder_and_a_copy_leaves_it_alone(
    tmp_path: Path,
) -> None:
    first = ChromaIndex(tmp_path / "one", ENGINES["chroma"])
    fill(first)
    before = found(first, 3)
    copy = first.copy_to(tmp_path / "two")
    assert found(copy, 3) == before
    copy.remove([(0, 10_000)])
    copy.close()
    again = ChromaIndex(tmp_path / "one", ENGINES["chroma"])
    assert found(again, 3) == before
    again.close()


def content(index: FaissIndex) -> bytes:
    file = io.BytesIO()
    index.write_to(file)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["flat", "sq8", "ivf"])
def test_the_same_vectors_give_the_same_bytes(kind: str) -> None:
    one, other = faiss_index(kind), faiss_index(kind)
    fill(one), fill(other)
    assert content(one) == content(other)


@pytest.mark.parametrize("kind", ["flat", "sq8"])
@given(gone=st.lists(st.tuples(st.integers(0, 599), st.integers(0, 80)), max_size=4))
def test_what_was_added_and_removed_leaves_the_bytes_of_an_index_made_anew(
    kind: str, gone: list[tuple[int, int]]
) -> None:
    ranges = [(KEYS[first], KEYS[min(599, first + more)]) for first, more in gone]
    changed, fresh = faiss_index(kind), faiss_index(kind)
    fill(changed)
    changed.remove(ranges)
    kept = [place for place, key in enumerate(KEYS) if not inside(key, ranges)]
    fresh.add([KEYS[place] for place in kept], VECTORS[kept])
    assert content(changed) == content(fresh)


@pytest.mark.parametrize("trained_on", [0, 3])
def test_lists_of_a_library_with_too_few_vectors_to_cluster_find_them_all(trained_on: int) -> None:
    index = FaissIndex(64, Engine(kind="ivf", lists=16))
    index.train(VECTORS[:trained_on])
    index.add([1, 2, 3], VECTORS[:3])
    assert [index.search(row, limit=1)[0].key for row in VECTORS[:3]] == [1, 2, 3]
    assert len(index.search(VECTORS[0], limit=9)) == 3


def test_a_graph_with_many_removed_vectors_is_worn() -> None:
    index = faiss_index("hnsw")
    fill(index)
    index.remove([(0, KEYS[100])])
    assert not index.is_worn
    index.remove([(0, KEYS[200])])
    assert index.is_worn
    assert not faiss_index("hnsw").is_worn


@pytest.mark.parametrize("content", [b"", b"garbage", content(fill(faiss_index("flat")))[:999]])
def test_a_damaged_file_raises_what_the_index_folder_expects(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises((OSError, RuntimeError)):
        FaissIndex.load(tmp_path / "x")


@pytest.mark.parametrize(
    ("passages", "kind"),
    [(0, "flat"), (10_000, "flat"), (10_001, "sq8"), (300_000, "sq8"), (300_001, "ivf")],
)
def test_the_engine_follows_from_the_size(passages: int, kind: str) -> None:
    assert wanted_engine(DenseSettings(), passages).kind == kind


def test_a_setting_counts_more_than_the_size() -> None:
    wanted = wanted_engine(DenseSettings(engine="hnsw", m=24), 10)
    assert (wanted.kind, wanted.links) == ("hnsw", 24)
    assert wanted_engine(DenseSettings(engine="ivf", nlist=7), 10).lists == 7


def test_the_number_of_lists_grows_in_few_steps() -> None:
    lists = {wanted_engine(DenseSettings(engine="ivf"), n).lists for n in range(1, 10**6, 97)}
    assert lists == {16, 32, 64, 128, 256, 512, 1024, 2048}
