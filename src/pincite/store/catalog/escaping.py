"""Texts as PostgreSQL takes them: it refuses U+0000, and would order others by the host's language.

U+0000 is written as U+0001 U+0001, and U+0001 as U+0001 U+0002. No two texts are written alike, and
their order by code points, which `COLLATE "C"` gives, stays the same.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Dialect, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

_NUL, _MARK = "\x00", "\x01"
_WRITTEN_NUL, _WRITTEN_MARK = "\x01\x01", "\x01\x02"


def escaped(text: str) -> str:
    """A text without U+0000."""
    if _NUL not in text and _MARK not in text:
        return text
    return text.replace(_MARK, _WRITTEN_MARK).replace(_NUL, _WRITTEN_NUL)


def unescaped(stored: str) -> str:
    """The text that `escaped` was given."""
    if _MARK not in stored:
        return stored
    # A run of marks begins where a pair begins, so that pairs are found from the left.
    return stored.replace(_WRITTEN_NUL, _NUL).replace(_WRITTEN_MARK, _MARK)


class EscapedText(TypeDecorator[str]):
    """Any text of Unicode scalar values, ordered by code points."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Text that is ordered by its bytes."""
        return dialect.type_descriptor(Text(collation="C"))

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """What is written."""
        del dialect
        return None if value is None else escaped(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """What was written."""
        del dialect
        return None if value is None else unescaped(value)


class JsonText(TypeDecorator[Any]):
    """JSON as it is written, all in ASCII; PostgreSQL's own types refuse U+0000 in it."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Text that is compared by its bytes."""
        return dialect.type_descriptor(Text(collation="C"))

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        """What is written."""
        del dialect
        return json.dumps(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """What was written."""
        del dialect
        return None if value is None else json.loads(value)
