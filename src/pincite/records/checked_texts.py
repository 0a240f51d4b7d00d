"""The statements of somebody's text, each with what the documents say about it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from pincite.records.flow import Citation, Verdict


class Standing(StrEnum):
    """What the documents say about a statement."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not found"
    NO_CLAIM = "no claim"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedStatement:
    """A statement of the text, at `start:end` of it, and the verified quotes for and against it.

    A cell of a table is a statement with its heads: `text` has them, the place is the cell's.
    `verdict` is what its comparison with `quotes` found, and `detail` names the words or numbers at
    fault. The quotes of a statement that was not found are the nearest ones.
    """

    text: str
    standing: Standing
    start: int = 0
    end: int = 0
    verdict: Verdict | None = None
    detail: str = ""
    quotes: tuple[Citation, ...] = ()
    against: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedText:
    """A text, statement by statement. `notices` say what was not looked at."""

    name: str
    statements: tuple[CheckedStatement, ...]
    notices: tuple[str, ...] = ()
    corpus_version: str = ""

    @property
    def counts(self) -> dict[str, int]:
        """How many statements of each standing there are."""
        found = Counter(one.standing for one in self.statements)
        return {str(standing): found[standing] for standing in Standing}

    @property
    def holds(self) -> bool:
        """Whether every claim is supported, and none is contradicted by another quote."""
        return all(
            one.standing in (Standing.SUPPORTED, Standing.NO_CLAIM) and not one.against
            for one in self.statements
        )
