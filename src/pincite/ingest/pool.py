"""Several sandboxed readers at work ahead of the rest of the pipeline."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from pincite.errors import ReadError
from pincite.ingest.sandbox import SandboxedReader, SandboxLimits
from pincite.records import FileRead

_AHEAD_PER_READER = 2
"""Documents read but not yet taken, for each reader: what bounds the memory of a large ingest."""


class SandboxedReaderPool:
    """Reads files in several child processes and hands them over in the order they were named."""

    def __init__(self, readers: int, limits: SandboxLimits) -> None:
        self._readers = readers
        self._limits = limits

    def read_all(self, paths: Iterable[Path]) -> Iterator[FileRead]:
        """What became of each file, in the order of `paths`; never raises for a single file."""
        mine = threading.local()
        opened: list[SandboxedReader] = []

        def start() -> None:
            mine.reader = SandboxedReader(self._limits)
            opened.append(mine.reader)

        def read(path: Path) -> FileRead:
            return _read(mine.reader, path)

        threads = ThreadPoolExecutor(self._readers, "reader", initializer=start)
        waiting: deque[Future[FileRead]] = deque()
        try:
            for path in paths:
                waiting.append(threads.submit(read, path))
                if len(waiting) > self._readers * _AHEAD_PER_READER:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            for reader in opened:
                reader.close()


def _read(reader: SandboxedReader, path: Path) -> FileRead:
    try:
        return FileRead(path=str(path), document=reader.read(path))
    except ReadError as error:
        return FileRead(path=str(path), reason=str(error))
