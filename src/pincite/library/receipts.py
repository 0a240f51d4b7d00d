"""Checks saved answers against the files they cite, without a library."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path
from typing import Self

from pincite.assemble.files import countable_units, open_reader
from pincite.errors import ReadError, UsageError
from pincite.ingest.sandbox.sandbox import SandboxedReader
from pincite.records.arguments import checked_path
from pincite.records.document import Document
from pincite.records.files import MEBIBYTE
from pincite.settings.loading import Settings, load_settings
from pincite.verify.receipts.cited_files import DEFAULT_SECONDS
from pincite.verify.receipts.receipt import ReceiptCheck
from pincite.verify.receipts.saved import check_saved, load_saved

_REPLACE_BELOW = 0.9
"""A reader is replaced once the time left is less than this share of its time limit."""


def verify_receipt(
    path: str | os.PathLike[str],
    *,
    root: str | os.PathLike[str] | None = None,
    public_key: str | os.PathLike[str] | None = None,
    seconds: float = DEFAULT_SECONDS,
) -> ReceiptCheck:
    """Check a saved answer or report against the files it cites. Needs no library.

    With `root`, only files below that folder are opened. With `public_key`, a key file, the answer must
    be signed by that key. `seconds` limits the time for all files together; files not read by then are
    reported. Raises ReceiptError if the file is neither an answer nor a report.
    """
    if not seconds > 0:
        raise UsageError(f"{seconds} seconds for all files: expected a number above 0")
    saved = load_saved(checked_path(path))
    settings, _ = load_settings()
    with _ReaderInTime(settings, seconds) as reader:
        return check_saved(
            saved,
            reader,
            root=Path(root) if root else None,
            public_key=Path(public_key) if public_key else None,
            most_bytes=settings.ingest.max_file_mb * MEBIBYTE,
            seconds=seconds,
            units=partial(countable_units, settings.chunking),
        )


class _ReaderInTime:
    """Reads files within a common time limit."""

    def __init__(self, settings: Settings, seconds: float) -> None:
        self._settings = settings
        self._deadline = time.monotonic() + seconds
        self._limit = 0.0
        self._reader: SandboxedReader | None = None

    def read(self, path: Path) -> Document:
        """Read one file. Raises ReadError, also if the time is up."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise ReadError(
                "not read: the time limit for all files was reached; raise it with --seconds"
            )
        if self._reader is None or left < _REPLACE_BELOW * self._limit:
            self._close()
            self._reader, self._limit = open_reader(self._settings, seconds=left), left
        return self._reader.read(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._reader is not None:
            self._reader.close()
