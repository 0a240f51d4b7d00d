"""The judged questions: what is asked, what must be shown, and where that is in the files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from evaluation.errors import EvaluationError

KINDS = (
    "fact",
    "number",
    "howto",
    "definition",
    "list",
    "comparison",
    "yesno",
    "several",
    "date",
    "followup",
    "misspelt",
    "keywords",
    "language",
    "absent",
    "premise",
)
EXPECTED = ("answer", "refuse", "deny")
HALVES = ("open", "held")
FOLDER = Path(__file__).parent

_KEYS = {"id", "kind", "question", "expect", "gold", "must_show", "must_not_show", "ideal"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """Words that stand in a file; the file is named relative to its collection's root."""

    file: str
    quote: str


Place = tuple[Gold, ...]
"""A place that must be shown: one of these, where several carry the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One question with what a right answer to it shows. Of each group in `must_show` one suffices."""

    id: str
    half: str
    collection: str
    kind: str
    question: str
    history: tuple[str, ...]
    expect: str
    gold: tuple[Place, ...]
    must_show: tuple[tuple[str, ...], ...]
    must_not_show: tuple[str, ...]
    ideal: str


def half_of(file: str) -> str:
    """The half that a document belongs to, by its path relative to the collection's root."""
    first_digit = hashlib.sha256(file.encode()).hexdigest()[0]
    return "held" if int(first_digit, 16) % 2 else "open"


def half_of_document(file: str, root: Path) -> str:
    """The half of a file; of one text in several formats, that of the page or the Markdown file."""
    for suffix in (".html", ".md"):
        sibling = PurePosixPath(file).with_suffix(suffix)
        if (root / sibling).is_file():
            return half_of(str(sibling))
    return half_of(file)


def questions_of(half: str, collection: str, folder: Path = FOLDER) -> tuple[Judged, ...]:
    """The questions of one file; none where it is not there. Raises EvaluationError for a bad line."""
    path = folder / half / f"{collection}.jsonl"
    if not path.is_file():
        return ()
    lines = path.read_text(encoding="utf-8").splitlines()
    numbered = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    return tuple(_judged(line, f"{path}:{number}", half, collection) for number, line in numbered)


def _judged(line: str, where: str, half: str, collection: str) -> Judged:
    try:
        form = json.loads(line)
    except json.JSONDecodeError as error:
        raise EvaluationError(f"{where}: not JSON: {error}") from None
    try:
        return _checked(form, half, collection)
    except (EvaluationError, TypeError, KeyError, AttributeError) as error:
        raise EvaluationError(f"{where}: {error}") from None


def _checked(form: Mapping[str, Any], half: str, collection: str) -> Judged:
    missing = _KEYS - set(form)
    unknown = set(form) - _KEYS - {"history"}
    if missing or unknown:
        raise EvaluationError(f"missing: {sorted(missing)}; unknown: {sorted(unknown)}")
    _one_of(form["kind"], KINDS, "kind")
    _one_of(form["expect"], EXPECTED, "expect")
    groups = [[one] if isinstance(one, str) else one for one in form["must_show"]]
    return Judged(
        id=form["id"],
        half=half,
        collection=collection,
        kind=form["kind"],
        question=form["question"],
        history=tuple(form.get("history", ())),
        expect=form["expect"],
        gold=tuple(_place(one) for one in form["gold"]),
        must_show=tuple(tuple(group) for group in groups),
        must_not_show=tuple(form["must_not_show"]),
        ideal=form["ideal"],
    )


def _place(form: Mapping[str, Any]) -> Place:
    alternatives = form.get("any", [form])
    return tuple(Gold(file=one["file"], quote=one["quote"]) for one in alternatives)


def _one_of(value: str, valid: tuple[str, ...], name: str) -> None:
    if value not in valid:
        raise EvaluationError(f"{name} is {value!r}; valid are {', '.join(valid)}")
