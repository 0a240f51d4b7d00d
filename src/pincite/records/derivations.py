"""Numbers that are computed from the cells of tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """A table cell that a number is computed from: `text` is exactly `Document.text[start:end]`."""

    document: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """A number computed from cells; the verifier computes it again before it is shown.

    `operation` is one of `text.tables.reading.OPERATIONS`. `value` is in plain digits, after `≈` if it
    is rounded. `said` is how the question was read. `groups` are the numbers of groups of rows, with
    their names; then there is neither a value nor a cell beside theirs. Of a share, the first `part`
    cells are the part, and all of them the whole.
    """

    operation: str
    value: str
    operands: tuple[Operand, ...]
    said: str
    unit: str = ""
    decimal_mark: Literal[".", ","] = "."
    groups: tuple[tuple[str, Derivation], ...] = ()
    part: int = 0

    @property
    def text(self) -> str:
        """The value with its unit, or that of each group, with the decimal mark of its cells."""
        if self.groups:
            return "; ".join(f"{name}: {one.text}" for name, one in self.groups)
        return f"{self.value.replace('.', self.decimal_mark)} {self.unit}".rstrip()

    @property
    def texts(self) -> frozenset[str]:
        """The ways in which it was shown: with points in answers saved before it had that mark."""
        groups = tuple((name, replace(one, decimal_mark=".")) for name, one in self.groups)
        return frozenset({self.text, replace(self, decimal_mark=".", groups=groups).text})
