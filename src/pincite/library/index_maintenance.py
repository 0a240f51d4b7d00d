"""Keeps a library's encoder, indexes and answering stages up to date with its catalog."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from pincite.assemble.answering import answer_stages
from pincite.assemble.reranking import Models, hot_passages
from pincite.assemble.retrieving import lexical_engine
from pincite.errors import LibraryBusy, LibraryError, LibraryReadOnly
from pincite.library.encoders import LibraryEncoders
from pincite.library.homes import Home
from pincite.library.optional_models import LibraryScorers, LibraryWriters
from pincite.pipeline import AnswerStages
from pincite.rerank.token_state_cache import HotPassages
from pincite.settings.loading import Settings
from pincite.stages import VectorEncoder
from pincite.store.catalog.catalog import Catalog
from pincite.store.index.indexes import INDEX_FORMAT, Indexes, IndexFolder
from pincite.text.languages import counted_languages
from pincite.verify.abstention.calibration import load_calibration

_POLL_SECONDS = 2.0
"""How often to check for changes while another process ingests or re-encodes."""

_INDEX = "index"
_OLD_SECONDS = 24 * 60 * 60

_INGESTING = "an ingest is running: files it has not finished are not searched yet"


class Upkeep:
    """Everything derived from a library's catalog: created when needed, updated when outdated."""

    def __init__(
        self, home: Home, settings: Settings, catalog: Catalog, encoders: LibraryEncoders
    ) -> None:
        self.home = home
        self._path = home.folder
        self._settings = settings
        self._catalog = catalog
        self.encoders = encoders
        self.writers = LibraryWriters()
        self.scorers = LibraryScorers(encoders.cache)
        self._hot: HotPassages | None = None
        self._indexes: Indexes | None = None
        self._corpus_version: str | None = None
        self._stages: AnswerStages | None = None
        self._notices: tuple[str, ...] = ()
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._next_check = 0.0
        self._was_busy = False
        self._encoder_notice, self._next_notice_check = "", 0.0
        self._lock = threading.RLock()

    def close(self) -> None:
        """Close files, and remove temporary ones outside the library folder."""
        if self._indexes:
            self._indexes.dense.close()
        if self._temporary:
            self._temporary.cleanup()

    def stages(self) -> AnswerStages:
        """The answering stages for the current state of the library."""
        with self._lock:
            if self._stages is None or self._is_stale():
                notices = self._refresh()
                self._stages = self._stages_over(self._settings, notices)
            return self._stages

    def stages_with(self, settings: Settings, *, calibrated: bool = True) -> AnswerStages:
        """Stages with other settings for the current state; they are not cached."""
        with self._lock:
            self.stages()
            return self._stages_over(settings, self._notices, calibrated=calibrated)

    def forget_questions(self) -> None:
        """Clear the caches of earlier questions: vectors, token states, texts."""
        with self._lock:
            self.stages()
            assert self._indexes is not None
            encoder = self.encoders.named(self._indexes.manifest.model)
            # Encoders that cache questions use `lru_cache`; caching is optional.
            if forget := getattr(getattr(encoder, "encode_question", None), "cache_clear", None):
                forget()
            if self._hot is not None:
                self._hot.forget()
            self._catalog.forget_texts()
        self.home.fetch(self._catalog)

    def languages(self) -> tuple[str, ...]:
        """The languages of the passages."""
        with self._lock:
            self.stages()
            assert self._indexes is not None
            return tuple(counted_languages(self._indexes.manifest.languages))

    def forget_stages(self) -> None:
        """Rebuild the stages at the next question, because one of their parts has changed."""
        with self._lock:
            self._stages = None

    def forget_damaged_indexes(self) -> bool:
        """Whether files of the indexes were damaged; the next question loads or rebuilds them."""
        with self._lock:
            found, _ = self.on_disk()
            # Another process may have rebuilt them since these were loaded.
            if found and self._indexes and found.manifest == self._indexes.manifest:
                return False
            self._indexes, self._stages = None, None
            return True

    def _stages_over(
        self, settings: Settings, notices: tuple[str, ...], *, calibrated: bool = True
    ) -> AnswerStages:
        assert self._indexes is not None
        # Questions need the encoder that made the index, whatever the settings name now.
        encoder = self.encoders.named(self._indexes.manifest.model)
        writer, no_writer = self.writers.for_settings(settings)
        scorer, no_scorer = self.scorers.for_settings(settings, writer)
        entailment, no_entailment = self.scorers.entailment_of(settings)
        reader, no_reader = self.scorers.reader_of(settings, encoder)
        problems = (no_writer, no_scorer, no_entailment, no_reader)
        notices = (*notices, *(problem for problem in problems if problem))
        models = Models(
            encoder=encoder,
            hot=self._hot_of(encoder),
            scorer=scorer,
            writer=writer,
            judgement=self.scorers.judgement_of(settings, writer),
            entailment=entailment,
            reader=reader,
        )
        calibration = load_calibration(self._path) if calibrated else None
        return answer_stages(
            settings,
            self._catalog,
            self._indexes,
            models,
            notices,
            calibration,
            corpus_version=self._corpus_version,
        )

    def _hot_of(self, encoder: VectorEncoder | None) -> HotPassages | None:
        """The cached token states for this encoder; kept when an ingest rebuilds the stages."""
        if self._hot is None or self._hot.encoder is not encoder:
            self._hot = hot_passages(self._settings, self._catalog, encoder)
        return self._hot

    def forget_own_graphs(self) -> None:
        """Remove the library's own prepared graphs, from before they were shared."""
        if self.encoders.cache != self._path / "encoder":
            shutil.rmtree(self._path / "encoder", ignore_errors=True)

    def bring_indexes_up(self) -> None:
        """Load the indexes and apply changes, or rebuild them. Needs the write lock."""
        folder = self._folder()
        with self.home.indexing(self._catalog):
            indexes, _ = folder.load(self._catalog)
            is_exchanged = self._catalog.encodings.before() is not None  # All vectors are new.
            if indexes is None or is_exchanged:
                indexes = folder.rebuild(self._catalog)
            elif not folder.is_current(self._catalog, indexes):
                indexes = folder.update(self._catalog, indexes)
            self._remove_old_indexes()
            # Of the same state: others may store files from here on.
            corpus_version = self._catalog.meta("corpus_version")
        if is_exchanged:
            self._catalog.encodings.forget_unused()
        # Until here, questions use the old indexes.
        with self._lock:
            self._indexes, self._corpus_version = indexes, corpus_version
            self._stages = None

    @property
    def _index_folder(self) -> Path:
        """A folder for each format, so that an older and a newer Pincite can serve side by side."""
        return self._path / _INDEX / INDEX_FORMAT

    def _remove_old_indexes(self) -> None:
        """Remove indexes of other formats that no program has changed for a day."""
        with suppress(OSError):  # They are only in the way.
            for other in (self._path / _INDEX).iterdir():
                is_used = time.time() - other.stat().st_mtime < _OLD_SECONDS
                if other.name == INDEX_FORMAT or is_used:
                    continue
                if other.is_dir():
                    shutil.rmtree(other)
                else:
                    other.unlink()

    def on_disk(self) -> tuple[Indexes | None, str]:
        """The indexes as they are on disk, or why they are unusable; repairs nothing."""
        folder = self._index_folder
        if folder.is_dir() and not os.access(folder, os.W_OK):
            # tantivy creates a lock file in its folder even for reading.
            return self._folder(self._copied(folder)).load(self._catalog)
        return self._folder().load(self._catalog)

    def _copied(self, folder: Path) -> Path:
        copy = self._temporary_folder() / "copy"
        shutil.rmtree(copy, ignore_errors=True)  # of an earlier state
        shutil.copytree(folder, copy, copy_function=shutil.copyfile, dirs_exist_ok=True)
        for inner in (copy, *copy.rglob("*")):
            inner.chmod(0o700)
        return copy

    def _temporary_folder(self) -> Path:
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="pincite-")
        return Path(self._temporary.name)

    def _is_stale(self) -> bool:
        """Whether the catalog or the encoder has changed and it is time to refresh."""
        if self._indexes is None or time.monotonic() < self._next_check:
            return self._indexes is None
        if self._encoder_notice and time.monotonic() >= self._next_notice_check:
            self._next_notice_check = time.monotonic() + _POLL_SECONDS
            if self._current_encoder_notice() != self._encoder_notice:
                return True
        return self._was_busy or self._indexes.manifest.generation != self._catalog.generation()

    def _current_encoder_notice(self) -> str:
        return self.encoders.problem or self.encoders.notice()

    def _refresh(self) -> tuple[str, ...]:
        """Update the indexes; returns the notices for every result."""
        self._encoder_notice = self._current_encoder_notice()
        self._next_notice_check = time.monotonic() + _POLL_SECONDS
        notices = [self._encoder_notice] if self._encoder_notice else []
        self._catalog.forget_texts()
        self.home.fetch(self._catalog)
        self._was_busy = False
        try:
            with self.home.renewing(self._catalog):
                self.bring_indexes_up()
            if self.home.is_changing(self._catalog):
                self._was_busy = True
                self._next_check = time.monotonic() + _POLL_SECONDS
                notices.append(_INGESTING)
        except LibraryBusy:
            self._was_busy = True
            self._use_published_indexes()
            notices.append(_INGESTING)
        except LibraryReadOnly:
            self._use_temporary_indexes()
        except LibraryError as error:  # A full disk: the question can still be answered.
            self._use_temporary_indexes()
            notices.append(f"the index could not be updated on disk and is temporary: {error}")
        missing = self._passages_without_vector()
        if missing and not self.encoders.problem:
            notices.append(
                f"{missing} passages are not encoded yet and are found by their words only; unless an "
                "ingest is doing it, run 'pincite reindex'"
            )
        self._notices = tuple(notices)
        return self._notices

    def _passages_without_vector(self) -> int:
        return len(self._indexes.lexical) - len(self._indexes.dense) if self._indexes else 0

    def _use_published_indexes(self) -> None:
        """Use the last published indexes while another process writes."""
        self._next_check = time.monotonic() + _POLL_SECONDS
        # Of any encoder: during a switch of encoders, the old index is still in use.
        indexes, _ = self._folder(of_any_encoder=True).load(self._catalog)
        self._indexes, self._corpus_version = indexes or self._indexes, None
        if self._indexes is None:
            raise LibraryBusy(
                f"{self._path}: the first ingest is still running and there is no index yet; "
                "try again when it is done"
            )

    def _use_temporary_indexes(self) -> None:
        """On a read-only disk: use the indexes there if current, else build temporary ones."""
        indexes, _ = self.on_disk()
        if indexes is None or indexes.manifest.generation < self._catalog.generation():
            indexes = self._folder(self._temporary_folder() / "new").rebuild(self._catalog)
        self._indexes, self._corpus_version = indexes, None

    def _folder(self, folder: Path | None = None, *, of_any_encoder: bool = False) -> IndexFolder:
        encoder = None if of_any_encoder else self.encoders.serving()
        return IndexFolder(
            folder or self._index_folder,
            model=encoder.name if encoder else None,
            # Without an encoder there are no vectors, so the dimension does not matter.
            dimensions=encoder.dimensions if encoder else 1,
            lexical=lexical_engine(self._settings.lexical),
            dense=self._settings.dense,
        )
