"""txtai: an embeddings database with dense and BM25 indexes and stored content.

neuml.github.io/txtai/embeddings/configuration/general (`hybrid`) and .../database (`content`). The
encoder is the default for a local model folder: transformers with mean pooling. Given vectors come
in by the documented way for outside encoders, `method: external` with a function
(.../configuration/vectors).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from txtai import Embeddings
from txtai.vectors import VectorsFactory

from benchmarks.peers.collection import Passage
from benchmarks.peers.systems import Search


class Txtai:
    """Ids, texts and both indexes."""

    def __init__(self, weights: Path, *, own_vectors: bool) -> None:
        self._given: dict[str, Any] = {}
        # One cursor serves all searches: two at a time end in a ProgrammingError of SQLite.
        self._in_turn = ThreadPoolExecutor(1)
        if own_vectors:
            self._database = Embeddings(path=str(weights), hybrid=True, content=True)
            return
        encoder = VectorsFactory.create({"path": str(weights)})
        given = self._given

        def vectors_of(texts: list[str]) -> Any:
            if all(text in given for text in texts):
                return np.array([given[text] for text in texts])
            return encoder.encode(texts)

        self._database = Embeddings(
            method="external", transform=vectors_of, hybrid=True, content=True
        )

    def ingest(self, passages: Sequence[Passage], vectors: Any | None) -> None:
        """Everything at once, as its examples do."""
        if vectors is not None:
            texts = (passage.text for passage in passages)
            self._given.update(zip(texts, vectors, strict=True))
        self._database.index((passage.id, passage.text, None) for passage in passages)
        self._given.clear()

    def searches(self) -> Mapping[str, Search]:
        """Both, weighted by half each: its default."""
        return {"hybrid": self._search}

    def _search(self, text: str, depth: int) -> list[str]:
        found = self._in_turn.submit(self._database.search, text, depth).result()
        return [row["id"] for row in found]

    def measurements(self) -> dict[str, float]:
        """Nothing more."""
        return {}


def open_system(home: Path, weights: Path, *, own_vectors: bool) -> Txtai:
    """In memory, as in its examples; saving is a step of its own and not measured."""
    del home
    return Txtai(weights, own_vectors=own_vectors)
