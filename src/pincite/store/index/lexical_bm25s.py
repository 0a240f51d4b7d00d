"""BM25 with any k1 and b, with bm25s (Lù 2024, arXiv:2407.03618), over the terms of our analyser."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, BinaryIO

import bm25s
import numpy as np
from numpy.typing import NDArray

from pincite.records.files import open_regular, read_json
from pincite.stages import Keys, Scored
from pincite.store.index.lexical_tantivy import LexicalRow
from pincite.store.index.snapshot import MOST_BYTES, write_atomically

_ARRAYS = "arrays.npz"
_HELD = "passages.json"


class Bm25sIndex:
    """An index in a folder, loaded into memory; scores are computed when passages are added.

    The folder also stores the term numbers of each passage, since an addition changes how rare every
    word is. Raises OSError or ValueError for damaged files.
    """

    def __init__(self, folder: Path, *, k1: float, b: float) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._k1 = k1
        self._b = b
        self._keys: list[int] = []
        self._lengths: list[int] = []
        self._numbers: dict[str, int] = {}
        # `terms` (all terms of all passages, by number), and bm25s' sparse columns: the values and
        # rows of term n are those from starts[n] to starts[n + 1].
        self._arrays: dict[str, NDArray[Any]] = {
            "terms": np.zeros(0, dtype=np.int32),
            "values": np.zeros(0, dtype=np.float32),
            "rows": np.zeros(0, dtype=np.int32),
            "starts": np.zeros(1, dtype=np.int64),
        }
        if (folder / _HELD).exists():
            self._load()

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, rows: Iterable[LexicalRow]) -> None:
        """Add passages and make them durable."""
        added = []
        for row in rows:
            self._keys.append(row.key)
            self._lengths.append(len(row.terms))
            added += [self._numbers.setdefault(term, len(self._numbers)) for term in row.terms]
        self._arrays["terms"] = np.append(self._arrays["terms"], np.asarray(added, dtype=np.int32))
        if self._numbers:
            self._arrays.update(self._columns())
        self._save()

    def without(self, is_gone: Callable[[int], bool], folder: Path) -> None:
        """Always None: each change recomputes all scores anyway."""

    def _columns(self) -> dict[str, NDArray[Any]]:
        """The score that each term adds to each passage that contains it."""
        places = accumulate(self._lengths, initial=0)
        passages = [self._arrays["terms"][start:end].tolist() for start, end in pairwise(places)]
        made = bm25s.BM25(method="lucene", k1=self._k1, b=self._b)
        made.index((passages, self._numbers), create_empty_token=False, show_progress=False)
        names = {"values": "data", "rows": "indices", "starts": "indptr"}
        return {ours: made.scores[theirs] for ours, theirs in names.items()}

    def search(
        self,
        terms: Sequence[str],
        *,
        limit: int,
        allowed: Keys | None = None,
        boosts: Mapping[str, float] | None = None,
        required: Sequence[str] = (),
    ) -> list[Scored]:
        """The best `limit` keys by BM25, best first; only among `allowed` keys when given."""
        scores = np.zeros(len(self._keys), dtype=np.float32)
        for term in dict.fromkeys([*terms, *required]):
            rows, values = self._postings(term)
            scores[rows] += np.float32((boosts or {}).get(term, 1.0)) * values
        found = np.flatnonzero(scores)
        for term in required:
            found = np.intersect1d(found, self._postings(term)[0], assume_unique=True)
        if allowed is not None:
            found = found[np.isin(np.asarray(self._keys, dtype=np.int64)[found], allowed)]
        best = found[np.argsort(-scores[found], kind="stable")][:limit]
        return [Scored(key=self._keys[row], score=float(scores[row])) for row in best]

    def document_frequency(self, term: str) -> int:
        """Number of passages that contain a term."""
        return len(self._postings(term)[0])

    def _postings(self, term: str) -> tuple[NDArray[Any], NDArray[Any]]:
        """The rows of passages that contain a term, and the score it adds to each."""
        number = self._numbers.get(term)
        if number is None:
            return self._arrays["rows"][:0], self._arrays["values"][:0]
        start, end = self._arrays["starts"][number : number + 2]
        return self._arrays["rows"][start:end], self._arrays["values"][start:end]

    def _save(self) -> None:
        held = {
            "keys": self._keys,
            "lengths": self._lengths,
            "terms": list(self._numbers),
        }
        written = json.dumps(held).encode()

        def write(file: BinaryIO) -> None:
            np.savez(file, **self._arrays)  # type: ignore[arg-type]  # names are ours

        write_atomically(self._folder / _ARRAYS, write)
        write_atomically(self._folder / _HELD, lambda file: file.write(written))

    def _load(self) -> None:
        held = read_json(self._folder / _HELD, most_bytes=MOST_BYTES)
        try:
            with (
                open_regular(self._folder / _ARRAYS) as file,
                np.load(file, allow_pickle=False) as arrays,
            ):
                self._arrays = {name: arrays[name] for name in self._arrays}
            self._keys, self._lengths = held["keys"], held["lengths"]
            self._numbers = {term: number for number, term in enumerate(held["terms"])}
        except (KeyError, TypeError, zipfile.BadZipFile) as error:
            raise ValueError(f"{self._folder.name} is damaged: {error}") from error
