"""Reads a labelled set: documents, questions, and which documents answer them.

A set is a folder with `corpus.jsonl` (`id`, `title`, `text`), `queries.jsonl` (`id`, `text`, and
optionally `answers`, `answerable`, `lang`), `qrels.tsv` (`query_id`, `doc_id`, `grade`, with a header)
and optionally `spans.jsonl` (`query_id`, `doc_id`, `start`, `end`: where gold answers stand). Folders
in the form of BEIR (Thakur et al. 2021) are read as they are published: `_id` for `id`, and
`qrels/test.tsv`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pincite.errors import DatasetError

_QRELS = ("qrels.tsv", "qrels/test.tsv", "qrels/dev.tsv", "qrels/validation.tsv")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldDocument:
    """A document of a set."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldSpan:
    """Where a gold answer stands: `text[start:end]` of the document."""

    document: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldQuestion:
    """A question and what is known about its answer.

    `relevant` has a grade above 0 for each document that helps. `answerable` is None where the set
    does not say.
    """

    id: str
    text: str
    language: str
    answerable: bool | None
    answers: tuple[str, ...]
    relevant: Mapping[str, int]
    spans: tuple[GoldSpan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A labelled set."""

    name: str
    documents: tuple[GoldDocument, ...]
    questions: tuple[GoldQuestion, ...]
    notes: tuple[str, ...] = field(default=())
    """What in the files makes no sense and was left out."""

    def some(self, most: int | None, language: str | None = None) -> tuple[GoldQuestion, ...]:
        """Up to `most` questions, spread evenly over the set; of one language when given."""
        chosen = [q for q in self.questions if language in (None, q.language)]
        if most is None or len(chosen) <= most:
            return tuple(chosen)
        return tuple(chosen[number * len(chosen) // most] for number in range(most))


def load_dataset(folder: Path) -> Dataset:
    """Read a set. Raises DatasetError that names the file and the line."""
    if not folder.is_dir():
        raise DatasetError(f"{folder}: no such folder; a set is a folder with corpus.jsonl in it")
    documents = tuple(
        GoldDocument(id=_identifier(row), title=str(row.get("title") or ""), text=_text(row, place))
        for place, row in _lines(folder / "corpus.jsonl")
    )
    if not documents:
        raise DatasetError(f"{folder / 'corpus.jsonl'}: there is no document in it")
    known = {document.id for document in documents}
    relevant, unknown = _relevant(_qrels(folder), known)
    spans = _spans(folder / "spans.jsonl", {d.id: len(d.text) for d in documents})
    questions = tuple(
        _question(row, place, relevant, spans) for place, row in _lines(folder / "queries.jsonl")
    )
    # BEIR puts the questions of all splits into one file: those that nobody judged are no test.
    judged = tuple(q for q in questions if q.relevant or q.answerable is False)
    notes = [f"{unknown} judgements name documents that are not in the corpus"] if unknown else []
    if not judged:
        raise DatasetError(f"{folder}: no question has a relevant document in the corpus")
    return Dataset(name=folder.name, documents=documents, questions=judged, notes=tuple(notes))


def _question(
    row: Mapping[str, Any],
    place: str,
    relevant: Mapping[str, Mapping[str, int]],
    spans: Mapping[str, Sequence[GoldSpan]],
) -> GoldQuestion:
    identifier = _identifier(row)
    answerable = row.get("answerable")
    return GoldQuestion(
        id=identifier,
        text=_text(row, place),
        language=str(row.get("lang") or ""),
        answerable=None if answerable is None else bool(answerable),
        answers=tuple(str(answer) for answer in row.get("answers") or ()),
        relevant=relevant.get(identifier, {}),
        spans=tuple(spans.get(identifier, ())),
    )


def _identifier(row: Mapping[str, Any]) -> str:
    return str(row["id"] if "id" in row else row.get("_id", ""))


def _text(row: Mapping[str, Any], place: str) -> str:
    if not isinstance(row.get("text"), str) or not _identifier(row):
        raise DatasetError(f"{place}: expected an object with 'id' and 'text', found {list(row)}")
    return str(row["text"])


def _lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Objects of a JSON-lines file, each with its place for messages."""
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                if not line.strip():
                    continue
                found = json.loads(line)
                if not isinstance(found, dict):
                    raise DatasetError(
                        f"{path}, line {number}: expected an object, found {line[:40]}"
                    )
                yield f"{path}, line {number}", found
    except FileNotFoundError as error:
        raise DatasetError(
            f"{path}: is missing; a set has corpus.jsonl and queries.jsonl"
        ) from error
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise DatasetError(f"{path}: cannot be read as JSON lines ({error})") from error


def _qrels(folder: Path) -> Path:
    for name in _QRELS:
        if (folder / name).exists():
            return folder / name
    raise DatasetError(f"{folder}: there are no judgements; expected {' or '.join(_QRELS[:2])}")


def _relevant(path: Path, known: set[str]) -> tuple[dict[str, dict[str, int]], int]:
    """Grades above 0 by question and document, and how many named unknown documents."""
    found: dict[str, dict[str, int]] = {}
    unknown = 0
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        for number, row in enumerate(rows, start=1):
            if number == 1 and not row[-1].lstrip("-").isdigit():
                continue  # the header
            try:
                question, document, grade = row[0], row[-2], int(row[-1])
            except (IndexError, ValueError) as error:
                raise DatasetError(
                    f"{path}, line {number}: expected query_id, doc_id and a whole number as grade, "
                    f"separated by tabs; found {row}"
                ) from error
            if document not in known:
                unknown += 1
            elif grade > 0:
                found.setdefault(question, {})[document] = grade
    return found, unknown


def _spans(path: Path, lengths: Mapping[str, int]) -> dict[str, list[GoldSpan]]:
    found: dict[str, list[GoldSpan]] = {}
    if not path.exists():
        return found
    for place, row in _lines(path):
        try:
            question, document = str(row["query_id"]), str(row["doc_id"])
            start, end = int(row["start"]), int(row["end"])
        except (KeyError, TypeError, ValueError) as error:
            raise DatasetError(f"{place}: expected query_id, doc_id, start and end") from error
        if 0 <= start < end <= lengths.get(document, 0):
            found.setdefault(question, []).append(GoldSpan(document=document, start=start, end=end))
    return found
