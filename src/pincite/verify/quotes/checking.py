"""Checks quotes and stored offsets against the files on disk."""

from __future__ import annotations

import random
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from pincite.errors import ReadError
from pincite.records.document import Document, Span
from pincite.records.files import MEBIBYTE, open_regular, read_regular
from pincite.records.flow import Citation, Passage, Source
from pincite.stages import Reader

_MOST_BYTES = 4096 * MEBIBYTE


class FileCheck(StrEnum):
    """Whether the file on disk still contains a quote."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"
    """Its folder can be listed and does not contain it."""
    MISSING = "missing"
    """It cannot be opened, or its folder is missing: it may be on a disk that is not mounted."""

    @property
    def withholds(self) -> bool:
        """Whether the quote must not be shown."""
        return self in (FileCheck.CHANGED, FileCheck.GONE)


def check_in_file(
    path: Path, *, start_byte: int, end_byte: int, encoding: str, quote: str, modified: str = ""
) -> FileCheck:
    """Compares the file's bytes in this range, decoded, with the quote."""
    try:
        with open_regular(path) as file:
            file.seek(start_byte)
            found = file.read(end_byte - start_byte)
    except OSError:
        return why_not_there(path, modified)
    try:
        return FileCheck.SAME if found.decode(encoding) == quote else FileCheck.CHANGED
    except UnicodeDecodeError:
        return FileCheck.CHANGED


def why_not_there(path: Path, modified: str = "") -> FileCheck:
    """Whether a file that cannot be opened is gone, or only unreachable.

    An empty folder may be the mount point of a disk. If the folder changed after the file did
    (`modified`, ISO 8601), the file was removed from it.
    """
    try:
        if not stat.S_ISLNK(kind := path.lstat().st_mode):
            return FileCheck.MISSING if stat.S_ISREG(kind) else FileCheck.GONE
        return FileCheck.MISSING
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError):
        return FileCheck.MISSING
    try:
        is_empty = not any(path.parent.iterdir())
        changed = datetime.fromtimestamp(path.parent.stat().st_mtime, UTC).isoformat(
            timespec="seconds"
        )
    except OSError:
        return FileCheck.MISSING
    return FileCheck.MISSING if is_empty and changed < modified else FileCheck.GONE


class CitedFile:
    """The bytes of a text file, read once for all of its quotes."""

    def __init__(self, path: str, document: Document, modified: Callable[[], str]) -> None:
        self._encoding = document.encoding
        self._content = b""
        self._why_not = FileCheck.SAME
        try:
            if self._encoding is not None:
                self._content = read_regular(path, most_bytes=_MOST_BYTES)
            else:
                open_regular(path).close()
        except OSError:
            self._why_not = why_not_there(Path(path), modified())

    def check(self, citation: Citation) -> FileCheck:
        """Whether the file still contains a quote; for other formats only whether it exists."""
        if self._why_not is not FileCheck.SAME:
            return self._why_not
        if citation.start_byte is None or citation.end_byte is None or self._encoding is None:
            return FileCheck.SAME
        found = self._content[citation.start_byte : citation.end_byte]
        is_same = found.decode(self._encoding, "replace") == citation.quote
        return FileCheck.SAME if is_same else FileCheck.CHANGED


# Reads files again and compares a sample of sentences with the stored offsets.


class Holdings(Protocol):
    """The part of the catalog that the check needs."""

    def passage_keys(self) -> list[int]: ...  # noqa: D102
    def passages(self, keys: Sequence[int]) -> dict[int, Passage]: ...  # noqa: D102
    def text_of(self, span: Span) -> str: ...  # noqa: D102
    def source(self, document_id: str) -> Source: ...  # noqa: D102


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetCheck:
    """How many sentences were compared with their files, how many matched, and the problems."""

    checked: int
    exact: int
    problems: tuple[str, ...]


def check_offsets(holdings: Holdings, reader: Reader, *, sample: int, seed: str) -> OffsetCheck:
    """Compare up to `sample` random sentences with the current content of their files.

    The same library and `seed` give the same sentences.
    """
    spans = _sample(holdings, sample, random.Random(seed))  # noqa: S311  (not a secret)
    problems: list[str] = []
    exact = 0
    for document_id, wanted in sorted(spans.items()):
        found = list(_wrong(holdings, reader, document_id, wanted))
        exact += len(wanted) - len(found)
        problems.extend(found)
    return OffsetCheck(
        checked=sum(map(len, spans.values())), exact=exact, problems=tuple(dict.fromkeys(problems))
    )


def _sample(holdings: Holdings, size: int, chance: random.Random) -> dict[str, list[Span]]:
    keys = holdings.passage_keys()
    chosen = holdings.passages(sorted(chance.sample(keys, min(size, len(keys)))))
    sentences = [span for _, passage in sorted(chosen.items()) for span in passage.sentences]
    spans: dict[str, list[Span]] = {}
    for span in sorted(chance.sample(sentences, min(size, len(sentences)))):
        spans.setdefault(span.document_id, []).append(span)
    return spans


def _wrong(
    holdings: Holdings, reader: Reader, document_id: str, spans: Sequence[Span]
) -> Iterator[str]:
    """One problem for each span that is not exact."""
    path = holdings.source(document_id).path
    try:
        document = reader.read(Path(path))
    except ReadError as error:
        yield from [f"{path}: {error}"] * len(spans)
        return
    if document.id != document_id:
        yield from [f"{path}: has changed since it was ingested; ingest it again"] * len(spans)
        return
    content = read_regular(path, most_bytes=_MOST_BYTES) if document.encoding else b""
    for span in spans:
        if not _is_exact(holdings.text_of(span), span, document, content):
            yield f"{path}: characters {span.start}-{span.end} are not what was stored"


def _is_exact(stored: str, span: Span, document: Document, content: bytes) -> bool:
    if not stored or document.text[span.start : span.end] != stored:
        return False
    place = document.byte_range(span.start, span.end)
    if place is None or document.encoding is None:
        return True
    return content[place[0] : place[1]].decode(document.encoding, "replace") == stored
