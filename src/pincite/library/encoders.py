"""Opens a library's encoders: the one that made its vectors, and the one that the settings name.

While the two differ, the old one answers until 'pincite reindex' has re-encoded all passages.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pincite.assemble.encoders import open_encoder
from pincite.errors import LibraryDamaged, ModelError, ModelUnreachable, SettingsError
from pincite.models.encoders.built_in import MODEL_NAME
from pincite.models.vectors import normalised
from pincite.records.document import Span
from pincite.records.flow import Passage, Source
from pincite.settings.groups import EmbeddingSettings
from pincite.settings.trust import Approvals, Wish, needs_approval, wish_of
from pincite.stages import VectorEncoder
from pincite.store.catalog.encodings import EncoderRecord, Encodings

_RETRY_SECONDS = 30.0
"""How long an unreachable server is not tried again: each attempt may take its full timeout."""


class LibraryEncoders:
    """Opens the encoders of one library, each once; retries an unreachable one after a while."""

    def __init__(
        self, library: Path, cache: Path, chosen: EmbeddingSettings, encodings: Encodings
    ) -> None:
        self._library = library
        self.cache = cache
        self._settings = chosen
        self._encodings = encodings
        self._substitute = ""
        self.why_substitute = ""
        self._opened: dict[str, VectorEncoder] = {}
        self._wanted: VectorEncoder | ModelError | None = None
        self._problem = ""
        self._failure = ""
        self._try_again = 0.0
        self._lock = threading.RLock()
        self._opening: threading.Thread | None = None

    def open_ahead(self) -> None:
        """Start opening the active encoder in a thread; callers that need it meanwhile wait."""
        # No daemon: a process that ends while OpenVINO compiles would crash.
        self._opening = threading.Thread(target=self._open_quietly)
        self._opening.start()

    def _open_quietly(self) -> None:
        # The caller that needs the encoder gets the same error, and reports it.
        with suppress(Exception):
            self.serving()

    def close(self) -> None:
        """Wait for the thread of `open_ahead`."""
        if self._opening is not None:
            self._opening.join()

    @cached_property
    def _chosen(self) -> EmbeddingSettings:
        """The settings; with the fallback encoder if the configured one is unavailable."""
        chosen = self._settings
        if not chosen.otherwise or chosen.otherwise == chosen.model:
            return chosen
        try:
            self._wanted = open_encoder(chosen, self.cache)
        except ModelError as error:
            self.why_substitute = str(error)
            self._substitute = (
                f"answered with {chosen.otherwise}: {chosen.model} is not available here "
                "('pincite doctor' says why)"
            )
            return EmbeddingSettings(
                model=chosen.otherwise, runtime=chosen.runtime, threads=chosen.threads
            )
        self._opened[self._wanted.name] = self._wanted
        return chosen

    @property
    def problem(self) -> str:
        """Why there is no encoder to search with; empty if there is one."""
        self.serving()
        return self._problem or self._current_failure()

    def rest(self, error: ModelError) -> None:
        """Answer without the encoder for a while, after it failed on a question."""
        with self._lock:
            self._failure = f"lexical search only: {error}"
            self._try_again = time.monotonic() + _RETRY_SECONDS

    def _current_failure(self) -> str:
        if time.monotonic() >= self._try_again:
            self._failure = ""
        return self._failure

    def serving(self) -> VectorEncoder | None:
        """The encoder of the stored vectors, or the configured one if there are none yet."""
        with self._lock:
            self._problem = ""
            if self._chosen.model == "none":
                self._problem = "lexical search only: embedding.model is 'none'"
                return None
            record = self.record()
            try:
                return self.wanted() if record is None else self._open(record)
            except ModelError as error:
                self._problem = f"lexical search only: {error}"
                return None

    def named(self, name: str) -> VectorEncoder | None:
        """The encoder that made an index; None if it is unavailable."""
        with self._lock:
            if self._current_failure():
                return None
            serving = self.serving()
            if serving is not None and serving.name == name:
                return serving
            before = self._encodings.before()
            if before is None or before.name != name:
                return self._opened.get(name)
            try:
                return self._open(before)
            except ModelError:
                return None

    def wanted(self) -> VectorEncoder:
        """The encoder that the settings name. Raises ModelError if it is unavailable."""
        with self._lock:
            is_time = time.monotonic() >= self._try_again
            if self._wanted is None or (isinstance(self._wanted, ModelUnreachable) and is_time):
                try:
                    self._wanted = open_encoder(self._chosen, self.cache)
                    self._opened[self._wanted.name] = self._wanted
                except ModelError as error:
                    self._wanted = error
                    self._try_again = time.monotonic() + _RETRY_SECONDS
            if isinstance(self._wanted, ModelError):
                raise self._wanted
            return self._wanted

    def record(self) -> EncoderRecord | None:
        """The catalog's record of the encoder of its vectors; None if it has no vectors."""
        record = self._encodings.current()
        if record is not None:
            return record
        # Libraries from before the encoder was configurable have no record.
        model = self._encodings.some_model()
        is_ours = model is not None and model.partition("/")[0] == MODEL_NAME
        return (
            EncoderRecord(name=model or "", settings=EmbeddingSettings().identity())
            if is_ours
            else None
        )

    def remember(self) -> None:
        """Record the encoder before the first vectors are stored."""
        serving = self.serving()
        if serving is not None and self._encodings.current() is None:
            settings = EmbeddingSettings() if self.record() else self._chosen
            self.keep(EncoderRecord(name=serving.name, settings=settings.identity()))

    def keep(self, record: EncoderRecord) -> None:
        """Record the encoder of the library's vectors, and approve it on this machine."""
        self._encodings.remember(record)
        self.approve(record)

    def approve(self, record: EncoderRecord) -> None:
        """Approve a record's encoder on this machine, whatever the settings name later."""
        with suppress(SettingsError):  # If it cannot be stored, the user is asked for approval.
            if not Approvals().cover(wish := self._wish(record)):
                Approvals().add(wish)

    def is_withheld(self) -> bool:
        """Whether the library's vectors come from an encoder that the user has not approved."""
        record = self.record()
        return record is not None and not self._may_open(record)

    def _may_open(self, record: EncoderRecord) -> bool:
        """Whether an encoder may be opened: the configured and the built-in one need no approval."""
        is_chosen = record.settings == self._chosen.identity()
        return is_chosen or Approvals().cover(self._wish(record))

    def _wish(self, record: EncoderRecord) -> Wish:
        return wish_of(self._library, wish_of_record(record.settings))

    def is_behind(self) -> bool:
        """Whether the vectors are from another encoder than the configured one, or some are missing."""
        if self._chosen.model == "none":
            return False
        record = self.record()
        if record is not None and not self._is_wanted(record):
            return True
        return self._encodings.passages_without() > 0

    def notice(self) -> str:
        """The notice in results while another encoder is configured than in use; else empty."""
        record = self.record()
        if self._chosen.model == "none" or record is None or self._is_wanted(record):
            return self._substitute
        step = self._encodings.under_way()
        done = f", {step.done / max(1, step.total):.0%} done" if step else ""
        return (
            f"answered with {shown_name(record.name)}: the library is not encoded with "
            f"{self._chosen.model} yet (run 'pincite reindex'{done})"
        )

    def _is_wanted(self, record: EncoderRecord) -> bool:
        if record.settings != self._chosen.identity():
            return False
        return (
            self._wanted is None
            or isinstance(self._wanted, ModelError)
            or (self._wanted.name == record.name)
        )

    def _open(self, record: EncoderRecord) -> VectorEncoder:
        """Open the encoder of a record, or reuse the configured one if it is the same."""
        if record.name in self._opened:
            return self._opened[record.name]
        if record.settings == self._chosen.identity():
            found = self.wanted()
        elif self._may_open(record):
            found = self._open_other(record)
        else:
            found = self.wanted()  # It may be the same encoder, in a place that the user chose.
            if found.name != record.name:
                raise ModelError(self._wish(record).notice)
        if found.name != record.name:
            raise ModelError(
                f"{found.name} is not the encoder that the library was encoded with "
                f"({record.name}); run 'pincite reindex' to re-encode it"
            )
        self._opened[found.name] = found
        return found

    def _open_other(self, record: EncoderRecord) -> VectorEncoder:
        local = self._chosen.model_dump(include={"runtime", "threads"})
        try:
            return open_encoder(EmbeddingSettings(**{**record.settings, **local}), self.cache)
        except ModelError:
            wanted = self.wanted()  # The same files may have been moved.
            if wanted.name == record.name:
                return wanted
            raise


