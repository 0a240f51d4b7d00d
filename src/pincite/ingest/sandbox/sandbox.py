"""Reads files in child processes, so that a hostile or broken file cannot crash Pincite."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, NoReturn, Self

from pincite.errors import ReadError
from pincite.ingest.readers import MEBIBYTE, opened
from pincite.ingest.reading import NeedsPassword, SameBytesFail
from pincite.ingest.safety.cleaning import cleaned, cleaned_name
from pincite.ingest.sandbox.children import OUT_OF_PROCESSOR_TIME, ChildGone, Keeper
from pincite.ingest.sandbox.conversion import in_present_format
from pincite.ingest.sandbox.worker import DOCUMENT, LOCKED, PICTURE
from pincite.records.document import Document, open_file_digest
from pincite.records.document_codec import document_from_bytes
from pincite.records.flow import FileRead

Identity = tuple[str, str]
"""Document id and SHA-256 of a file's bytes."""
_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxLimits:
    """Resource limits for reading one file.

    `seconds` restarts after each page, so that a long file may take its time but a file that hangs
    may not; `total_seconds` is for all pages together. Processor time is proportional to the file's
    size, plus an allowance for each page that needs OCR.
    """

    memory_bytes: int = 2048 * MEBIBYTE
    seconds: float = 120.0
    processor_seconds: float = 60.0
    processor_seconds_per_mebibyte: float = 60.0
    recognised_page_seconds: float = 60.0
    total_seconds: float = 3600.0
    pages: int = 5000
    recognise: bool = True
    file_bytes: int = 512 * MEBIBYTE
    answer_bytes: int = 1024 * MEBIBYTE
    startup_seconds: float = 60.0

    def processor_seconds_for(self, size_bytes: int) -> float:
        """The processor time allowed for a file of this size."""
        own = self.processor_seconds_per_mebibyte * size_bytes / MEBIBYTE
        return min(self.processor_seconds + own, self.total_seconds)


class SandboxedReader:
    """Reads any supported file, each in its own process.

    Not thread-safe: use one object per thread. A helper process starts with the first file and is kept
    for the next ones; it ends with `close()` or when this process ends, however it ends.
    """

    def __init__(self, limits: SandboxLimits | None = None) -> None:
        self._limits = limits or SandboxLimits()
        self._keeper: Keeper | None = None

    def read(self, path: Path) -> Document:
        """Read one file. Raises ReadError, also if the parser crashes or hangs.

        Raises SameBytesFail if the cause is the file itself, not its location or this machine.
        """
        kind, payload, identity, given = self._exchange(path)
        if kind != DOCUMENT:
            self._refuse(kind, payload, identity[0])
        document = document_from_bytes(payload)
        if (document.id, document.sha256) != given:
            raise ReadError(
                "the text read does not belong to its bytes: it was changed while it was read, or it "
                "manipulated its reader; ingest it again"
            )
        return replace(cleaned(document), id=identity[0], sha256=identity[1], name=path.name)

    def draw(self, path: Path, sha256: str, *, page: int, scale: float) -> bytes:
        """A page of the PDF with this SHA-256, as PNG; `scale` is in pixels per point.

        Raises ReadError, also if the file has changed since.
        """
        kind, payload, identity, _ = self._exchange(path, {"page": page, "scale": scale})
        if identity[1] != sha256:
            raise ReadError("it has changed since it was ingested; ingest it again")
        if kind != PICTURE:
            self._refuse(kind, payload, identity[0])
        if not payload.startswith(_PNG):
            raise ReadError("its reader returned no PNG image; the file may have manipulated it")
        return payload

    def _refuse(self, kind: bytes, payload: bytes, document_id: str) -> NoReturn:
        reason = cleaned_name(payload.decode("utf-8", "replace"))
        raise NeedsPassword(reason) if kind == LOCKED else SameBytesFail(reason, document_id)

    def _exchange(
        self, path: Path, draw: Mapping[str, float] | None = None
    ) -> tuple[bytes, bytes, Identity, Identity]:
        """The answer of a process: kind, payload, identities of file and of what was read."""
        seconds = self._limits.seconds
        with (
            opened(path, self._limits.file_bytes) as file,
            in_present_format(file, path.suffix, seconds=seconds) as given,
        ):
            identity = open_file_digest(file) if given is not file else ("", "")
            kind, payload, read = self._exchange_open(given, path.name, draw)
            return kind, payload, read if given is file else identity, read

    def _exchange_open(
        self, file: BinaryIO, name: str, draw: Mapping[str, float] | None
    ) -> tuple[bytes, bytes, Identity]:
        keeper = self._running_keeper()
        seconds = self._limits.processor_seconds_for(file.seek(0, 2))
        identity = ("", "")
        try:
            keeper.begin(file, name, seconds, draw)
            # Hashed while it is read; the file position belongs to the other process.
            identity = open_file_digest(file)
            kind, payload = keeper.exchange(
                seconds=self._limits.seconds,
                total=self._limits.total_seconds,
                most_bytes=self._limits.answer_bytes,
            )
        except ChildGone as gone:
            is_alive = keeper.is_alive()
            if not is_alive:
                self.close()
            reason = self._reason(gone, seconds)
            if identity[0] and (is_alive or gone.out_of_time):
                raise SameBytesFail(reason, identity[0]) from None
            raise ReadError(reason) from None
        except BaseException:
            # Interrupted: the answer still to come must not be taken for that of another request.
            self.close()
            raise
        return kind, payload, identity

    def in_force(self) -> Mapping[str, str]:
        """The confinement of the processes. Raises ReadError if none can be started."""
        return self._running_keeper().in_force

    def close(self) -> None:
        """End the processes; the next `read` starts a new one."""
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _running_keeper(self) -> Keeper:
        if self._keeper is None or not self._keeper.is_alive():
            self.close()
            limits = {
                "memory_bytes": self._limits.memory_bytes,
                "recognised_page_seconds": self._limits.recognised_page_seconds,
                "pages": self._limits.pages,
                "recognise": self._limits.recognise,
            }
            try:
                self._keeper = Keeper(limits, self._limits.startup_seconds)
            except ChildGone as gone:
                raise ReadError(
                    f"the process that reads files did not start ({gone.found}); "
                    "check the installation with `pincite doctor`"
                ) from None
        return self._keeper

    def _reason(self, gone: ChildGone, processor_seconds: float) -> str:
        """Why reading failed, for the user."""
        if gone.out_of_time:
            return (
                f"reading took longer than {gone.out_of_time:g} s and was stopped; split the file, "
                "save it again, or raise the time limit"
            )
        if gone.exit_code == OUT_OF_PROCESSOR_TIME:
            return (
                f"reading took more than {processor_seconds:.3g} s of processor time, the limit for a "
                "file of its size, and was stopped; split it or save it again"
            )
        return (
            f"the parser crashed on this file ({gone.found}); it is damaged or needed more than "
            f"{self._limits.memory_bytes // MEBIBYTE} MB of memory; save it again or split it"
        )


