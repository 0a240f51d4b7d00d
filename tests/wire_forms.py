"""Answers of readers as bytes, with whatever in them: the way out of a process is not ours to trust."""

from __future__ import annotations

import json
import struct
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

Word = tuple[int, int, int, Sequence[float]]
"""Start, end, page, corners."""


def wire_form(header: Mapping[str, Any], text: str, words: Sequence[Word]) -> bytes:
    """The form that `pincite.records.document_codec` describes, of values that nobody has checked."""
    columns = [array("i", [word[place] for word in words]) for place in range(3)]
    corners = array("f", [corner for word in words for corner in word[3]])
    sections = (
        json.dumps(header).encode(),
        text.encode("utf-8", "surrogatepass"),
        *(column.tobytes() for column in (*columns, corners)),
    )
    return b"PINDOC02" + b"".join(struct.pack("<Q", len(one)) + one for one in sections)
