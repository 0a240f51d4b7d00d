"""Several sandboxed readers at work ahead of the rest of the pipeline."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from pincite.errors import ReadError
from pincite.ingest.refusals import SameBytesFail
from pincite.ingest.sandbox import SandboxedReader, SandboxLimits
from pincite.records import FileRead

_AHEAD_PER_READER = 2
"""Documents read but not yet taken, for each reader: what bounds the memory of a large ingest."""
_PATIENCE_SECONDS = 5.0


class SandboxedReaderPool:
    """Reads files in several child processes and hands them over in the order they were named.

    A file that keeps the others waiting loses its turn and comes when it is done: one that hangs
    costs one reader until its limit, and the other readers go on.
    """

    def __init__(
        self, readers: int, limits: SandboxLimits, *, patience_seconds: float = _PATIENCE_SECONDS
    ) -> None:
        self._readers = readers
        self._limits = limits
        self._patience_seconds = patience_seconds

    def read_all(self, paths: Iterable[Path]) -> Iterator[FileRead]:
        """What became of each file; never raises for a single file."""
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
                # Its child may have been started after all others were ended.
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
    """Results in the order they were asked for, except those that let others wait too long."""

    def __init__(self, patience_seconds: float) -> None:
        self._patience_seconds = patience_seconds
        self._punctual: list[Future[FileRead]] = []
        self._late: list[Future[FileRead]] = []

    def __len__(self) -> int:
        return len(self._punctual) + len(self._late)

    def put(self, result: Future[FileRead]) -> None:
        """Stand last in the queue."""
        self._punctual.append(result)

    def take(self) -> FileRead:
        """The next result: a late one that has come, else the first in the queue."""
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
        reason = "what was read of it does not fit into memory; split the file"
        return FileRead(path=str(path), reason=reason)
