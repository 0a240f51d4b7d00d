"""The differences between two documents, each with the words of both and where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pincite.records.document import Range


class ChangeKind(StrEnum):
    """What became of a statement."""

    CHANGED = "changed"
    REWORDED = "reworded"
    ADDED = "added"
    REMOVED = "removed"
    MOVED = "moved"


class Difference(StrEnum):
    """What differs between two statements that say the same otherwise, the weightiest first."""

    NEGATION = "negation"
    DUTY = "duty"
    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    WORDING = "wording"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """Words of one document, verbatim: `text` is `document.text[start:end]`.

    `differing` are the ranges within `text` that the other side does not have.
    """

    file: str
    text: str
    start: int
    end: int
    section: tuple[str, ...] = ()
    page: str = ""
    place: str = ""
    differing: tuple[Range, ...] = ()

    def as_form(self) -> dict[str, Any]:
        """The words and their place for JSON."""
        return {
            "file": self.file,
            "quote": self.text,
            "start": self.start,
            "end": self.end,
            "section": " > ".join(self.section),
            "page": self.page,
            "place": self.place,
            "differing": [list(one) for one in self.differing],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CellChange:
    """A cell of a table: its row's first cell, the words of its head, and its value on both sides."""

    row: str
    head: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference; `before` is empty for what was added, `after` for what was removed."""

    kind: ChangeKind
    before: Quoted | None
    after: Quoted | None
    differences: tuple[Difference, ...] = ()
    cells: tuple[CellChange, ...] = ()

    def as_form(self) -> dict[str, Any]:
        """The change for JSON."""
        return {
            "kind": str(self.kind),
            "differences": [str(one) for one in self.differences],
            "before": self.before.as_form() if self.before else None,
            "after": self.after.as_form() if self.after else None,
            "cells": [
                {"row": cell.row, "head": cell.head, "before": cell.before, "after": cell.after}
                for cell in self.cells
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesRequest:
    """A question for what differs between two documents of a library, given by their ids.

    `topic` are the index terms of what it is about with their words, empty for everything, and `kinds`
    the kinds of change it asks for. `is_certain` if it can mean nothing else; else text may answer it
    as well.
    """

    before: str
    after: str
    topic: Mapping[str, str] = field(default_factory=dict)
    kinds: frozenset[ChangeKind] = frozenset(ChangeKind)
    is_certain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedFile:
    """One side of a comparison: the file, the digest of its bytes, and the version that read them."""

    source: str
    sha256: str
    reading: int

    def as_form(self) -> dict[str, Any]:
        """The side for JSON."""
        return {"source": self.source, "sha256": self.sha256, "reading": self.reading}


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedVersions:
    """What an answer about changes rests on: both files, and how much of them differs."""

    sides: tuple[ComparedFile, ComparedFile]
    changes: int
    unchanged: int

    def as_form(self) -> dict[str, Any]:
        """The whole for JSON."""
        return {
            "sides": [one.as_form() for one in self.sides],
            "changes": self.changes,
            "unchanged": self.unchanged,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All differences between two files, the weightiest first, and how much is the same.

    `sides` are both files. `notices` say what could not be read, and was therefore not compared.
    """

    before: str
    after: str
    sides: tuple[ComparedFile, ComparedFile]
    changes: tuple[Change, ...]
    unchanged: int
    notices: tuple[str, ...] = ()

    def counts(self) -> Mapping[ChangeKind, int]:
        """How many changes there are of each kind that occurs."""
        kinds = [change.kind for change in self.changes]
        return {kind: kinds.count(kind) for kind in ChangeKind if kind in kinds}

    def as_form(self) -> dict[str, Any]:
        """The comparison for JSON."""
        return {
            "before": self.before,
            "after": self.after,
            "sides": [one.as_form() for one in self.sides],
            "unchanged": self.unchanged,
            "counts": {str(kind): count for kind, count in self.counts().items()},
            "changes": [change.as_form() for change in self.changes],
            "notices": list(self.notices),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Two files, or the files of two folders that have the same names.

    `only_before` and `only_after` are files without a counterpart; `problems` say which could not be
    read, and why.
    """

    files: tuple[Comparison, ...]
    only_before: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether everything was read, and nothing differs."""
        differs = any(one.changes or one.notices for one in self.files)
        return not (differs or self.only_before or self.only_after or self.problems)

    def as_form(self) -> dict[str, Any]:
        """The whole for JSON."""
        return {
            "same": self.is_same,
            "files": [one.as_form() for one in self.files],
            "only_before": list(self.only_before),
            "only_after": list(self.only_after),
            "problems": list(self.problems),
        }
