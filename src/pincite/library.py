"""One library on disk: open, ingest, remove, search, ask."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from pincite.ahead import beside
from pincite.arguments import (
    checked_limit,
    checked_path,
    checked_paths,
    checked_text,
    checked_texts,
)
from pincite.assemble.files import ingest_stages, open_reader, reading_conditions
from pincite.catalog.catalog import Catalog
from pincite.document import Span
from pincite.errors import (
    DocumentGone,
    LibraryBusy,
    LibraryError,
    ModelError,
    PinciteError,
    UsageError,
)
from pincite.fate import Fate
from pincite.filters import Filters
from pincite.holdings import FileEntry, FileProblem, IngestReport
from pincite.index.indexes import Indexes
from pincite.ingest.discover import Discovery
from pincite.ingest.selection import Selection
from pincite.ingest.watch import watched
from pincite.intake import Intake, ProgressCallback, recipe
from pincite.library_folder import CATALOG_FILE, check_folder, is_ours, remember_profile
from pincite.pipeline import AnswerStages, answer_question, search, survey
from pincite.records import Answer, Hit, Passage, Preview, Question, SearchResult
from pincite.reencode import ReencodeCallback, ReencodeReport, as_ingest_progress, reencode
from pincite.settings import Layer, Settings, load_settings
from pincite.stages import LanguageModel, PairScorer, VectorEncoder
from pincite.survey.asked import count_request
from pincite.sync_plan import Digests, SyncPlan
from pincite.upkeep import Upkeep, writing
from pincite.vector_check import VectorCheck, check_vectors
from pincite.verify.calibration import Calibration, save_calibration
from pincite.verify.entailment import EntailmentModel
from pincite.verify.offsets import OffsetCheck, check_offsets
from pincite.verify.receipt import ReceiptCheck, answer_form
from pincite.verify.saved import check_saved, load_saved, saved_answer, write_whole
from pincite.verify.sealing import sealed
from pincite.why import Inquiry

_Found = TypeVar("_Found")

LONGEST_QUESTION = 10_000
"""Characters. Longer is a pasted document, not a question."""

_ASKED_AT_MOST = 5
"""How often a question is asked of a library out of which files are taken meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """What a library holds."""

    documents: int
    passages: int
    pages: int
    collections: dict[str, int]
    corpus_version: str
    generation: int
    bytes_on_disk: int
    failures: tuple[FileProblem, ...]
    files: tuple[FileEntry, ...]
    """Every file with how much of it can be found."""


