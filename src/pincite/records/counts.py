"""Values of a count over the whole collection: the request, the scan and the checked result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from pincite.records.document import Span
from pincite.records.library_records import FileProblem


class Closeness(StrEnum):
    """How close together the words of a subject must be to count as a mention."""

    EXACT = "these words exactly"
    SIDE_BY_SIDE = "these words side by side, in any of their forms"
    IN_ONE_SENTENCE = "these words in one sentence, in any of their forms"


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyRequest:
    """A request to count mentions of `subject` over the whole collection.

    `limits` lists what else was asked that counting words cannot answer. With `is_certain`, a count of
    zero is an answer; otherwise the question may mean something other than these words. With
    `is_condition` ("rent or keys") they are counted only as a phrase.
    """

    subject: str
    wanted: Literal["documents", "mentions"] = "documents"
    is_exact: bool = False
    is_certain: bool = True
    is_condition: bool = False
    limits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanScope:
    """The documents to scan: their paths by document id, and their total number of passages.

    `problems` lists files that could not be read, or only in part.
    """

    paths: Mapping[str, tuple[str, ...]]
    passages: int
    problems: tuple[FileProblem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageEdges:
    """A passage's key, and the start and end of each sentence, in one flat tuple."""

    key: int
    edges: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A sentence, table row or heading that mentions the subject, and the forms it is written in.

    `passages` are the keys of the passages that contain it; none for a heading.
    """

    span: Span
    written: tuple[str, ...]
    passages: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedDocument:
    """The mentions found in one document; `paths` has all files with its content."""

    document_id: str
    paths: tuple[str, ...]
    language: str
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """The unchecked result of a scan; `found` has only documents with mentions."""

    request: SurveyRequest
    closeness: Closeness
    found: tuple[ScannedDocument, ...]
    documents: int
    passages: int
    skipped: tuple[FileProblem, ...]
    """Files of the scanned part that could not be read, or only in part, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyRow:
    """The checked mentions in one document: `citations` of the answer's citations, from `first`."""

    document: str
    paths: tuple[str, ...]
    language: str
    mentions: int
    passages: int
    pages: tuple[int, ...]
    first: int
    citations: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """A count over the whole collection, or over the filtered part.

    `documents_scanned` and `passages_scanned` count everything scanned; `rows` has the documents that
    mention the subject. `skipped` files may contain more: with any, the count is a lower bound.
    """

    subject: str
    wanted: Literal["documents", "mentions"]
    closeness: Closeness
    written: Mapping[str, int]
    """How often each form of the words was counted."""
    mentions: int
    passages: int
    documents_scanned: int
    passages_scanned: int
    rows: tuple[SurveyRow, ...]
    skipped: tuple[FileProblem, ...]
    sections: tuple[str, ...] = ()
    """The only sections that were scanned; empty for whole documents."""
