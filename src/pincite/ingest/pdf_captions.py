"""Tells captions of figures and tables from prose that begins with their name."""

from __future__ import annotations

import re

_CAPTION = re.compile(
    r"^(?i:fig(?:ure|\.)?|table|tab\.|chart|exhibit|plate|scheme|listing|diagram|abbildung|abb\."
    r"|tabelle|tableau|figura|tabla|tabella)\s+[A-Z]{0,2}\d+(?:\s?[.\-–]\s?[A-Z]?\d+)*[a-z]?"
    r"(?:\s?[:.|–—](?:\s|$)|\s+[A-Z\"“(]|$)"
)


def is_caption(text: str) -> bool:
    """Whether a line names a figure or table: `Figure 3: ...`, `Table 2`, not `Table 2 shows`."""
    return bool(_CAPTION.match(text))
