"""What the tools of the Model Context Protocol return, described for its clients.

The objects are those of the HTTP API, which has more fields (`/openapi.json`).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from mcp_types import CallToolResult
from pydantic import BaseModel, ConfigDict, Field


class _Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class Citation(_Open):
    """A checked quote: `cited_text` is the document's text from `start_char_index` on."""

    document: str
    source: str = Field(description="path of the file")
    page: int | None
    section: str
    start_char_index: int
    end_char_index: int
    cited_text: str


class Link(_Open):
    """The address at which a citation is checked and shown; `citation` counts from 1."""

    citation: int
    id: str = Field(description="for the tool get, and in pincite://citation/ID")
    href: str


class Answered(_Open):
    """An answer of quotes, or an abstention with its reasons."""

    status: Literal["answered", "abstained"]
    question: str
    text: str
    confidence: float = Field(ge=0, le=1)
    reasons: list[str]
    claims: list[dict[str, Any]]
    citations: list[Citation]
    links: list[Link]


class Hit(_Open):
    """A passage."""

    rank: int
    score: float
    document: str
    source: str
    page: int | None
    start: int
    end: int
    text: str


class Found(_Open):
    """Passages, best first."""

    question: str
    hits: list[Hit]
    links: list[Link]


class Verified(_Open):
    """Where some words stand exactly so; nowhere if `verified` is false."""

    quote: str
    verified: bool
    places: list[dict[str, Any]]


class Held(_Open):
    """A checked citation (`quote`, `state`), or a range of a document's text (`text`)."""

    state: str | None = None
    quote: str | None = None
    name: str | None = None
    text: str | None = None


class Compared(_Open):
    """What differs between two documents, with the words of both sides."""

    before: str
    after: str
    unchanged: int
    changes: list[dict[str, Any]]


class Checked(_Open):
    """The statements of a text; `quotes` and `against` are numbers of `citations`, from 1."""

    holds: bool = Field(description="every claim is supported, and none contradicted")
    counts: dict[str, int]
    statements: list[dict[str, Any]]
    citations: list[Citation]
    links: list[Link]


class Filled(_Open):
    """A row for each document; a cell has a `value` or a `reason`, and its quote's `link`."""

    columns: list[dict[str, Any]]
    rows: list[dict[str, Any]]


class Summarised(_Open):
    """A document in its own sentences; `sentences` are numbers of `citations`, from 1."""

    share: float = Field(description="part of its words, in 0..1")
    sections: list[dict[str, Any]]
    citations: list[Citation]
    links: list[Link]


class Dated(_Open):
    """Dated statements in order; citation n is that of entry n."""

    entries: list[dict[str, Any]]
    citations: list[Citation]
    links: list[Link]


class State(_Open):
    """What the library holds."""

    documents: int
    passages: int
    collections: dict[str, int]


AnswerResult: TypeAlias = Annotated[CallToolResult, Answered]
FoundResult: TypeAlias = Annotated[CallToolResult, Found]
VerifiedResult: TypeAlias = Annotated[CallToolResult, Verified]
HeldResult: TypeAlias = Annotated[CallToolResult, Held]
ComparedResult: TypeAlias = Annotated[CallToolResult, Compared]
CheckedResult: TypeAlias = Annotated[CallToolResult, Checked]
TableResult: TypeAlias = Annotated[CallToolResult, Filled]
BriefResult: TypeAlias = Annotated[CallToolResult, Summarised]
DatedResult: TypeAlias = Annotated[CallToolResult, Dated]
StateResult: TypeAlias = Annotated[CallToolResult, State]
