from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pincite.index.dense_faiss import FaissIndex
from pincite.testing.contracts import DenseIndexContract
from pincite.vectors import normalised

RANDOM = np.random.default_rng(7)
VECTORS = normalised(RANDOM.standard_normal((300, 16))).astype(np.float32)
KEYS = [int(key) for key in RANDOM.permutation(10_000)[:300]]


def filled() -> FaissIndex:
    index = FaissIndex(16)
    index.add(KEYS[:120], VECTORS[:120])
    index.add(KEYS[120:], VECTORS[120:])
    return index


class TestFaissIndex(DenseIndexContract):
    @pytest.fixture
    def dense(self) -> FaissIndex:
        return filled()

    @pytest.fixture
    def keys(self) -> list[int]:
        return KEYS

    @pytest.fixture
    def vectors(self) -> np.ndarray:
        return VECTORS


def found(index: FaissIndex, row: int) -> list[tuple[int, float]]:
    return [(item.key, item.score) for item in index.search(VECTORS[row], limit=400)]


def test_removed_ranges_are_gone_and_the_rest_is_as_before() -> None:
    index = filled()
    before = found(index, 0)
    index.remove([(0, 1_999), (5_000, 5_000), (7_000, 8_000)])
    kept = [
        (key, score)
        for key, score in before
        if not (key <= 1_999 or key == 5_000 or 7_000 <= key <= 8_000)
    ]
    assert 0 < len(kept) < len(before)
    assert found(index, 0) == kept
    assert len(index) == len(kept)


def test_both_ends_of_a_removed_range_go() -> None:
    index = FaissIndex(16)
    index.add([4, 5, 6, 7], VECTORS[:4])
    index.remove([(5, 6)])
    assert {key for key, _ in found(index, 0)} == {4, 7}


def test_an_index_comes_back_from_a_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "ünï 水 #1.faiss"
    path.write_bytes(filled().serialised())
    loaded = FaissIndex.load(path)
    assert found(loaded, 3) == found(filled(), 3)
    loaded.add([99_999], VECTORS[3:4])
    assert 99_999 in [key for key, _ in found(loaded, 3)[:2]]


@pytest.mark.parametrize("content", [b"", b"garbage", filled().serialised()[:999]])
def test_a_damaged_file_raises_what_the_index_folder_expects(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises((OSError, RuntimeError)):
        FaissIndex.load(tmp_path / "x")


def test_an_empty_index_finds_nothing() -> None:
    index = FaissIndex(16)
    index.add([], VECTORS[:0])
    index.remove([(1, 5)])
    assert index.search(VECTORS[0], limit=5) == []


def test_fewer_passages_than_asked_for_are_given_once() -> None:
    index = FaissIndex(16)
    index.add([1, 2], VECTORS[:2])
    assert [key for key, _ in found(index, 0)] == [1, 2]
    assert [s.key for s in index.search(VECTORS[0], limit=9, allowed=[2, 77])] == [2]
