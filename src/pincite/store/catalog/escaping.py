"""Column types for text in PostgreSQL, which rejects U+0000 and sorts by the host's locale.

U+0000 is stored as U+0001 U+0001, and U+0001 as U+0001 U+0002. Different texts stay different, and
`COLLATE "C"` still sorts them by code points.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Dialect, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

_NUL, _MARK = "\x00", "\x01"
_WRITTEN_NUL, _WRITTEN_MARK = "\x01\x01", "\x01\x02"


def escaped(text: str) -> str:
    """The stored form of a text, without U+0000."""
    if _NUL not in text and _MARK not in text:
        return text
    return text.replace(_MARK, _WRITTEN_MARK).replace(_NUL, _WRITTEN_NUL)


def unescaped(stored: str) -> str:
    """The inverse of `escaped`."""
    if _MARK not in stored:
        return stored
    # A run of marks always starts with a pair, so scanning from the left finds the pairs.
    return stored.replace(_WRITTEN_NUL, _NUL).replace(_WRITTEN_MARK, _MARK)


class EscapedText(TypeDecorator[str]):
    """Any text of Unicode scalar values, ordered by code points."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Text sorted by its bytes."""
        return dialect.type_descriptor(Text(collation="C"))

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Escape a value for storage."""
        del dialect
        return None if value is None else escaped(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """Unescape a stored value."""
        del dialect
        return None if value is None else unescaped(value)


class JsonText(TypeDecorator[Any]):
    """JSON stored as ASCII text: PostgreSQL's own JSON types reject U+0000."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Text compared by its bytes."""
        return dialect.type_descriptor(Text(collation="C"))

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        """Encode a value as JSON."""
        del dialect
        return json.dumps(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """Decode stored JSON."""
        del dialect
        return None if value is None else json.loads(value)
