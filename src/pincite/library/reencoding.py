"""Makes all vectors of a library anew with another encoder, while the old ones go on serving."""

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
from pincite.settings.loading import Settings
from pincite.stages import PassageEmbedder
from pincite.store.catalog.catalog import Catalog
from pincite.store.catalog.encodings import EncoderRecord, Reencoding

_ENCODED_TOGETHER = 64
_LOCK_FILE = "reencode.lock"
_BUSY = "another process is encoding this library anew; wait until it is done"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReencodeProgress:
    """How far a re-encoding has come; given to the caller after every group of passages."""

    encoder: str
    done: int
    total: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReencodeReport:
    """What a re-encoding did. Without `is_complete` it was stopped, and what is done is kept."""

    encoder: str
    passages: int
    is_complete: bool
    seconds: float


ReencodeCallback = Callable[[ReencodeProgress], None]


def as_ingest_progress(callback: ProgressCallback | None) -> ReencodeCallback | None:
    """Shows the steps of a re-encoding where those of an ingest are shown; passages count as files."""
    if callback is None:
        return None

    def show(step: ReencodeProgress) -> None:
        callback(
            Progress(
                path=f"encoding for {step.encoder}",
                files_done=step.done,
                files_total=step.total,
                passages=step.done,
                pages=0,
                seconds=step.seconds,
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
    """Bring a library's vectors to the encoder that its settings name: see `Library.reencode`."""
    chosen = settings.embedding
    if chosen.model == "none":
        raise UsageError("embedding.model is 'none': name an encoder to encode the library with")
    wanted = upkeep.encoders.wanted()
    record = EncoderRecord(name=wanted.name, settings=chosen.identity())
    known = upkeep.encoders.record()
    if known and known.name == wanted.name and not catalog.encodings.passages_without():
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
    )
    upkeep.encoders.approve(record)
    return work.run(catalog.counts()["passages"], progress=progress, stop=stop)


class _Reencoding:
    """Encodes every passage for another encoder and then switches, in one transaction.

    The write lock is held while a group is stored and while the switch is made, not while texts are
    encoded: an ingest may run meanwhile, and its passages are encoded too. Killed at any moment it
    loses nothing: vectors are kept by what they are of, and found again by the next run.
    """

    def __init__(
        self,
        catalog: Catalog,
        embedder: PassageEmbedder,
        encoder: EncoderRecord,
        publish: Callable[[], None],
    ) -> None:
        self._catalog = catalog
        self._encodings = catalog.encodings
        self._embedder = embedder
        self._encoder = encoder
        self._publish = publish
        self._started = time.perf_counter()
        self._embedding_keys: dict[int, str] = {}
        self._last_key = 0

    def run(
        self, total: int, *, progress: ReencodeCallback | None = None, stop: threading.Event
    ) -> ReencodeReport:
        """Go on until all is done or `stop` is set. Raises LibraryBusy when another one is at it."""
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
        """Encode and store the next group; whether there was one."""
        found = self._encodings.passages_after(self._last_key, limit=_ENCODED_TOGETHER)
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

    def _switch(self) -> bool:
        """Let the new vectors be searched, unless passages have come meanwhile."""
        if self._encodings.passages_after(self._last_key, limit=1):
            return False
        self._encodings.switch(self._encoder, self._embedding_keys)
        self._publish()
        return True

    def _locked(self, action: Callable[[], bool], stop: threading.Event) -> bool:
        """Act with the write lock held, after whoever has it; False when stopped before."""
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