class Library:
    """A folder that holds documents, passages and indexes.

    >>> library = Library.open("my-library")          # doctest: +SKIP
    >>> library.ingest(["manuals/"])                  # doctest: +SKIP
    >>> library.ask("Which torque for the M8 bolts?") # doctest: +SKIP

    Objects may be used from several threads, and several processes may read while one ingests.
    """

    def __init__(self, path: Path, settings: Settings) -> None:
        self.path = path
        self.settings = settings
        self.catalog = Catalog(path / CATALOG_FILE, keep_versions=settings.ingest.keep_versions)
        self._digests = Digests()
        self._upkeep = Upkeep(path, settings, self.catalog)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        create: bool = True,
        profile: str = "",
        overrides: Layer | None = None,
    ) -> Self:
        """Open the library in a folder; with `create`, make one where there is none.

        A library that is made with a `profile` keeps it, as a line in its settings.toml; for any
        other the profile counts this time. `overrides` are settings that count more than the
        environment and the library's own file. Raises LibraryError when the folder cannot be used,
        SettingsError for a bad setting.
        """
        folder = checked_path(path).absolute()
        is_new = check_folder(folder, create=create)
        settings, _ = load_settings(folder, profile=profile, overrides=overrides)
        if is_new and profile:
            remember_profile(folder, profile)
        return cls(folder, settings)

    def close(self) -> None:
        """Release files. The library can be opened again at any time."""
        self.catalog.close()
        self._upkeep.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # --- Changing what it holds -------------------------------------------------------------------

    def ingest(
        self,
        paths: Sequence[str | os.PathLike[str]],
        *,
        collection: str = "default",
        tags: Sequence[str] = (),
        selection: Selection | None = None,
        progress: ProgressCallback | None = None,
    ) -> IngestReport:
        """Take in files and folders, recursively. Unchanged files cost a checksum and no more.

        Folders are brought in step: what was moved or deleted there, is in the library too. Files
        that cannot be read are reported in `failed`; the others go in. All files that are found,
        unchanged ones too, get the `tags` in addition to those they have. If the settings name
        another encoder than before, the library is then encoded anew. Raises LibraryBusy when
        another process is ingesting.
        """
        with writing(self.path):
            self._upkeep.encoders.remember()
            intake = self._intake(collection, tags=tags)
            found, plan = intake.plan(
                checked_paths(paths), selection=selection, digests=self._digests
            )
            report = self._carry_out(intake, found, plan, progress)
        if self.is_behind():
            # Answers tell what is missing when the encoder cannot be had or another process is at it.
            with suppress(ModelError, LibraryBusy):
                self.reencode(progress=as_ingest_progress(progress))
        told = self.encoder_problem or self.encoder_notice
        is_chosen = self.settings.embedding.model == "none"
        return replace(report, notices=(told,) if told and not is_chosen else ())

    def is_behind(self) -> bool:
        """Whether the settings name another encoder than the one in use, or vectors are missing."""
        return self._upkeep.encoders.is_behind()

    def reencode(
        self,
        *,
        progress: ReencodeCallback | None = None,
        stop: threading.Event | None = None,
    ) -> ReencodeReport:
        """Bring all vectors to the encoder that the settings name; questions are answered meanwhile.

        The old vectors serve until every passage has new ones. May be stopped at any time, and goes
        on from there. Raises ModelError when the encoder cannot be had, LibraryBusy when another
        process is at it.
        """
        return reencode(
            self.path,
            self.settings.embedding,
            self.catalog,
            self._upkeep,
            progress=progress,
            stop=stop or threading.Event(),
        )

    def reencoding_beside(self) -> AbstractContextManager[None]:
        """Bring the vectors up in a thread while a `with` block runs, if they are behind.

        For programs that hold a library for long. Leaving the block stops it; the next one goes on.
        """

        def work(stop: threading.Event) -> None:
            # What went wrong is told by every answer, and by 'pincite doctor'.
            with suppress(PinciteError):
                if self.is_behind():
                    self.reencode(stop=stop)

        return beside(work)

    def watch(
        self,
        folders: Sequence[str | os.PathLike[str]],
        *,
        collection: str = "default",
        tags: Sequence[str] = (),
        selection: Selection | None = None,
        stop: threading.Event | None = None,
    ) -> Iterator[IngestReport]:
        """Follow folders: a report each time that something has changed below them.

        Ends when `stop` is set. A file that could not be read is tried again when it changes. While
        another process ingests, the changes wait.
        """
        with self.reencoding_beside():
            yield from self._watch(checked_paths(folders), collection, tags, selection, stop)

    def _watch(
        self,
        paths: Sequence[Path],
        collection: str,
        tags: Sequence[str],
        selection: Selection | None,
        stop: threading.Event | None,
    ) -> Iterator[IngestReport]:
        is_behind = False
        for has_changed in watched(paths, stop):
            is_behind = is_behind or has_changed
            if not is_behind:
                continue
            try:
                report = self._follow(paths, collection, selection, tags)
            except LibraryBusy:
                continue
            is_behind = False
            if report is not None:
                yield report

    def _follow(
        self,
        paths: Sequence[Path],
        collection: str,
        selection: Selection | None,
        tags: Sequence[str],
    ) -> IngestReport | None:
        """Bring the library in step; None when it was."""
        with writing(self.path):
            self._upkeep.encoders.remember()
            intake = self._intake(collection, self._given_up(collection), tags)
            found, plan = intake.plan(paths, selection=selection, digests=self._digests)
            if not plan.changes:
                return None
            return self._carry_out(intake, found, plan)

    def _carry_out(
        self,
        intake: Intake,
        found: Discovery,
        plan: SyncPlan,
        progress: ProgressCallback | None = None,
    ) -> IngestReport:
        report = intake.run(found, plan, progress)
        self._upkeep.bring_indexes_up()
        return replace(
            report,
            stale_answers=self.catalog.history.compare(),
            # Looking through the folders and indexing are waited for as well.
            seconds=round(time.perf_counter() - intake.started, 3),
        )

    def _given_up(self, collection: str) -> dict[str, str]:
        """Files that could not be read, and the document ids of their bytes."""
        found = {}
        for problem in self.catalog.failures(collection):
            document_id = self._digests.document_id(Path(problem.path))
            if document_id is not None:
                found[problem.path] = document_id
        return found

    def plan(
        self,
        paths: Sequence[str | os.PathLike[str]],
        *,
        collection: str = "default",
        selection: Selection | None = None,
    ) -> SyncPlan:
        """What `ingest` would do with these paths; nothing is changed."""
        intake = self._intake(collection)
        return intake.plan(checked_paths(paths), selection=selection, digests=self._digests)[1]

    def _intake(
        self,
        collection: str,
        given_up: Mapping[str, str] | None = None,
        tags: Sequence[str] = (),
    ) -> Intake:
        if not checked_text(collection, "the collection").strip():
            raise UsageError("the collection has no name; give one, such as 'default'")
        if any(not tag.strip() for tag in checked_texts(tags, "the tags")):
            raise UsageError("a tag is empty; give it a name, such as 'manual'")
        return Intake(
            self.catalog,
            ingest_stages(self.settings, self.catalog, self.encoder()),
            collection=collection,
            recipe=recipe(self.settings.chunking, reading_conditions(self.settings)),
            given_up=given_up,
            tags=tags,
        )

    def remove(
        self, paths: Sequence[str | os.PathLike[str]], *, collection: str = "default"
    ) -> tuple[str, ...]:
        """Forget files, or everything below folders; gives the paths that were removed.

        The files on the disk are not touched and need not be there any more.
        """
        named = checked_paths(paths)
        checked_text(collection, "the collection")
        with writing(self.path):
            known = self.catalog.paths(collection)
            # A link is held under its own name where that tells what kind of file it leads to.
            links = (os.path.join(os.path.realpath(path.parent), path.name) for path in named)
            wanted = {*map(os.path.realpath, named), *links}
            removed = tuple(
                path
                for path in known
                if any(path == w or path.startswith(os.path.join(w, "")) for w in wanted)
            )
            for path in removed:
                self.catalog.remove(collection, path)
            self._upkeep.bring_indexes_up()
            self.catalog.history.compare()
        return removed

    def files(self, *, collection: str | None = None) -> tuple[FileEntry, ...]:
        """Every file the library holds, with how much of it can be found and its old versions.

        Raises UsageError for a collection that is not there.
        """
        self.check_collection(collection)
        return self.catalog.files(collection)

    def check_output(self, path: str | os.PathLike[str]) -> None:
        """Raises UsageError where writing to this path would replace a file of the library."""
        target = checked_path(path)
        names = (os.path.realpath(target), os.path.abspath(target))
        # No file held has a name that is not UTF-8, nor this one with signs for its bytes.
        readable = {os.fsencode(name).decode("utf-8", "replace") for name in names}
        if self.catalog.holds(readable) or is_ours(self.path, target):
            raise UsageError(
                f"{target}: is a file of this library and would be replaced; choose another name"
            )

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

        Only those of the collection that the filters let through are looked at. Raises UsageError
        for a collection or a filter that nothing fulfils, and says what there is. With `explain`,
        the trace also names every passage that was cut after fusion. After `budget_ms` milliseconds
        no further passage is compared; the result says so (default: `rerank.budget_ms`).
        """
        most = self.settings.retrieval.limit if limit is None else checked_limit(limit, "limit")
        question = self._question(
            text, collection, filters=filters, explain=explain, budget_ms=budget_ms
        )
        result = self._asked(lambda stages: search(question, stages))
        kept, keep = shown(result.hits, most), self.settings.retrieval.keep
        is_cut = most > keep <= len(result.hits)
        cut = f"at most {keep} hits instead of {most}: raise retrieval.keep to see more"
        return SearchResult(
            question=result.question,
            hits=kept,
            notices=(*result.notices, cut) if is_cut else result.notices,
            timings=result.timings,
            traced=result.traced,
        )

    def section_of(self, passage: Passage) -> Span:
        """The whole section that a passage is part of."""
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
    ) -> Answer:
        """An answer made of verified quotes, or an abstention with reasons.

        The options are those of `search`. `settings` count this once instead of the library's own,
        except those of ingest and encoder. `watch` is given the statements that hold so far while a
        language model writes; the answer has the last word.
        """
        question = self._question(
            text, collection, filters=filters, explain=explain, budget_ms=budget_ms
        )
        answer = self._asked(lambda stages: answer_question(question, stages, watch), settings)
        return self._kept(answer, collection)

    def count(
        self, words: str, *, collection: str | None = None, filters: Filters | None = None
    ) -> Answer:
        """How often words stand in the whole collection, with a citation for every mention.

        Any form of the words counts; of words in quotation marks only that one.
        """
        question = self._question(words, collection, filters=filters)
        request = count_request(words)
        answer = self._asked(lambda stages: survey(question, request, stages))
        return self._kept(answer, collection)

    def _asked(
        self, ask: Callable[[AnswerStages], _Found], settings: Settings | None = None
    ) -> _Found:
        """What the newest stages say.

        Asked again where a document that they found is gone meanwhile, and without the encoder where
        it fails. Raises DocumentGone when the first does not end.
        """
        newest = self.stages if settings is None else partial(self.stages_with, settings)
        for _ in range(_ASKED_AT_MOST - 1):
            try:
                return ask(newest())
            except DocumentGone:
                self._upkeep.forget_stages()
            except ModelError as error:
                if self.encoder_problem:  # It was not asked.
                    raise
                self._upkeep.encoders.rest(error)
                self._upkeep.forget_stages()
        return ask(newest())

    def _kept(self, answer: Answer, collection: str | None) -> Answer:
        if not self.settings.history.keep:
            return answer
        try:
            self.catalog.history.keep(sealed(answer_form(answer)), collection)
        except LibraryError as error:
            return replace(answer, reasons=(*answer.reasons, f"this answer is not kept: {error}"))
        return answer

    def save_receipt(
        self,
        answer: Answer,
        path: str | os.PathLike[str],
        *,
        key: str | os.PathLike[str] | None = None,
    ) -> None:
        """Write an answer to a file, .json or .html, that `verify_receipt` checks.

        `key` is the file of a private key that signs it.
        """
        target = Path(path)
        write_whole(target, saved_answer(answer, self.catalog, target, Path(key) if key else None))

    def why(
        self,
        text: str,
        passage: str,
        *,
        collection: str | None = None,
        filters: Filters | None = None,
    ) -> tuple[Fate, ...]:
        """Where passages were lost on the way to the answer, or how they were used.

        `passage` is a passage's id, FILE:PAGE, or words that stand in the passage; there is one
        `Fate` for each passage it means.
        """
        inquiry = Inquiry(self.catalog, self._upkeep, self.settings)
        return inquiry.fates(self._question(text, collection, filters=filters), passage)

    def _question(
        self,
        text: str,
        collection: str | None,
        *,
        filters: Filters | None = None,
        explain: bool = False,
        budget_ms: float | None = None,
    ) -> Question:
        if not checked_text(text, "the question").strip():
            raise UsageError("the question is empty; ask something, such as 'What is ...?'")
        if len(text) > LONGEST_QUESTION:
            raise UsageError(
                f"the question has {len(text):,} characters; at most {LONGEST_QUESTION:,} are "
                "taken: ask about one thing at a time"
            )
        self.check_collection(collection)
        self.catalog.allowed_keys(collection, filters or Filters())  # tells wrong filters now
        budget = self.settings.rerank.budget_ms if budget_ms is None else budget_ms
        return Question(
            text=text,
            collection=collection,
            filters=filters or Filters(),
            explain=explain,
            deadline=time.perf_counter() + budget / 1000 if budget else None,
        )

    def check_collection(self, collection: str | None) -> None:
        """Raises UsageError, and says what there is, for a collection that is not there."""
        if collection is None:
            return
        if not self.catalog.has_collection(checked_text(collection, "the collection")):
            there_are = ", ".join(self.catalog.collections()) or "none yet"
            raise UsageError(f"there is no collection '{collection}'; there are: {there_are}")

    # --- What it is made of -----------------------------------------------------------------------

    def stats(self) -> Stats:
        """Counts, sizes and everything that was reported about files."""
        totals = self.catalog.counts()
        files = (path for path in self.path.rglob("*") if path.is_file())
        return Stats(
            documents=totals["documents"],
            passages=totals["passages"],
            pages=totals["pages"],
            collections=self.catalog.collections(),
            corpus_version=self.catalog.meta("corpus_version"),
            generation=self.catalog.generation(),
            bytes_on_disk=sum(path.stat().st_size for path in files),
            failures=self.catalog.failures(),
            files=self.catalog.files(),
        )

    def check_offsets(self, *, sample: int = 200) -> OffsetCheck:
        """Read files again and compare random sentences with what is stored."""
        with open_reader(self.settings) as reader:
            return check_offsets(
                self.catalog, reader, sample=sample, seed=self.catalog.meta("corpus_version")
            )

    def check_vectors(self, *, sample: int = 20) -> VectorCheck:
        """Encode random passages again and compare; without an encoder none is checked.

        Raises ModelError when the encoder's server cannot be asked.
        """
        encoder = self.encoder()
        if encoder is None:
            return VectorCheck(checked=0, alike=0, problems=())
        seed = self.catalog.meta("corpus_version")
        return check_vectors(self.catalog, encoder, sample=sample, seed=seed)

    def encoder(self) -> VectorEncoder | None:
        """The encoder in use, loaded at first use; None in lexical-only mode."""
        return self._upkeep.encoders.serving()

    @property
    def encoder_problem(self) -> str:
        """Why there is no encoder; empty when there is one."""
        return self._upkeep.encoders.problem

    @property
    def encoder_notice(self) -> str:
        """That another encoder is wanted than the one in use, and why; empty when it is not so."""
        told = self._upkeep.encoders.notice()
        why = self._upkeep.encoders.why_substitute
        return f"{told}: {why}" if told and why else told

    def reranker(self) -> tuple[PairScorer | None, str]:
        """The model that reads candidates, if the settings name one, and what is wrong with it."""
        writer, _ = self._upkeep.writers.of(self.settings)
        scorer, _ = self._upkeep.scorers.of(self.settings, writer)
        return scorer, self._upkeep.scorers.problem(self.settings, writer)

    def writer(self) -> tuple[LanguageModel | None, str]:
        """The language model that the settings name, if any, and what is wrong with it."""
        if self.settings.generation.model == "none":
            return None, ""
        return self._upkeep.writers.named(self.settings.generation)

    def entailment_model(self) -> tuple[EntailmentModel | None, str]:
        """What judges the statements of a language model, if one is set, and what is wrong with it."""
        return self._upkeep.scorers.entailment_of(self.settings)

    def stages(self) -> AnswerStages:
        """The answering stages over the newest state of the library."""
        return self._upkeep.stages()

    def stages_with(self, settings: Settings) -> AnswerStages:
        """The answering stages under other settings; those of ingest and encoder stay as they are."""
        return self._upkeep.stages_with(settings)

    def forget_questions(self) -> None:
        """Drop what earlier questions left in memory: their vectors, token states, texts."""
        self._upkeep.forget_questions()

    def uncalibrated_stages(self) -> AnswerStages:
        """Stages that answer whatever the confidence, which is the shipped model's."""
        verification = self.settings.verification.model_copy(update={"abstain_below": 0.0})
        settings = self.settings.model_copy(update={"verification": verification})
        return self._upkeep.stages_with(settings, calibrated=False)

    def keep_calibration(self, calibration: Calibration) -> Path:
        """Let answers from now on say, and be held to, what was found; gives where it is kept."""
        with writing(self.path):
            kept = save_calibration(self.path, calibration)
        self._upkeep.forget_stages()
        return kept

    def index_state(self) -> tuple[Indexes | None, str]:
        """The indexes as they are on disk, or why they cannot be used; nothing is repaired."""
        return self._upkeep.on_disk()


def shown(hits: Sequence[Hit], limit: int) -> tuple[Hit, ...]:
    """The first `limit` hits; those that must be kept take the places of the last ones."""
    first, later = list(hits[:limit]), [hit for hit in hits[limit:] if hit.must_keep]
    for place in reversed(range(len(first))):
        if later and not first[place].must_keep:
            first[place] = later.pop(0)
    return tuple(sorted(first, key=lambda hit: -hit.score))


def verify_receipt(
    path: str | os.PathLike[str],
    *,
    root: str | os.PathLike[str] | None = None,
    public_key: str | os.PathLike[str] | None = None,
) -> ReceiptCheck:
    """Check a saved answer or report against the files it cites. Needs no library.

    With `public_key`, the file of one, it must be signed by that key. Raises ReceiptError when the
    file is neither an answer nor a report.
    """
    saved = load_saved(checked_path(path))
    settings, _ = load_settings()
    with open_reader(settings) as reader:
        return check_saved(
            saved,
            reader,
            root=Path(root) if root else None,
            public_key=Path(public_key) if public_key else None,
        )
