"""One library on disk: open, ingest, remove, search, ask."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

from pincite.assemble import answer_stages, ingest_stages, open_encoder, open_reader
from pincite.catalog.catalog import Catalog
from pincite.embed.encoder import MiniLmEncoder
from pincite.errors import LibraryBusy, LibraryError, UsageError
from pincite.index.indexes import Indexes, IndexFolder
from pincite.intake import Intake, ProgressCallback, recipe
from pincite.pipeline import AnswerStages, answer_question, search
from pincite.records import Answer, FileProblem, IngestReport, Question, SearchResult
from pincite.settings import SETTINGS_FILE, Layer, Settings, load_settings
from pincite.verify.offsets import OffsetCheck, check_offsets
from pincite.verify.receipt import ReceiptCheck, check_receipt, load_receipt

CATALOG_FILE = "catalog.sqlite3"
LONGEST_QUESTION = 10_000
"""Characters. Longer is a pasted document, not a question."""

_LOOK_AGAIN_SECONDS = 2.0
"""While another process ingests, its finished indexes are looked for this often."""

_OURS = {CATALOG_FILE, SETTINGS_FILE, "index", "encoder", "write.lock"}


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
    warnings: tuple[FileProblem, ...]


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
        self.catalog = Catalog(path / CATALOG_FILE)
        self._encoder: MiniLmEncoder | None = None
        self._encoder_notice: str | None = None
        self._indexes: Indexes | None = None
        self.index_problem = ""
        """Why the index had to be rebuilt when it was last looked at; empty if it was in order."""
        self._stages: AnswerStages | None = None
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._refreshing = threading.RLock()
        self._look_again = 0.0

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, create: bool = True, overrides: Layer | None = None
    ) -> Self:
        """Open the library in a folder; with `create`, make one where there is none.

        `overrides` are settings that count more than the environment and the library's own file.
        Raises LibraryError when the folder cannot be used, SettingsError for a bad setting.
        """
        folder = Path(path).absolute()
        _check_folder(folder, create=create)
        settings, _ = load_settings(folder, overrides=overrides)
        return cls(folder, settings)

    def close(self) -> None:
        """Release files. The library can be opened again at any time."""
        self.catalog.close()
        if self._temporary:
            self._temporary.cleanup()

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
        progress: ProgressCallback | None = None,
    ) -> IngestReport:
        """Take in files and folders, recursively. Unchanged files cost a checksum and no more.

        Files that cannot be read are reported in `failed`; the others go in. Raises LibraryBusy
        when another process is ingesting.
        """
        if isinstance(paths, str | os.PathLike):
            paths = [paths]
        if not collection.strip():
            raise UsageError("the collection has no name; give one, such as 'default'")
        encoder = self.encoder()
        model = encoder.name if encoder else None
        with self._writing():
            intake = Intake(
                self.catalog,
                ingest_stages(self.settings, self.catalog, encoder),
                collection=collection,
                recipe=recipe(self.settings.chunking, model),
            )
            report = intake.run([Path(path) for path in paths], progress)
            self._bring_indexes_up(may_write=True)
        return report

    def remove(
        self, paths: Sequence[str | os.PathLike[str]], *, collection: str = "default"
    ) -> tuple[str, ...]:
        """Forget files, or everything below folders; gives the paths that were removed.

        The files on the disk are not touched and need not be there any more.
        """
        with self._writing():
            known = self.catalog.paths(collection)
            wanted = [os.path.realpath(path) for path in paths]
            removed = tuple(
                path
                for path in known
                if any(path == w or path.startswith(os.path.join(w, "")) for w in wanted)
            )
            for path in removed:
                self.catalog.remove(collection, path)
            self._bring_indexes_up(may_write=True)
        return removed

    # --- Asking ------------------------------------------------------------------------------

    def search(
        self, text: str, *, limit: int | None = None, collection: str | None = None
    ) -> SearchResult:
        """The passages that may answer, best first."""
        question = self._question(text, collection)
        result = search(question, self.stages())
        kept = result.hits[: limit or self.settings.retrieval.limit]
        return SearchResult(
            question=result.question,
            hits=kept,
            notices=result.notices,
            timings=result.timings,
            trace=result.trace,
        )

    def ask(self, text: str, *, collection: str | None = None) -> Answer:
        """An answer made of verified quotes, or an abstention with reasons."""
        return answer_question(self._question(text, collection), self.stages())

    def _question(self, text: str, collection: str | None) -> Question:
        if not text.strip():
            raise UsageError("the question is empty; ask something, such as 'What is ...?'")
        if len(text) > LONGEST_QUESTION:
            raise UsageError(
                f"the question has {len(text):,} characters; at most {LONGEST_QUESTION:,} are "
                "taken: ask about one thing at a time"
            )
        known = self.catalog.collections()
        if collection is not None and collection not in known:
            there_are = ", ".join(known) or "none yet"
            raise UsageError(f"there is no collection '{collection}'; there are: {there_are}")
        return Question(text=text, collection=collection)

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
            warnings=self.catalog.warnings(),
        )

    def check_offsets(self, *, sample: int = 200) -> OffsetCheck:
        """Read files again and compare random sentences with what is stored."""
        with open_reader(self.settings) as reader:
            return check_offsets(
                self.catalog, reader, sample=sample, seed=self.catalog.meta("corpus_version")
            )

    def encoder(self) -> MiniLmEncoder | None:
        """The encoder, loaded at first use; None in lexical-only mode."""
        if self._encoder_notice is None:
            self._encoder, self._encoder_notice = open_encoder(self.settings, self.path / "encoder")
        return self._encoder

    @property
    def encoder_problem(self) -> str:
        """Why there is no encoder; empty when there is one."""
        self.encoder()
        return self._encoder_notice or ""

    def stages(self) -> AnswerStages:
        """The answering stages over the newest state of the library."""
        with self._refreshing:
            if self._stages is None or self._is_stale():
                notices = self._refresh()
                assert self._indexes is not None
                self._stages = answer_stages(
                    self.settings, self.catalog, self._indexes, self.encoder(), notices
                )
            return self._stages

    def index_state(self) -> tuple[Indexes | None, str]:
        """The indexes as they are on disk, or why they cannot be used; nothing is repaired."""
        return self._index_folder().load(self.catalog)

    def _is_stale(self) -> bool:
        """Whether the catalog has moved on and it is time to look for newer indexes."""
        if self._indexes is None or time.monotonic() < self._look_again:
            return self._indexes is None
        return self._indexes.manifest.generation != self.catalog.generation()

    def _refresh(self) -> tuple[str, ...]:
        """Bring the indexes in step; gives what every result must say."""
        encoder = self.encoder()
        notices = [self._encoder_notice] if self._encoder_notice else []
        self.catalog.forget_texts()
        try:
            with self._writing():
                self._bring_indexes_up(may_write=True)
        except LibraryBusy:
            self._bring_indexes_up(may_write=False)
            self._look_again = time.monotonic() + _LOOK_AGAIN_SECONDS
            notices.append("an ingest is running: files it has not finished are not searched yet")
        except PermissionError:
            self._use_temporary_indexes()
        if encoder and self._indexes and len(self._indexes.dense) < len(self._indexes.lexical):
            missing = len(self._indexes.lexical) - len(self._indexes.dense)
            notices.append(
                f"{missing} passages were ingested without the encoder and are found by their "
                "words only: ingest their files again"
            )
        return tuple(notices)

    def _bring_indexes_up(self, *, may_write: bool) -> None:
        folder = self._index_folder()
        indexes, problem = folder.load(self.catalog)
        if not may_write:
            if indexes is None:
                raise LibraryBusy(
                    f"{self.path}: the first ingest is still running and there is no index yet; "
                    "try again when it is done"
                )
        elif indexes is None:
            indexes = folder.rebuild(self.catalog)
        elif indexes.manifest.generation < self.catalog.generation():
            indexes = folder.update(self.catalog, indexes)
        self.index_problem = problem
        self._indexes = indexes
        self._stages = None

    def _use_temporary_indexes(self) -> None:
        """For a library on a read-only disk: what is there if in step, else made anew elsewhere."""
        indexes, _ = self._index_folder().load(self.catalog)
        if indexes is None or indexes.manifest.generation < self.catalog.generation():
            self._temporary = tempfile.TemporaryDirectory(prefix="pincite-")
            indexes = self._index_folder(Path(self._temporary.name)).rebuild(self.catalog)
        self._indexes = indexes

    def _index_folder(self, folder: Path | None = None) -> IndexFolder:
        encoder = self.encoder()
        return IndexFolder(
            folder or self.path / "index",
            model=encoder.name if encoder else None,
            dimensions=MiniLmEncoder.dimensions,
        )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the library's write lock; the system frees it when a process dies."""
        if not os.access(self.path, os.W_OK):
            raise PermissionError(f"{self.path}: the library cannot be written")
        lock = FileLock(self.path / "write.lock", timeout=0)
        try:
            lock.acquire()
        except Timeout as error:
            raise LibraryBusy(
                f"{self.path}: another process is ingesting into this library; "
                "wait until it is done, or use another library"
            ) from error
        try:
            with _storage_errors(self.path):
                yield
        finally:
            lock.release()


