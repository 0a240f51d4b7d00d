"""Pincite through its public interface: a library of text files, one for each passage.

Two speeds of ingest are measured. `Library.ingest` does everything that a user waits for: files are
read in sandboxed processes and stored in the catalog, sentences get vectors as well.
`encode_and_index` is the work that the other systems do too: encode the passages, make both
indexes, write them to disk.
"""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.collection import Passage
from benchmarks.peers.systems import Search
from pincite import Library
from pincite.evaluate.run import configurations
from pincite.models.encoders.windowed import TokenPoolingEmbedder
from pincite.pipeline import EMBEDDED_TOGETHER, search
from pincite.records.flow import Question
from pincite.stages import shows_tokens
from pincite.store.index.indexes import IndexFolder

MODES = ("fused", "default")

NOT_CUT = {"max_chars": 20_000, "overlap_chars": 0}
"""One passage for each file: the passages are given."""


class PinciteSystem:
    """A library, and which file holds which passage."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._library = Library.open(home / "library", overrides={"chunking": NOT_CUT})
        encoder = self._library.encoder()
        if encoder is None:
            raise SystemExit(f"Pincite has no encoder: {self._library.encoder_problem}")
        if not shows_tokens(encoder):
            raise SystemExit(f"{encoder.name} tells no token states, which are measured here")
        self._encoder = encoder
        next(encoder.encode(["ready"]))

    def prepare(self, passages: Sequence[Passage]) -> None:
        """Write the files; not part of what is measured.

        Their name says nothing: the other systems see no title either.
        """
        self._files = {}
        for number, passage in enumerate(passages):
            path = self._home / "files" / f"{number // 1000:03d}" / f"{number:06d}" / "text.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(passage.text.encode())
            self._files[str(path.resolve())] = passage

    def ingest(self, passages: Sequence[Passage], vectors: Any | None) -> None:
        """`Library.ingest` of the folder with the files."""
        assert vectors is None
        report = self._library.ingest([self._home / "files"])
        wordy = sum(any(map(str.isalnum, passage.text)) for passage in passages)
        if report.failed or report.passages != wordy:
            raise SystemExit(
                f"{wordy} passages with words went in, the library has {report.passages}; "
                f"{len(report.failed)} files failed: {report.failed[:3]}"
            )

    def searches(self) -> Mapping[str, Search]:
        """The fused order, and the default with its reranker."""
        self._passage_of = {}
        catalog = self._library.catalog
        for path, document in catalog.paths("default").items():
            given = self._files[path]
            stored = next(iter(catalog.passages_of(document)), None)
            if stored is None:
                continue  # a line of dots
            if catalog.text_of(stored.span) != given.text:
                raise SystemExit(f"the library's passage differs from the given one: {given.id}")
            self._passage_of[document] = given.id
        return {mode: self._search_as(mode) for mode in MODES}

    def _search_as(self, mode: str) -> Search:
        (chosen,) = configurations([mode], self._library.settings)
        stages = self._library.stages_with(chosen.settings)

        def ask(text: str, depth: int) -> list[str]:
            hits = search(Question(text=text), stages).hits[:depth]
            return [self._passage_of[hit.passage.span.document_id] for hit in hits]

        return ask

    def measurements(self) -> dict[str, float]:
        """The comparable stage alone."""
        catalog = self._library.catalog
        stored = [
            passage for name in catalog.changed_since(-1) for passage in catalog.passages_of(name)
        ]
        texts = [catalog.text_of(passage.span) for passage in stored]
        embedder = TokenPoolingEmbedder(self._encoder, cached=lambda _: {})
        started = time.perf_counter()
        for start in range(0, len(stored), EMBEDDED_TOGETHER):
            together = slice(start, start + EMBEDDED_TOGETHER)
            embedder.embed(stored[together], texts[together])
        with tempfile.TemporaryDirectory(dir=self._home) as folder:
            IndexFolder(
                Path(folder), model=self._encoder.name, dimensions=self._encoder.dimensions
            ).rebuild(catalog)
            seconds = time.perf_counter() - started
        return {"encode_and_index_seconds": seconds}


def open_system(home: Path, weights: Path, *, own_vectors: bool) -> PinciteSystem:
    """A new library in `home`; it finds its own copy of the weights."""
    del weights, own_vectors
    gc.set_threshold(20_000)  # README.md advises it where many questions are answered at once
    return PinciteSystem(home)
