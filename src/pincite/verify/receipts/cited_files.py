"""Finds and reads the files that a saved answer cites.

A receipt, with the paths in it, is untrusted input.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

from pincite.errors import ReadError
from pincite.records.document import Document, Range
from pincite.records.files import MEBIBYTE, open_regular
from pincite.stages import Reader

DEFAULT_SECONDS = 600.0
"""Time limit for all files of a receipt together."""
_DOCUMENTS_KEPT = 32
_DEEPEST = 64
"""Most parts of a path that are looked for below a root."""
_BLOCK_BYTES = 4 * MEBIBYTE

READINGS = "readings"
"""The field of a saved answer that says which versions read its documents, by document id."""


def readings_of(form: Mapping[str, Any]) -> dict[str, int]:
    """The versions that read the documents of a saved answer, as far as it says so."""
    found = form.get(READINGS)
    if not isinstance(found, dict):
        return {}
    return {name: version for name, version in found.items() if _is_version(version)}


def reading_problems(form: Mapping[str, Any]) -> Iterator[str]:
    """Versions in a saved answer that are none, or are not of a document that it cites."""
    if READINGS not in form:
        return
    cited = [citation["document"] for citation in (*form["citations"], *form.get("nearest", ()))]
    found = form[READINGS]
    if not isinstance(found, dict) or not all(map(_is_version, found.values())):
        yield "its readings are not the versions that read its documents"
    elif not found or any(name not in cited for name in found):
        yield "its readings are not those of the documents that it cites"


def _is_version(value: Any) -> bool:
    return type(value) is int and value > 0


def read_otherwise(found: Document, readings: Mapping[str, int]) -> int | None:
    """The version that read a cited document, if it is known not to be the one that read it here."""
    version = readings.get(found.id)
    return version if version and found.reading and version != found.reading else None


Units = Callable[[Document], Iterable[Range]]


def no_units(document: Document) -> Iterable[Range]:
    """No units, so nothing is counted again."""
    del document
    return ()


class CitedFiles:
    """Finds and reads the files of a receipt, each once, including failures.

    With `root`, nothing outside that folder is opened, and messages do not reveal what is there.
    `units` are the sentences and headings of a document that a count scans.
    """

    def __init__(
        self,
        reader: Reader,
        root: Path | None,
        *,
        most_bytes: int = 512 * MEBIBYTE,
        seconds: float = DEFAULT_SECONDS,
        units: Units = no_units,
    ) -> None:
        self._reader = reader
        self._root = root
        self._most_bytes = most_bytes
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds
        self.units = units
        self._found: dict[tuple[str, str], Path | str] = {}
        self._failed: dict[Path, str] = {}
        self._digests: dict[Path, str] = {}
        self._read: OrderedDict[Path, Document] = OrderedDict()

    def document(self, source: str, sha256: str) -> Document:
        """The document that a citation names. Raises ReadError if it cannot be read."""
        if (source, sha256) not in self._found:
            try:
                self._found[source, sha256] = self._find(source, sha256)
            except ReadError as error:
                self._found[source, sha256] = str(error)
        path = self._found[source, sha256]
        if isinstance(path, str):
            raise ReadError(path)
        if path in self._failed:
            raise ReadError(f"{source}: {self._failed[path]}")
        if path not in self._read:
            try:
                self._keep(path, self._document(path))
            except ReadError as error:
                self._failed[path] = str(error)
                raise ReadError(f"{source}: {error}") from error
        self._read.move_to_end(path)
        return self._read[path]

    def _keep(self, path: Path, document: Document) -> None:
        self._read[path] = document
        if len(self._read) > _DOCUMENTS_KEPT:
            self._read.popitem(last=False)

    def _document(self, path: Path) -> Document:
        try:
            digest = self._digest(path)
        except OSError as error:
            raise ReadError(f"cannot be read ({error.strerror or error})") from error
        document = self._reader.read(path)
        if document.sha256 != digest:
            # It may have been replaced by a link, whose target must not be revealed.
            raise ReadError("was changed while it was read; check again")
        return document

    def _find(self, source: str, sha256: str) -> Path:
        if self._root is None:
            if not os.path.lexists(source):
                raise ReadError(f"{source}: no such file; name its folder with --root")
            return Path(source)
        # Forward and backward slashes, since a receipt may come from another system.
        named = PurePath(source.replace("\\", "/"))
        parts = named.parts
        if ".." in parts:
            raise ReadError(f"{source}: a path with '..' is not followed")
        parts = parts[-_DEEPEST:]
        # A server names files only by the end of their path.
        first_part = 1 if named.is_absolute() else 0
        tails = (self._root.joinpath(*parts[first:]) for first in range(first_part, len(parts)))
        found = [tail for tail in tails if self._is_there(tail)]
        if not found:
            raise ReadError(f"{source}: no file of this name below {self._root}")
        if len(found) == 1:
            return found[0]
        # Prefer the candidate with the right content, then the one with the longest path.
        return next((path for path in found if self._has(path, sha256)), found[0])

    def _is_there(self, path: Path) -> bool:
        try:
            open_regular(path, root=self._root).close()
        except (OSError, ValueError):  # ValueError: a name that no file can have
            return False
        return True

    def _has(self, path: Path, sha256: str) -> bool:
        try:
            return self._digest(path) == sha256
        except OSError:
            return False

    def _digest(self, path: Path) -> str:
        if path in self._digests:
            return self._digests[path]
        found = hashlib.sha256()
        try:
            with open_regular(path, most_bytes=self._most_bytes, root=self._root) as file:
                while block := file.read(_BLOCK_BYTES):
                    self._check_time()
                    found.update(block)
        except ValueError as error:
            raise ReadError(f"cannot be read ({error})") from error
        self._check_time()
        self._digests[path] = found.hexdigest()
        return self._digests[path]

    def _check_time(self) -> None:
        if time.monotonic() > self._deadline:
            raise ReadError(
                f"not checked: the limit of {self._seconds:g} s for all files was reached; raise it "
                "with --seconds"
            )