# Several sandboxed readers that work ahead of the rest of the pipeline.

_AHEAD_PER_READER = 2
"""Documents per reader that are read but not yet consumed; bounds the memory of a large ingest."""
_PATIENCE_SECONDS = 5.0


class SandboxedReaderPool:
    """Reads files in several child processes and returns them in the order they were given.

    A file that keeps the others waiting loses its turn and is returned once it is done: a file that
    hangs blocks one reader until its time limit, while the other readers continue.
    """

    def __init__(
        self, readers: int, limits: SandboxLimits, *, patience_seconds: float = _PATIENCE_SECONDS
    ) -> None:
        self._readers = readers
        self._limits = limits
        self._patience_seconds = patience_seconds

    def read_all(self, paths: Iterable[Path]) -> Generator[FileRead]:
        """The result for each file; an error in one file does not raise."""
        mine = threading.local()
        opened: list[SandboxedReader] = []
        is_over = threading.Event()

        def start() -> None:
            mine.reader = SandboxedReader(self._limits)
            opened.append(mine.reader)

        def read(path: Path) -> FileRead:
            try:
                return _read(mine.reader, path)
            finally:
                # Its child may have been started after the others were ended.
                if is_over.is_set():
                    mine.reader.close()

        threads = ThreadPoolExecutor(self._readers, "reader", initializer=start)
        queue = _PatientQueue(self._patience_seconds)
        try:
            for path in paths:
                queue.put(threads.submit(read, path))
                if len(queue) > self._readers * _AHEAD_PER_READER:
                    yield queue.take()
            while queue:
                yield queue.take()
        finally:
            is_over.set()
            threads.shutdown(wait=False, cancel_futures=True)
            for reader in opened:
                reader.close()


class _PatientQueue:
    """Returns results in order, except those that keep others waiting too long."""

    def __init__(self, patience_seconds: float) -> None:
        self._patience_seconds = patience_seconds
        self._punctual: list[Future[FileRead]] = []
        self._late: list[Future[FileRead]] = []

    def __len__(self) -> int:
        return len(self._punctual) + len(self._late)

    def put(self, result: Future[FileRead]) -> None:
        """Append to the queue."""
        self._punctual.append(result)

    def take(self) -> FileRead:
        """The next result: a late one that is done, else the first in the queue."""
        while True:
            for result in self._late:
                if result.done():
                    self._late.remove(result)
                    return result.result()
            if not self._punctual:
                wait(self._late, return_when=FIRST_COMPLETED)
            elif self._first_has_come():
                return self._punctual.pop(0).result()

    def _first_has_come(self) -> bool:
        first = self._punctual[0]
        wait([first, *self._late], self._patience_seconds, return_when=FIRST_COMPLETED)
        if first.done():
            return True
        if first.running() and not any(result.done() for result in self._late):
            self._late.append(self._punctual.pop(0))
        return False


def _read(reader: SandboxedReader, path: Path) -> FileRead:
    try:
        return FileRead(path=str(path), document=reader.read(path))
    except SameBytesFail as error:
        return FileRead(path=str(path), reason=str(error), failed_bytes=error.document_id)
    except ReadError as error:
        return FileRead(path=str(path), reason=str(error))
    except MemoryError:
        reason = "its text does not fit into memory; split the file"
        return FileRead(path=str(path), reason=reason)
