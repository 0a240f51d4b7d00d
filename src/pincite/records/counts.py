"""The values of a count over the whole collection: what is counted, found, and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from pincite.records.document import Span
from pincite.records.library_records import FileProblem


class Closeness(StrEnum):
    """How the words of a subject must stand to be a mention of it."""

    EXACT = "these words exactly"
    SIDE_BY_SIDE = "these words side by side, in any of their forms"
    IN_ONE_SENTENCE = "these words in one sentence, in any of their forms"


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyRequest:
    """What is to be counted over the whole collection: mentions of `subject`.

    `limits` say what else was asked that counting words cannot tell. With `is_certain`, to find
    nothing is an answer; otherwise the question may mean something else than these words. With
    `is_condition` ("rent or keys") they are counted as a phrase only.
    """

    subject: str
    wanted: Literal["documents", "mentions"] = "documents"
    is_exact: bool = False
    is_certain: bool = True
    is_condition: bool = False
    limits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanScope:
    """What a scan goes through: paths by document id, and how many passages they have together.

    `problems` are its files that could not be read, or not wholly.
    """

    paths: Mapping[str, tuple[str, ...]]
    passages: int
    problems: tuple[FileProblem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageEdges:
    """A passage's key, and where its sentences start and end in turn."""

    key: int
    edges: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A sentence, table row or heading that mentions the subject, and how it is written there.

    `passages` are the keys of those that hold it; a heading is in none.
    """

    span: Span
    written: tuple[str, ...]
    passages: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedDocument:
    """What a scan found in one document; `paths` are those of all files with its content."""

    document_id: str
    paths: tuple[str, ...]
    language: str
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """Everything that was found, before anything is checked; only documents with mentions."""

    request: SurveyRequest
    closeness: Closeness
    found: tuple[ScannedDocument, ...]
    documents: int
    passages: int
    skipped: tuple[FileProblem, ...]
    """Files of the scanned part that could not be read, or not wholly, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyRow:
    """The checked mentions in one document. `citations` of the answer, from `first`, are its own."""

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
    """A count over the whole collection, or over what the filters let through.

    `documents_scanned` and `passages_scanned` were all looked at; `rows` has those that mention the
    subject. `skipped` files may hold more: with any, the count is a lower bound.
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
    """What only was looked at of the documents; empty for all of each."""
