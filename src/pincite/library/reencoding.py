"""Encodes what has no vectors yet, or all with another encoder, while the old vectors stay in use."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from pincite.assemble.encoders import embedder
from pincite.errors import LibraryBusy, UsageError
from pincite.library.homes import writing
from pincite.library.index_maintenance import Upkeep
from pincite.library.intake import Progress, ProgressCallback
from pincite.records.flow import Passage
from pincite.settings.loading import Settings
from pincite.stages import PassageEmbedder
from pincite.store.catalog.catalog import Catalog
from pincite.store.catalog.encodings import EncoderRecord, Reencoding

_BATCH_PASSAGES = 64
_LOCK_FILE = "reencode.lock"
_BUSY = "another process is re-encoding this library; wait until it is done"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReencodeProgress:
    """Progress of a re-encoding, in passages, reported after every batch."""

    encoder: str
    done: int
    total: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReencodeReport:
    """The result of a re-encoding. If not `is_complete`, it was stopped and can be resumed."""

    encoder: str
    passages: int
    is_complete: bool
    seconds: float


ReencodeCallback = Callable[[ReencodeProgress], None]


def as_ingest_progress(callback: ProgressCallback | None) -> ReencodeCallback | None:
    """Report the progress of a re-encoding as that of an ingest, counting passages as files."""
    if callback is None:
        return None

    def show(step: ReencodeProgress) -> None:
        callback(
            Progress(
                path="",
                files_done=step.done,
                files_total=step.total,
                passages=step.done,
                pages=0,
                seconds=step.seconds,
                doing="found by words; encoding",
            )
        )

    return show


def reencode(
    settings: Settings,
    catalog: Catalog,
    upkeep: Upkeep,
    *,
    progress: ReencodeCallback | None = None,
    stop: threading.Event,
) -> ReencodeReport:
    """Re-encode a library with the encoder that its settings name: see `Library.reencode`."""
    chosen = settings.embedding
    if chosen.model == "none":
        raise UsageError("embedding.model is 'none': name an encoder to encode the library with")
    wanted = upkeep.encoders.wanted()
    record = EncoderRecord(name=wanted.name, settings=chosen.identity())
    known = upkeep.encoders.record()
    is_known = known is not None and known.name == wanted.name
    missing = catalog.encodings.passages_without()
    if is_known and not missing:
        with writing(catalog):
            upkeep.encoders.keep(record)
            catalog.encodings.forget_unused()
            upkeep.bring_indexes_up()
        return ReencodeReport(encoder=wanted.name, passages=0, is_complete=True, seconds=0.0)
    work = _Reencoding(
        catalog,
        embedder(wanted, catalog, settings.rerank),
        record,
        upkeep.bring_indexes_up,
        only_missing=is_known,
    )
    upkeep.encoders.approve(record)
    total = missing if is_known else catalog.counts()["passages"]
    return work.run(total, progress=progress, stop=stop)


class _Reencoding:
    """Encodes every passage, or those that have no vectors, then uses them all in one transaction.

    The write lock is held only to store a batch and to switch, not during encoding: an ingest may run
    meanwhile, and its passages are encoded too. Stored vectors survive a kill: they are keyed by model
    and text, so the next run finds them.
    """

    def __init__(
        self,
        catalog: Catalog,
        embedder: PassageEmbedder,
        encoder: EncoderRecord,
        publish: Callable[[], None],
        *,
        only_missing: bool,
    ) -> None:
        self._catalog = catalog
        self._encodings = catalog.encodings
        self._embedder = embedder
        self._encoder = encoder
        self._publish = publish
        self._only_missing = only_missing
        self._started = time.perf_counter()
        self._embedding_keys: dict[int, str] = {}
        self._last_key = 0

    def run(
        self, total: int, *, progress: ReencodeCallback | None = None, stop: threading.Event
    ) -> ReencodeReport:
        """Run until done or `stop` is set. Raises LibraryBusy if another process is re-encoding."""
        with self._catalog.store.held(_LOCK_FILE, patience_seconds=0, busy=_BUSY):
            is_complete = False
            while not (is_complete or stop.is_set()):
                while not stop.is_set() and self._encode_next(total, stop):
                    if progress:
                        progress(self._progress(total))
                is_complete = self._locked(self._switch, stop)
        return ReencodeReport(
            encoder=self._encoder.name,
            passages=len(self._embedding_keys),
            is_complete=is_complete,
            seconds=round(time.perf_counter() - self._started, 3),
        )

    def _encode_next(self, total: int, stop: threading.Event) -> bool:
        """Encode and store the next batch; returns whether there was one."""
        found = self._next(_BATCH_PASSAGES)
        if not found:
            return False
        passages, texts = zip(*found, strict=True)
        embeddings = self._embedder.embed(passages, texts)
        done = len(self._embedding_keys) + len(found)
        step = Reencoding(encoder=self._encoder, done=done, total=max(total, done))

        def store() -> bool:
            self._encodings.store(embeddings, step)
            self._last_key = passages[-1].key
            self._embedding_keys.update(
                (passage.key, item.key) for passage, item in zip(passages, embeddings, strict=True)
            )
            return True

        return self._locked(store, stop)

    def _next(self, limit: int) -> list[tuple[Passage, str]]:
        return self._encodings.passages_after(
            self._last_key, limit=limit, without_vectors=self._only_missing
        )

    def _switch(self) -> bool:
        """Switch to the new vectors; returns False if new passages have arrived meanwhile."""
        if self._next(1):
            return False
        if self._only_missing:
            self._encodings.fill(self._embedding_keys)
        else:
            self._encodings.switch(self._encoder, self._embedding_keys)
        self._publish()
        return True

    def _locked(self, action: Callable[[], bool], stop: threading.Event) -> bool:
        """Run an action under the write lock, waiting for it; False if stopped before."""
        while not stop.is_set():
            try:
                with writing(self._catalog):
                    return action()
            except LibraryBusy:
                continue
        return False

    def _progress(self, total: int) -> ReencodeProgress:
        done = len(self._embedding_keys)
        return ReencodeProgress(
            encoder=self._encoder.name,
            done=done,
            total=max(total, done),
            seconds=time.perf_counter() - self._started,
        )
