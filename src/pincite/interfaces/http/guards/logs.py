"""The audit log, a hash chain of lines, and the query log."""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock

from pincite.records.files import open_regular
from pincite.verify.statements.names import names

AUDIT_FILE = "audit.jsonl"
_BEGINNING = "0" * 64
_OWN = "digest"
_LONGEST_LINE = 65_536
_SHOWN_CHARS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditCheck:
    """The result of a check: number of lines, digest of the last one, and the problem, if any."""

    lines: int
    last: str
    problem: str = ""


class AuditLog:
    """An audit log; several processes may write to it."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / AUDIT_FILE
        self._here = threading.Lock()
        self._others = FileLock(f"{self.file}.lock")

    def add(self, event: str, **fields: Any) -> None:
        """Append a line and flush it to the disk. Raises OSError."""
        with self._here, self._others:
            opened = os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(opened, "r+b") as file:
                before, is_cut = _last_line(file.fileno())
                line = _line(event, fields, before)
                # A line cut off by a crash stays and is reported; the next one starts on a new line.
                os.write(file.fileno(), b"\n" * is_cut + line + b"\n")
                os.fsync(file.fileno())


def check_audit_log(file: Path) -> AuditCheck:
    """Check the hash chain from the first line. Raises OSError for an unreadable file."""
    before, lines, has_digest = _BEGINNING, 0, False
    with open_regular(file) as opened:
        while line := opened.readline(_LONGEST_LINE):
            lines += 1
            found = line.rstrip(b"\n")
            form = _parsed(found)
            if form.get("before") != before:
                problem = f"line {lines} does not match the line before: one was changed or removed"
                return AuditCheck(lines=lines, last=before, problem=problem)
            # Lines of earlier releases have no digest of their own; none of them follows one that has.
            has_digest = has_digest or _OWN in form
            if has_digest and form.get(_OWN) != _digest(found):
                problem = f"line {lines} does not match its own digest: it was changed"
                return AuditCheck(lines=lines, last=before, problem=problem)
            before = hashlib.sha256(found).hexdigest()
    return AuditCheck(lines=lines, last=before)


def _line(event: str, fields: dict[str, Any], before: str) -> bytes:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    shortened = {name: _short(value) for name, value in fields.items()}
    # JSON escapes line breaks in names.
    line = json.dumps({"time": now, "event": event, **shortened, "before": before}).encode()
    own = hashlib.sha256(line).hexdigest()
    return line[:-1] + f', "{_OWN}": "{own}"}}'.encode()


def _digest(line: bytes) -> str:
    """The digest of a line without its own digest, which stands last in it."""
    content = line.rpartition(f', "{_OWN}": '.encode())[0]
    return hashlib.sha256(content + b"}").hexdigest()


def _short(value: Any) -> Any:
    return value if isinstance(value, (int, float, bool, type(None))) else str(value)[:_SHOWN_CHARS]


def _last_line(descriptor: int) -> tuple[str, bool]:
    """The digest of the last line, and whether it lacks its line break."""
    size = os.fstat(descriptor).st_size
    if not size:
        return _BEGINNING, False
    tail = os.pread(descriptor, _LONGEST_LINE, max(0, size - _LONGEST_LINE))
    is_cut = not tail.endswith(b"\n")
    return hashlib.sha256(tail.rstrip(b"\n").rpartition(b"\n")[2]).hexdigest(), is_cut


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


# The query log: questions as JSON lines without personal data. Off by default.

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
    """Appends lines to a file that only its owner may read."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / QUERY_FILE
        self._here = threading.Lock()

    def add(self, question: str, **fields: Any) -> None:
        """Record a question and its result. Raises OSError."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"time": now, "question": redacted(question), **fields})
        with self._here:
            opened = os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                # One write for each line, so that lines of several processes do not mix.
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
    """Replace capitalized words, except question words that are not used as names in the text."""
    written_as_names = {word.text for word in names(text, "en")}
    capitals = {word[0] for word in _WORD.finditer(text) if word[0][:1].isupper()}
    found = {word for word in capitals if word in written_as_names or word.lower() not in _ASKING}
    placeholders = re.compile(r"\[(?:e-mail|link|phone|number)\]|[^\W\d_]+")
    return placeholders.sub(
        lambda word: _NAME if word[0] in found and not word[0].startswith("[") else word[0], text
    )
