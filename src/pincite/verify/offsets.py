"""Are stored offsets exact? Reads files again and compares a sample of sentences."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pincite.document import Document, Span
from pincite.errors import ReadError
from pincite.records import Passage, Source
from pincite.regular_files import MEBIBYTE, read_regular
from pincite.stages import Reader

_MOST_BYTES = 4096 * MEBIBYTE


class Holdings(Protocol):
    """What the check needs from the catalog."""

    def passage_keys(self) -> list[int]: ...  # noqa: D102
    def passages(self, keys: Sequence[int]) -> dict[int, Passage]: ...  # noqa: D102
    def text_of(self, span: Span) -> str: ...  # noqa: D102
    def source(self, document_id: str) -> Source: ...  # noqa: D102


@dataclass(frozen=True, slots=True, kw_only=True)
class OffsetCheck:
    """How many sentences were compared with their files, and what did not fit."""

    checked: int
    exact: int
    problems: tuple[str, ...]


def check_offsets(holdings: Holdings, reader: Reader, *, sample: int, seed: str) -> OffsetCheck:
    """Compare up to `sample` random sentences with what their files hold now.

    `seed` decides which: the same library and seed give the same sentences.
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
