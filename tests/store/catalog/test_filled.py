"""Vectors that passages get later than they were stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite import Library
from pincite.library import folder_sync
from pincite.store.catalog.encodings import _ranges


@pytest.mark.parametrize(
    ("keys", "ranges"),
    [([], []), ([7], [(7, 7)]), ([1, 2, 3, 7, 8, 10], [(1, 3), (7, 8), (10, 10)])],
)
def test_keys_are_kept_as_ranges(keys: list[int], ranges: list[tuple[int, int]]) -> None:
    assert _ranges(keys) == ranges


def test_the_index_takes_up_vectors_that_came_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_sync, "_ENCODING_SECONDS", 0.0)
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(f"The tank {number} holds {number + 5} litres.\n")
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "0.txt", tmp_path / "1.txt"])
        between = library.catalog.generation()
        library.ingest([tmp_path / "2.txt"])
        first, second, third = library.catalog.passage_keys()
        assert library.catalog.filled_since(-1) == [first, second, third]
        assert library.catalog.filled_since(between) == [third]
        assert library.catalog.filled_since(library.catalog.generation()) == []
        indexes, problem = library.index_state()
        assert indexes is not None, problem
        assert len(indexes.dense) == len(indexes.lexical) == 3
        library.remove([tmp_path / "1.txt"])
        left, _ = library.index_state()
        assert left is not None
        assert len(left.dense) == 2
