"""Which questions are asked: JSON lines without what tells of persons. Off unless it is set.

Redaction is by rule, and leaves out too much rather than too little: addresses, numbers, and every
word that is written as a name. A question that spells a name in small letters keeps it.
"""

from __future__ import annotations

import json
import os
import re
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pincite.verify.names import names

QUERY_FILE = "queries.jsonl"

_E_MAIL = re.compile(r"[^\s@<>]{1,64}+@[^\s@<>]{1,255}+")
_LINK = re.compile(r"\b(?:https?://|www\.)\S{1,2000}+", re.IGNORECASE)
_PHONE = re.compile(r"(?<!\w)(?:\+|00)?\(?\d[\d ()/.\-]{5,24}\d(?!\w)")
_NUMBER = re.compile(r"(?<!\w)[^\W\d]*+\d\w*+")
_NAME = "[name]"
_RUN_OF_NAMES = re.compile(r"\[name\](?:[ \-.]{1,3}\[name\])+")
_ASKING = frozenset(
    "what when where who whom whose why which how is are was were do does did can could may might "
    "must shall should will would has have had in on at for from to of by with about under as if "
    "the a an and or please tell give show list find explain".split()
)
_WORD = re.compile(r"[^\W\d_]+")


class QueryLog:
    """Adds lines to a file that only its owner may read."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / QUERY_FILE
        self._here = threading.Lock()

    def add(self, question: str, **fields: Any) -> None:
        """Write down that a question was asked, and what became of it. Raises OSError."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"time": now, "question": redacted(question), **fields})
        with self._here:
            opened = os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                # One write of a line: other processes write theirs before or after it.
                os.write(opened, line.encode() + b"\n")
            finally:
                os.close(opened)


def redacted(text: str) -> str:
    """The text without addresses, numbers and names.

    >>> redacted("When did Anna Meier of Lausanne call +41 79 555 12 12 about invoice 4711?")
    'When did [name] of [name] call [phone] about invoice [number]?'
    """
    text = _E_MAIL.sub("[e-mail]", text)
    text = _LINK.sub("[link]", text)
    text = _PHONE.sub("[phone]", text)
    text = _NUMBER.sub("[number]", text)
    return _RUN_OF_NAMES.sub(_NAME, _without_names(text))


def _without_names(text: str) -> str:
    """Without words with a capital, but those that begin a sentence and are no names anywhere else."""
    written_as_names = {word.text for word in names(text, "en")}
    capitals = {word[0] for word in _WORD.finditer(text) if word[0][:1].isupper()}
    found = {word for word in capitals if word in written_as_names or word.lower() not in _ASKING}
    placeholders = re.compile(r"\[(?:e-mail|link|phone|number)\]|[^\W\d_]+")
    return placeholders.sub(
        lambda word: _NAME if word[0] in found and not word[0].startswith("[") else word[0], text
    )