def verify_receipt(
    path: str | os.PathLike[str], *, root: str | os.PathLike[str] | None = None
) -> ReceiptCheck:
    """Check a saved answer against the files it cites. Needs no library.

    Raises ReceiptError when the file is not a saved answer.
    """
    receipt = load_receipt(Path(path))
    settings, _ = load_settings()
    with open_reader(settings) as reader:
        return check_receipt(receipt, reader, root=Path(root) if root else None)


@contextmanager
def _storage_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise LibraryError(
            f"{path}: writing failed ({error.strerror or error}); everything ingested before is "
            "safe: make room or give access, and run the same command again"
        ) from error


def _check_folder(folder: Path, *, create: bool) -> None:
    if (folder / CATALOG_FILE).exists():
        return
    if not create:
        raise LibraryError(
            f"there is no library in {folder}; "
            f"make one with: pincite ingest PATH --library {folder}"
        )
    if folder.exists() and not folder.is_dir():
        raise LibraryError(f"{folder} is a file; a library is a folder: choose another name")
    strangers = {item.name for item in folder.iterdir()} - _OURS if folder.exists() else set()
    if any(not name.startswith(".") for name in strangers):
        raise LibraryError(
            f"{folder} holds other files and is not a Pincite library; "
            "name an empty or a new folder"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LibraryError(f"{folder} cannot be made: {error.strerror}") from error
    if not os.access(folder, os.W_OK) or shutil.disk_usage(folder).free == 0:
        raise LibraryError(f"{folder} cannot be written, or its disk is full")
