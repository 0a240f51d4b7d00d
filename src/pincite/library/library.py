"""The `Library` class: open, ingest, remove, search, ask.

File readers and answering stages are imported on first use: a command that asks one question spends
most of its time on imports, and the encoder is opened in parallel with them.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Self

from pincite.errors import LibraryBusy, ModelError, PinciteError, UsageError
from pincite.library.encoders import LibraryEncoders
from pincite.library.folder import check_target, remember_profile
from pincite.library.homes import Home, open_home, writing
from pincite.library.prefetch import in_background
from pincite.models.inference.prepared import prepared_folder
from pincite.records.arguments import checked_limit, checked_path, checked_paths, checked_text
from pincite.records.document import Span
from pincite.records.files import read_regular
from pincite.records.filters import Filters
from pincite.records.flow import Answer, Hit, Passage, Preview, SearchResult
from pincite.records.library_records import FileEntry, FileProblem, IngestReport, Stats
from pincite.settings.loading import SETTINGS_FILE, Layer, Settings, load_settings
from pincite.store.catalog.catalog import Catalog

if TYPE_CHECKING:
    from pincite.ingest.discover import Selection
    from pincite.library.asking import Asking
    from pincite.library.encoders import VectorCheck
    from pincite.library.folder_sync import FolderSync
    from pincite.library.index_maintenance import Upkeep
    from pincite.library.intake import ProgressCallback
    from pincite.library.queued_ingest import WorkCallback
    from pincite.library.reencoding import ReencodeCallback, ReencodeReport
    from pincite.library.sync_plan import SyncPlan
    from pincite.pipeline import AnswerStages
    from pincite.records.checked_texts import CheckedStatement
    from pincite.records.passage_outcome import Fate
    from pincite.stages import LanguageModel, PairScorer, VectorEncoder
    from pincite.store.catalog.job_queue import QueueStatus
    from pincite.store.index.indexes import Indexes
    from pincite.verify.abstention.calibration import Calibration
    from pincite.verify.quotes.checking import OffsetCheck
    from pincite.verify.statements.entailment import EntailmentModel


class Library:
    """A folder that holds documents, passages and indexes.

    >>> library = Library.open("my-library")          # doctest: +SKIP
    >>> library.ingest(["manuals/"])                  # doctest: +SKIP
    >>> library.ask("Which torque for the M8 bolts?") # doctest: +SKIP

    Objects may be used from several threads, and several processes may read while one ingests.
    """

    def __init__(
        self, home: Home, catalog: Catalog, settings: Settings, notices: tuple[str, ...] = ()
    ) -> None:
        """`notices` about how the library was opened are added to every result."""
        self.home = home
        self.path = home.folder
        self.settings = settings
        self.notices = notices
        self.catalog = catalog
        self._encoders = LibraryEncoders(
            self.path, prepared_folder(self.path), settings.embedding, catalog.encodings
        )
        self._made_upkeep: Upkeep | None = None
        self._made_once = threading.Lock()

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        create: bool = True,
        profile: str = "",
        overrides: Layer | None = None,
    ) -> Self:
        """Open the library in a folder, or in a database (`postgresql://...`, docs/scale.md).

        With `create`, a missing library is created.

        A new library keeps its `profile`, as a line in its settings.toml; for an existing library the
        profile applies only until it is closed. `overrides` take precedence over the environment and
        the library's own settings file. Servers, models and files named in that file are used only if
        the user has approved them (docs/trust.md); results report those that are not. Raises
        LibraryError if the place cannot be used, SettingsError for an invalid setting.
        """
        home = open_home(path, create=create)
        try:
            settings, origins = load_settings(home.folder, profile=profile, overrides=overrides)
            if home.is_new and profile:
                remember_profile(home.folder, profile)
            catalog = home.open_catalog(keep_versions=settings.ingest.keep_versions)
            if home.is_new:
                home.share(catalog, SETTINGS_FILE)
        except BaseException:
            home.close()
            raise
        return cls(home, catalog, settings, origins.notices)

    def close(self) -> None:
        """Release all files. The library can be opened again at any time."""
        self._encoders.close()
        self.catalog.close()
        if self._made_upkeep is not None:
            self._made_upkeep.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    @property
    def _upkeep(self) -> Upkeep:
        """Created at first use; the encoder is opened while Python imports the answering stages."""
        with self._made_once:
            if self._made_upkeep is None:
                self._encoders.open_ahead()
                from pincite.library.index_maintenance import Upkeep

                self._made_upkeep = Upkeep(self.home, self.settings, self.catalog, self._encoders)
            return self._made_upkeep

    @property
    def _folders(self) -> FolderSync:
        from pincite.library.folder_sync import FolderSync

        return FolderSync(self.settings, self.catalog, self._upkeep)

    @cached_property
    def _asking(self) -> Asking:
        upkeep = self._upkeep  # first: it opens the encoder
        from pincite.library.asking import Asking

        return Asking(self.settings, self.catalog, upkeep, self.notices)

    # --- Changing the library ---------------------------------------------------------------------

    def ingest(
        self,
        paths: Sequence[str | os.PathLike[str]],
        *,
        collection: str = "default",
        tags: Sequence[str] = (),
        selection: Selection | None = None,
        progress: ProgressCallback | None = None,
        retry: bool = False,
    ) -> IngestReport:
        """Ingest files and folders, recursively. Unchanged files cost only a checksum.

        Folders are synchronised: files moved or deleted there are moved or removed in the library too.
        Unreadable files are reported in `failed`; all others are ingested. An unreadable file is read
        again when it or the reading limits have changed, or with `retry`. The `tags` are added to all
        files found, including unchanged ones. A long ingest stores all files first, so that they are
        found by their words, and encodes the rest after that; if the settings name a different encoder,
        the library is re-encoded. Raises LibraryBusy if another process is ingesting, UsageError for an
        invalid path and for an empty name of a collection or tag.
        """
        from pincite.library.folder_sync import Wanted
        from pincite.library.reencoding import as_ingest_progress

        wanted = Wanted.checked(paths, collection, tags=tags, selection=selection, retry=retry)
        report = self._folders.bring_in(wanted, progress)
        if self.is_behind() and not self._upkeep.encoders.is_withheld():
            # Answers report it if the encoder is unavailable or another process is re-encoding.
            with suppress(ModelError, LibraryBusy):
                encoded = self.reencode(progress=as_ingest_progress(progress))
                report = replace(report, seconds=round(report.seconds + encoded.seconds, 3))
        notice = self.encoder_problem or self.encoder_notice
        is_chosen = self.settings.embedding.model == "none"
        notices = (notice,) if notice and not is_chosen else ()
        return replace(report, notices=(*self.notices, *notices))

    def enqueue(
        self,
        paths: Sequence[str | os.PathLike[str]],
        *,
        collection: str = "default",
        tags: Sequence[str] = (),
        selection: Selection | None = None,
    ) -> tuple[int, tuple[FileProblem, ...]]:
        """Queue files for the workers of a library in a database (docs/scale.md).

        Returns how many files were newly queued, and the paths that are wrong. Nothing is removed.
        Raises UsageError as `ingest` does, and for a library in a folder.
        """
        from pincite.library.folder_sync import Wanted

        self._check_queue()
        from pincite.library.queued_ingest import enqueue

        wanted = Wanted.checked(paths, collection, tags=tags, selection=selection)
        return enqueue(self.catalog, wanted)

    def work(
        self,
        *,
        stop: threading.Event | None = None,
        once: bool = False,
        progress: WorkCallback | None = None,
    ) -> None:
        """Ingest queued files until `stop` is set; with `once`, until none is left.

        Any number of processes on any hosts may work in parallel. Unreadable files are parked.
        """
        self._check_queue()
        from pincite.library.queued_ingest import QueueWorker

        report = progress or (lambda _: None)
        worker = QueueWorker(self.catalog, self.settings, self._upkeep.encoders, report)
        worker.run(stop or threading.Event(), once=once)
        self.catalog.history.compare()

    def queue_status(self) -> QueueStatus:
        """Progress of the workers on all hosts."""
        self._check_queue()
        from pincite.library.queued_ingest import queue_status

        return queue_status(self.catalog)

    def _check_queue(self) -> None:
        if self.home.holds_files:
            raise UsageError(
                f"{self.path}: only a library in a database has a queue; move it there with: "
                f"pincite migrate {self.path} postgresql://..."
            )

    def is_behind(self) -> bool:
        """Whether the settings name a different encoder than the one in use, or vectors are missing."""
        return self._upkeep.encoders.is_behind()

    def reencode(
        self,
        *,
        progress: ReencodeCallback | None = None,
        stop: threading.Event | None = None,
    ) -> ReencodeReport:
        """Re-encode all passages with the encoder that the settings name.

        Questions can be asked meanwhile: the old vectors are used until every passage has a new one.
        A stopped run can be resumed. Raises ModelError if the encoder is unavailable, LibraryBusy if
        another process is re-encoding.
        """
        from pincite.library.reencoding import reencode

        return reencode(
            self.settings,
            self.catalog,
            self._upkeep,
            progress=progress,
            stop=stop or threading.Event(),
        )

    def reencoding_in_background(self) -> AbstractContextManager[None]:
        """Re-encode in a thread during a `with` block, if vectors are missing or outdated.

        For long-running programs. Leaving the block stops the work; the next block resumes it.
        """

        def work(stop: threading.Event) -> None:
            # Every answer, and 'pincite doctor', reports what went wrong.
            with suppress(PinciteError):
                if self.is_behind():
                    self.reencode(stop=stop)

        return in_background(work)

    def watch(
        self,
        folders: Sequence[str | os.PathLike[str]],
        *,
        collection: str = "default",
        tags: Sequence[str] = (),
        selection: Selection | None = None,
        stop: threading.Event | None = None,
    ) -> Iterator[IngestReport]:
        """Watch folders and ingest changes below them; yields a report for each round of changes.

        Ends when `stop` is set. An unreadable file is tried again when it changes. Changes wait while
        another process ingests. Raises UsageError, at the first step, for an invalid path and for an
        empty name of a collection or tag.
        """
        from pincite.library.folder_sync import Wanted

        wanted = Wanted.checked(folders, collection, tags=tags, selection=selection)
        with self.reencoding_in_background():
            yield from self._folders.follow(wanted, stop)

    def plan(
        self,
        paths: Sequence[str | os.PathLike[str]],
        *,
        collection: str = "default",
        selection: Selection | None = None,
    ) -> SyncPlan:
        """What `ingest` would do with these paths; changes nothing. Raises the same errors."""
        from pincite.library.folder_sync import Wanted

        return self._folders.plan(Wanted.checked(paths, collection, selection=selection))

    def remove(
        self, paths: Sequence[str | os.PathLike[str]], *, collection: str = "default"
    ) -> tuple[str, ...]:
        """Remove files, or everything below folders, from the library; returns the removed paths.

        Files on disk are not touched and need not exist. Raises LibraryBusy if another process is
        ingesting.
        """
        named = checked_paths(paths)
        return self._folders.remove(named, checked_text(collection, "the collection"))

    def files(self, *, collection: str | None = None) -> tuple[FileEntry, ...]:
        """Every file in the library, with how much of it is searchable and its old versions.

        Raises UsageError for an unknown collection.
        """
        self.check_collection(collection)
        return self.catalog.files(collection)

    def check_output(self, path: str | os.PathLike[str]) -> None:
        """Raises UsageError if writing to this path would replace a file of the library."""
        check_target(self.path, checked_path(path), self.catalog)

    # --- Asking ------------------------------------------------------------------------------

    def search(
        self,
        text: str,
        *,
        limit: int | None = None,
        collection: str | None = None,
        filters: Filters | None = None,
        explain: bool = False,
        budget_ms: float | None = None,
    ) -> SearchResult:
        """The passages that may answer, best first.

        Only passages of the collection that match the filters are searched. Raises UsageError, with the
        available values, for a collection or filter that matches nothing. With `explain`, the trace
        also lists every passage dropped after fusion. Reranking stops after `budget_ms` milliseconds,
        and the result says so (default: `rerank.budget_ms`).
        """
        asking = self._asking
        from pincite.library.asking import cut
        from pincite.pipeline import search

        most = self.settings.retrieval.limit if limit is None else checked_limit(limit, "limit")
        question = asking.question(
            text, collection, filters=filters, explain=explain, budget_ms=budget_ms
        )
        result = asking.newest(lambda stages: search(question, stages))
        return cut(result, most, keep=self.settings.retrieval.keep)

    def section_of(self, passage: Passage) -> Span:
        """The span of the section that contains a passage."""
        span = passage.span
        start, end = self.catalog.document(span.document_id).section_around(span.start, span.end)
        return Span(document_id=span.document_id, start=start, end=end)

    def ask(
        self,
        text: str,
        *,
        collection: str | None = None,
        filters: Filters | None = None,
        explain: bool = False,
        budget_ms: float | None = None,
        settings: Settings | None = None,
        watch: Callable[[Preview], None] | None = None,
        found: Callable[[Sequence[Hit]], None] | None = None,
    ) -> Answer:
        """An answer made of verified quotes, or an abstention with reasons.

        Options and errors are those of `search`. `settings` replace the library's own for this
        question, except those of ingest and encoder. `found` receives the passages found. `watch`
        receives the quotes before a language model writes, then its statements verified so far; only
        the answer is final.
        """
        asking = self._asking
        from pincite.pipeline import answer_question

        question = asking.question(
            text, collection, filters=filters, explain=explain, budget_ms=budget_ms
        )
        answer = asking.newest(
            lambda stages: answer_question(question, stages, watch, found), settings
        )
        return asking.kept(answer, collection)

    def check_statement(
        self, text: str, *, collection: str | None = None, filters: Filters | None = None
    ) -> CheckedStatement:
        """What the documents say about a statement, with verified quotes for and against it.

        Options and errors are those of `search`.
        """
        asking = self._asking
        from pincite.pipeline import check_statement

        question = asking.question(text, collection, filters=filters)
        return asking.newest(lambda stages: check_statement(question, stages))

    def state_for(
        self, text: str, *, collection: str | None = None, filters: Filters | None = None
    ) -> tuple[str, ...]:
        """Everything an answer depends on, except the bytes of files; equal while the answer would be.

        Options and errors are those of `search`.
        """
        question = self._asking.question(text, collection, filters=filters)
        return (
            question.text,
            repr((collection, question.filters)),
            self._digest,
            *self.catalog.state(),
            _file_state(self.path / "calibration.json"),
            *question.notices,
            *self._upkeep.stages().notices,
        )

    @cached_property
    def _digest(self) -> str:
        return self.settings.digest()

    def count(
        self, words: str, *, collection: str | None = None, filters: Filters | None = None
    ) -> Answer:
        """Count how often words occur in the whole collection, with a citation for every mention.

        All forms of a word count; words in quotation marks must match exactly. Raises UsageError as
        `search` does.
        """
        asking = self._asking
        from pincite.pipeline import survey
        from pincite.retrieve.count_questions import count_request

        question = asking.question(words, collection, filters=filters)
        request = count_request(words)
        answer = asking.newest(lambda stages: survey(question, request, stages))
        return asking.kept(answer, collection)

    def save_receipt(
        self,
        answer: Answer,
        path: str | os.PathLike[str],
        *,
        key: str | os.PathLike[str] | None = None,
        air_gap: str | os.PathLike[str] | None = None,
    ) -> None:
        """Write an answer to a .json or .html file that `verify_receipt` can check.

        `key` is the file of a private key to sign it with, `air_gap` the result of `doctor --offline`.
        """
        from pincite.verify.receipts.saved import saved_answer, write_whole

        target = Path(path)
        content = saved_answer(
            answer,
            self.catalog,
            target,
            Path(key) if key else None,
            air_gap=Path(air_gap) if air_gap else None,
        )
        write_whole(target, content)

    def why(
        self,
        text: str,
        passage: str,
        *,
        collection: str | None = None,
        filters: Filters | None = None,
    ) -> tuple[Fate, ...]:
        """Explain at which stage passages were dropped, or how they were used in the answer.

        `passage` is a passage id, FILE:PAGE, or words in the passage; returns one `Fate` for each
        matching passage. Raises UsageError if too many match.
        """
        from pincite.library.explain import Inquiry

        inquiry = Inquiry(self.catalog, self._upkeep, self.settings)
        return inquiry.fates(self._asking.question(text, collection, filters=filters), passage)

    def check_collection(self, collection: str | None) -> None:
        """Raises UsageError, with the existing collections, for an unknown one."""
        if collection is not None:
            self._asking.check_collection(collection)

    # --- Contents and components ------------------------------------------------------------------

    def stats(self) -> Stats:
        """Counts, sizes, and all problems reported about files."""
        totals = self.catalog.counts()
        files = (path for path in self.path.rglob("*") if path.is_file())
        return Stats(
            documents=totals["documents"],
            passages=totals["passages"],
            pages=totals["pages"],
            collections=self.catalog.collections(),
            corpus_version=self.catalog.meta("corpus_version"),
            generation=self.catalog.generation(),
            bytes_on_disk=sum(path.stat().st_size for path in files)
            + self.catalog.store.bytes_elsewhere(),
            failures=self.catalog.failures(),
            files=self.catalog.files(),
        )

    def check_catalog(self) -> None:
        """Read the whole catalog. Raises LibraryDamaged if it is damaged."""
        self.catalog.check_pages(thoroughly=True)

    def check_offsets(self, *, sample: int = 200) -> OffsetCheck:
        """Read files again and compare random sentences with the stored text."""
        from pincite.assemble.files import open_reader
        from pincite.verify.quotes.checking import check_offsets

        with open_reader(self.settings) as reader:
            return check_offsets(
                self.catalog, reader, sample=sample, seed=self.catalog.meta("corpus_version")
            )

    def parser_confinement(self) -> str:
        """The kernel's restrictions on the parser processes. Raises ReadError if there are none."""
        from pincite.assemble.files import open_reader
        from pincite.ingest.sandbox.confinement import confinement_summary

        with open_reader(self.settings) as reader:
            return confinement_summary(reader.in_force())

    def check_vectors(self, *, sample: int = 20) -> VectorCheck:
        """Encode random passages again and compare the vectors; checks none without an encoder.

        Raises ModelError if the encoder's server does not answer.
        """
        from pincite.library.encoders import check_vectors

        seed = self.catalog.meta("corpus_version")
        return check_vectors(self.catalog, self.encoder(), sample=sample, seed=seed)

    def encoder(self) -> VectorEncoder | None:
        """The active encoder, loaded at first use; None in lexical-only mode."""
        return self._upkeep.encoders.serving()

    @property
    def encoder_problem(self) -> str:
        """Why there is no encoder; empty if there is one."""
        return self._upkeep.encoders.problem

    @property
    def encoder_notice(self) -> str:
        """Says that, and why, the encoder in use is not the configured one; empty if it is."""
        notice = self._upkeep.encoders.notice()
        why = self._upkeep.encoders.why_substitute
        return f"{notice}: {why}" if notice and why else notice

    def reranker(self) -> tuple[PairScorer | None, str]:
        """The reranking model, if the settings name one, and what is wrong with it."""
        writer, _ = self._upkeep.writers.for_settings(self.settings)
        scorer, _ = self._upkeep.scorers.for_settings(self.settings, writer)
        return scorer, self._upkeep.scorers.problem(self.settings, writer)

    def writer(self) -> tuple[LanguageModel | None, str]:
        """The language model, if the settings name one, and what is wrong with it."""
        if self.settings.generation.model == "none":
            return None, ""
        return self._upkeep.writers.named(self.settings.generation)

    def entailment_model(self) -> tuple[EntailmentModel | None, str]:
        """The model that checks a language model's statements, if set, and what is wrong with it."""
        return self._upkeep.scorers.entailment_of(self.settings)

    def stages(self) -> AnswerStages:
        """The answering stages for the current state of the library."""
        return self._upkeep.stages()

    def stages_with(self, settings: Settings) -> AnswerStages:
        """The answering stages with other settings, except those of ingest and encoder."""
        return self._upkeep.stages_with(settings)

    def forget_questions(self) -> None:
        """Clear the caches of earlier questions: vectors, token states, texts."""
        self._upkeep.forget_questions()

    def uncalibrated_stages(self) -> AnswerStages:
        """Stages that answer at any confidence, computed with the shipped calibration."""
        verification = self.settings.verification.model_copy(update={"abstain_below": 0.0})
        settings = self.settings.model_copy(update={"verification": verification})
        return self._upkeep.stages_with(settings, calibrated=False)

    def keep_calibration(self, calibration: Calibration) -> Path:
        """Use this calibration for all answers from now on; returns the file it is kept in."""
        from pincite.verify.abstention.calibration import save_calibration

        with writing(self.catalog):
            kept = save_calibration(self.path, calibration)
            self.home.share(self.catalog, kept.name)
        self._upkeep.forget_stages()
        return kept

    def keep_settings(self, content: bytes) -> None:
        """Replace settings.toml, effective at the next opening. Raises SettingsError if invalid."""
        with TemporaryDirectory() as folder:
            (Path(folder) / SETTINGS_FILE).write_bytes(content)
            load_settings(Path(folder))
        with writing(self.catalog):
            (self.path / SETTINGS_FILE).write_bytes(content)
            self.home.share(self.catalog, SETTINGS_FILE)

    def index_state(self) -> tuple[Indexes | None, str]:
        """The indexes as they are on disk, or why they are unusable; repairs nothing."""
        return self._upkeep.on_disk()


def _file_state(file: Path) -> str:
    """A hash of a file's content, the same on all hosts; empty if it cannot be read."""
    try:
        return hashlib.sha256(read_regular(file)).hexdigest()
    except OSError:
        return ""