def wish_of_record(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings in an encoder's record that need the user's approval, by `group.name`."""
    named = {f"embedding.{name}": settings.get(name, "") for name in ("model", "url")}
    return {name: value for name, value in named.items() if value and needs_approval(name, value)}


def shown_name(name: str) -> str:
    """An encoder's name for display, without version and content hash."""
    plain = name.partition("#")[0]
    return plain if plain != name else name.partition("/")[0]


# Checks stored vectors by encoding a sample of passages again.

ALIKE = 0.99
"""Lowest cosine of a stored and a fresh vector that counts as equal: another processor or runtime
changes less, another text or a damaged vector much more."""


class Holdings(Protocol):
    """The part of the catalog that the check uses."""

    def passage_keys(self) -> list[int]: ...  # noqa: D102
    def passages(self, keys: Sequence[int]) -> dict[int, Passage]: ...  # noqa: D102
    def text_of(self, span: Span) -> str: ...  # noqa: D102
    def source(self, document_id: str) -> Source: ...  # noqa: D102
    def vectors(  # noqa: D102
        self, keys: Sequence[int], *, model: str, dimensions: int
    ) -> tuple[list[int], NDArray[Any]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorCheck:
    """How many passages were encoded again, how many vectors matched, and what did not."""

    checked: int
    alike: int
    problems: tuple[str, ...]


def check_vectors(
    holdings: Holdings, encoder: VectorEncoder | None, *, sample: int, seed: str
) -> VectorCheck:
    """Encode up to `sample` random passages, chosen by `seed`, and compare with the stored vectors.

    Passages without a vector are skipped; without an encoder, nothing is checked. Raises ModelError
    if the encoder fails.
    """
    if encoder is None:
        return VectorCheck(checked=0, alike=0, problems=())
    keys = holdings.passage_keys()
    chance = random.Random(seed)  # noqa: S311  (not a secret)
    chosen = sorted(chance.sample(keys, min(sample, len(keys))))
    stored = {key: _stored(holdings, key, encoder) for key in chosen}
    passages = [p for key, p in holdings.passages(chosen).items() if stored[key] is not None]
    texts = [passage.with_context(holdings.text_of(passage.span)) for passage in passages]
    problems = []
    for passage, now in zip(passages, encoder.encode(texts), strict=True):
        likeness = _likeness(stored[passage.key], now.vector)
        if not likeness >= ALIKE:  # True for NaN too.
            span = passage.span
            problems.append(
                f"{holdings.source(span.document_id).path}: the stored vector of characters "
                f"{span.start}-{span.end} differs from the encoder's (cosine {likeness:.2f}, expected "
                f"{ALIKE} or more): remove the file and ingest it again"
            )
    return VectorCheck(
        checked=len(passages), alike=len(passages) - len(problems), problems=tuple(problems)
    )


def _likeness(stored: NDArray[Any] | None, now: NDArray[Any]) -> float:
    if stored is None or stored.shape != now.shape:
        return 0.0
    return float(normalised(stored) @ normalised(now))


def _stored(holdings: Holdings, key: int, encoder: VectorEncoder) -> NDArray[Any] | None:
    """The stored vector; an empty one if it is damaged; None if there is none."""
    try:
        found, vectors = holdings.vectors([key], model=encoder.name, dimensions=encoder.dimensions)
    except LibraryDamaged:
        return np.zeros(0)
    return vectors[0] if found else None
