from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from pincite import Library
from pincite.library.encoders import VectorCheck

TEXTS = {
    "valve": "The valve opens at 30 bar. It closes within three seconds.",
    "tomato": "Tomatoes like a soil pH of 6.5. Water them in the morning.",
    "ferry": "The ferry to Bergen leaves at nine. Tickets are sold on board.",
}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    (tmp_path / "files").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "files" / f"{name}.txt").write_text(text)
    opened = Library.open(tmp_path / "library")
    opened.ingest([tmp_path / "files"])
    return opened


def spoil(library: Library, vectors: dict[str, bytes]) -> None:
    """Put other bytes in the place of the vectors of documents."""
    with sqlite3.connect(library.path / "catalog.sqlite3") as catalog:
        for name, vector in vectors.items():
            catalog.execute(
                "UPDATE embeddings SET vector = ? WHERE key = (SELECT embedding_key FROM passages"
                " JOIN sources USING (document_id) WHERE path LIKE ?)",
                (vector, f"%{name}.txt"),
            )


def test_stored_vectors_are_what_the_encoder_gives(library: Library) -> None:
    assert library.check_vectors() == VectorCheck(checked=3, alike=3, problems=())
    assert library.check_vectors(sample=2).checked == 2


def test_what_is_another_vector_or_none_is_told(library: Library) -> None:
    encoder = library.encoder()
    assert encoder is not None
    (other,) = encoder.encode(["something else"])
    spoil(library, {"valve": other.vector.astype(np.float32).tobytes(), "tomato": b"none"})
    check = library.check_vectors()
    assert (check.checked, check.alike) == (3, 1)
    told = " ".join(check.problems)
    assert "valve.txt" in told
    assert "tomato.txt" in told
    assert "remove the file and ingest it again" in told


@pytest.mark.parametrize("number", [0.0, np.nan])
def test_no_number_is_not_alike(library: Library, number: float) -> None:
    spoil(library, {"valve": np.full(384, number, dtype=np.float32).tobytes()})
    assert library.check_vectors().alike == 2


def test_a_file_that_is_removed_and_ingested_again_has_its_vector_again(library: Library) -> None:
    spoil(library, {"valve": bytes(4 * 384)})
    files = library.path.parent / "files"
    library.remove([files / "valve.txt"])
    library.ingest([files])
    assert library.check_vectors() == VectorCheck(checked=3, alike=3, problems=())


def test_without_an_encoder_nothing_is_checked(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", overrides={"embedding": {"model": "none"}}) as opened:
        assert opened.check_vectors() == VectorCheck(checked=0, alike=0, problems=())
