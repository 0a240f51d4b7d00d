"""Keeps the encoder, the indexes and the answering stages of a library in step with its catalog."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
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
from pincite.store.index.indexes import Indexes, IndexFolder
from pincite.verify.abstention.calibration import load_calibration

_LOOK_AGAIN_SECONDS = 2.0
"""While another process ingests or encodes the library anew, we look this often how far it is."""


_INGESTING = "an ingest is running: files it has not finished are not searched yet"


class Upkeep:
    """What a library derives from its catalog: made when needed, renewed when old."""

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
        self._look_again = 0.0
        self._was_busy = False
        self._told, self._tell_again = "", 0.0
        self._one_at_a_time = threading.RLock()

    def close(self) -> None:
        """Give files back, and remove what was made outside the library folder."""
        if self._indexes:
            self._indexes.dense.close()
        if self._temporary:
            self._temporary.cleanup()

    def stages(self) -> AnswerStages:
        """The answering stages over the newest state of the library."""
        with self._one_at_a_time:
            if self._stages is None or self._is_stale():
                notices = self._refresh()
                self._stages = self._stages_over(self._settings, notices)
            return self._stages

    def stages_with(self, settings: Settings, *, calibrated: bool = True) -> AnswerStages:
        """Stages under other settings, over the newest state; they are not kept."""
        with self._one_at_a_time:
            self.stages()
            return self._stages_over(settings, self._notices, calibrated=calibrated)

    def forget_questions(self) -> None:
        """Drop what earlier questions left in memory: their vectors, token states, texts."""
        with self._one_at_a_time:
            self.stages()
            assert self._indexes is not None
            encoder = self.encoders.named(self._indexes.manifest.model)
            # Encoders that remember questions do so with `lru_cache`; none has to.
            if forget := getattr(getattr(encoder, "encode_question", None), "cache_clear", None):
                forget()
            if self._hot is not None:
                self._hot.forget()
            self._catalog.forget_texts()
        self.home.fetch(self._catalog)

    def languages(self) -> tuple[str, ...]:
        """Those of the passages."""
        with self._one_at_a_time:
            self.stages()
            assert self._indexes is not None
            return tuple(self._indexes.manifest.languages)

    def forget_stages(self) -> None:
        """Make them anew at the next question: something that they were made of has changed."""
        with self._one_at_a_time:
            self._stages = None

    def _stages_over(
        self, settings: Settings, notices: tuple[str, ...], *, calibrated: bool = True
    ) -> AnswerStages:
        assert self._indexes is not None
        # Questions are read by the encoder that made the index, whatever has been chosen since.
        encoder = self.encoders.named(self._indexes.manifest.model)
        writer, no_writer = self.writers.of(settings)
        scorer, no_scorer = self.scorers.of(settings, writer)
        entailment, no_entailment = self.scorers.entailment_of(settings)
        reader, no_reader = self.scorers.reader_of(settings)
        problems = (no_writer, no_scorer, no_entailment, no_reader)
        notices = (*notices, *(problem for problem in problems if problem))
        models = Models(
            encoder=encoder,
            hot=self._hot_of(encoder),
            scorer=scorer,
            writer=writer,
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
        """What passages say to this encoder; outlives the stages, made anew after each ingest."""
        if self._hot is None or self._hot.encoder is not encoder:
            self._hot = hot_passages(self._settings, self._catalog, encoder)
        return self._hot

    def forget_own_graphs(self) -> None:
        """Remove the prepared graphs that a library kept for itself before it used the shared ones."""
        if self.encoders.cache != self._path / "encoder":
            shutil.rmtree(self._path / "encoder", ignore_errors=True)

    def bring_indexes_up(self) -> None:
        """Load the indexes and apply what changed, or make them anew. Needs the write lock."""
        folder = self._folder()
        with self.home.indexing(self._catalog):
            indexes, _ = folder.load(self._catalog)
            is_exchanged = self._catalog.encodings.before() is not None  # All vectors have been.
            if indexes is None or is_exchanged:
                indexes = folder.rebuild(self._catalog)
            elif not folder.is_current(self._catalog, indexes):
                indexes = folder.update(self._catalog, indexes)
            # Of the same state: others may store files from here on.
            corpus_version = self._catalog.meta("corpus_version")
        if is_exchanged:
            self._catalog.encodings.forget_unused()
        # Questions go on with the old ones until here.
        with self._one_at_a_time:
            self._indexes, self._corpus_version = indexes, corpus_version
            self._stages = None

    def on_disk(self) -> tuple[Indexes | None, str]:
        """The indexes as they are on disk, or why they cannot be used; nothing is repaired."""
        folder = self._path / "index"
        if folder.is_dir() and not os.access(folder, os.W_OK):
            # tantivy makes a lock file in its folder even to read.
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
        """Whether the catalog has moved on and it is time to look for newer indexes."""
        if self._indexes is None or time.monotonic() < self._look_again:
            return self._indexes is None
        if self._told and time.monotonic() >= self._tell_again:
            self._tell_again = time.monotonic() + _LOOK_AGAIN_SECONDS
            if self._what_encoders_say() != self._told:
                return True
        return self._was_busy or self._indexes.manifest.generation != self._catalog.generation()

    def _what_encoders_say(self) -> str:
        return self.encoders.problem or self.encoders.notice()

    def _refresh(self) -> tuple[str, ...]:
        """Bring the indexes in step; gives what every result must say."""
        self._told = self._what_encoders_say()
        self._tell_again = time.monotonic() + _LOOK_AGAIN_SECONDS
        notices = [self._told] if self._told else []
        self._catalog.forget_texts()
        self.home.fetch(self._catalog)
        self._was_busy = False
        try:
            with self.home.renewing(self._catalog):
                self.bring_indexes_up()
            if self.home.is_changing(self._catalog):
                self._was_busy = True
                self._look_again = time.monotonic() + _LOOK_AGAIN_SECONDS
                notices.append(_INGESTING)
        except LibraryBusy:
            self._was_busy = True
            self._use_published_indexes()
            notices.append(_INGESTING)
        except LibraryReadOnly:
            self._use_temporary_indexes()
        except LibraryError as error:  # A full disk: the question can be answered all the same.
            self._use_temporary_indexes()
            notices.append(
                f"the index could not be renewed and was made for this time only: {error}"
            )
        missing = self._passages_without_vector()
        if missing and not self.encoders.problem:
            notices.append(
                f"{missing} passages were ingested without the encoder and are found by their "
                "words only: run 'pincite reindex'"
            )
        self._notices = tuple(notices)
        return self._notices

    def _passages_without_vector(self) -> int:
        return len(self._indexes.lexical) - len(self._indexes.dense) if self._indexes else 0

    def _use_published_indexes(self) -> None:
        """While another process writes: the state it published last."""
        self._look_again = time.monotonic() + _LOOK_AGAIN_SECONDS
        # Of any encoder: while one takes another's place, the old one's index is still there.
        indexes, _ = self._folder(of_any_encoder=True).load(self._catalog)
        self._indexes, self._corpus_version = indexes or self._indexes, None
        if self._indexes is None:
            raise LibraryBusy(
                f"{self._path}: the first ingest is still running and there is no index yet; "
                "try again when it is done"
            )

    def _use_temporary_indexes(self) -> None:
        """On a read-only disk: what is there if it is in step, else indexes made elsewhere."""
        indexes, _ = self.on_disk()
        if indexes is None or indexes.manifest.generation < self._catalog.generation():
            indexes = self._folder(self._temporary_folder() / "new").rebuild(self._catalog)
        self._indexes, self._corpus_version = indexes, None

    def _folder(self, folder: Path | None = None, *, of_any_encoder: bool = False) -> IndexFolder:
        encoder = None if of_any_encoder else self.encoders.serving()
        return IndexFolder(
            folder or self._path / "index",
            model=encoder.name if encoder else None,
            # Without an encoder there are no vectors, and any length will do for none.
            dimensions=encoder.dimensions if encoder else 1,
            lexical=lexical_engine(self._settings.lexical),
            dense=self._settings.dense,
        )
