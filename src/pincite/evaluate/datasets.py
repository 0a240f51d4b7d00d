"""Reads a labelled set: documents, questions, and which documents answer them.

A set is a folder with `corpus.jsonl` (`id`, `title`, `text`), `queries.jsonl` (`id`, `text`, and
optionally `answers`, `answerable`, `lang`), `qrels.tsv` (`query_id`, `doc_id`, `grade`, with a header)
and optionally `spans.jsonl` (`query_id`, `doc_id`, `start`, `end`: positions of gold answers). Folders
in BEIR's format (Thakur et al. 2021) are read as published: `_id` for `id`, and `qrels/test.tsv`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pincite.errors import DatasetError
from pincite.library.library import Library
from pincite.records.files import open_regular
from pincite.records.flow import Hit
from pincite.records.library_records import FileProblem
from pincite.settings.loading import Layer

_QRELS = ("qrels.tsv", "qrels/test.tsv", "qrels/dev.tsv", "qrels/validation.tsv")


_SHOWN_CHARS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldDocument:
    """A document of a set."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldSpan:
    """The position of a gold answer: `text[start:end]` of the document."""

    document: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldQuestion:
    """A question and its labels.

    `relevant` has a grade above 0 for each relevant document. `answerable` is None if the set does
    not say.
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
    """Invalid labels that were left out."""

    def some(self, most: int | None, language: str | None = None) -> tuple[GoldQuestion, ...]:
        """Up to `most` questions, spread evenly over the set; of one language if given."""
        chosen = [q for q in self.questions if language in (None, q.language)]
        if most is None or len(chosen) <= most:
            return tuple(chosen)
        return tuple(chosen[number * len(chosen) // most] for number in range(most))


def load_dataset(folder: Path) -> Dataset:
    """Read a set. Raises DatasetError that names the file and the line.

    Labels for unknown questions or documents are left out and counted in the notes.
    """
    if not folder.is_dir():
        raise DatasetError(f"{folder}: no such folder; a set is a folder with corpus.jsonl in it")
    documents = tuple(
        GoldDocument(
            id=identifier_of(row), title=str(row.get("title") or ""), text=_text(row, place)
        )
        for place, row in _distinct(folder / "corpus.jsonl")
    )
    if not documents:
        raise DatasetError(
            f"{folder / 'corpus.jsonl'}: it contains no document; expected one JSON object per line"
        )
    asked = list(_distinct(folder / "queries.jsonl"))
    known = _Known(
        questions={identifier_of(row) for _, row in asked},
        lengths={document.id: len(document.text) for document in documents},
    )
    relevant = _relevant(_qrels(folder), known)
    spans = _spans(folder / "spans.jsonl", known)
    questions = [_question(row, place, relevant, spans) for place, row in asked]
    # BEIR has the questions of all splits in one file: those without judgements are not in this one.
    judged = tuple(q for q in questions if q.relevant or q.answerable is False)
    if not judged:
        raise DatasetError(
            f"{folder}: no question has a relevant document in the corpus; expected a grade above 0 "
            "in the judgements for at least one question and document of the set"
        )
    known.miss("questions without a relevant document", len(questions) - len(judged))
    return Dataset(name=folder.name, documents=documents, questions=judged, notes=known.notes())


class _Known:
    """The ids of a set, and counts of labels that do not match them."""

    def __init__(self, *, questions: set[str], lengths: Mapping[str, int]) -> None:
        self.questions = questions
        self.lengths = lengths
        self._missed: Counter[str] = Counter()

    def miss(self, what: str, count: int = 1) -> None:
        """Count left-out labels."""
        self._missed[what] += count

    def notes(self) -> tuple[str, ...]:
        """The counts as text."""
        return tuple(f"left out: {n:,} {what}" for what, n in self._missed.items() if n)


def _question(
    row: Mapping[str, Any],
    place: str,
    relevant: Mapping[str, Mapping[str, int]],
    spans: Mapping[str, Sequence[GoldSpan]],
) -> GoldQuestion:
    identifier = identifier_of(row)
    answers, answerable = row.get("answers") or (), row.get("answerable")
    if isinstance(answers, str) or not isinstance(answers, Sequence):
        raise DatasetError(f"{place}: expected a list as 'answers', found {str(answers)[:40]!r}")
    if not isinstance(answerable, bool | None):
        raise DatasetError(f"{place}: expected true or false as 'answerable', found {answerable!r}")
    return GoldQuestion(
        id=identifier,
        text=_text(row, place),
        language=str(row.get("lang") or ""),
        answerable=answerable,
        answers=tuple(answer for answer in map(str, answers) if answer.strip()),
        relevant=relevant.get(identifier, {}),
        spans=tuple(spans.get(identifier, ())),
    )


def identifier_of(row: Mapping[str, Any]) -> str:
    """The id of a document or question; empty if it has none."""
    found = row["id"] if "id" in row else row.get("_id")
    return "" if found is None else str(found)


def _text(row: Mapping[str, Any], place: str) -> str:
    if not isinstance(row.get("text"), str) or not identifier_of(row):
        raise DatasetError(
            f"{place}: expected an object with 'id' and 'text', found one with "
            f"{', '.join(f'{name!r}: {_brief(row[name])}' for name in row) or 'nothing'}"
        )
    return str(row["text"])


def _brief(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)[:_SHOWN_CHARS]


def _distinct(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows. Raises DatasetError for a duplicate id."""
    places: dict[str, str] = {}
    for place, row in json_lines(path):
        identifier = identifier_of(row)
        if identifier and identifier in places:
            raise DatasetError(
                f"{place}: the id '{identifier}' is already used in line "
                f"{places[identifier].rpartition(' ')[2]}; expected unique ids"
            )
        places[identifier] = place
        yield place, row


def json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Objects of a JSON-lines file, each with its location for messages."""
    for number, line in _text_lines(path):
        place = f"{path}, line {number}"
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except ValueError as error:
            raise DatasetError(
                f"{place}: expected a JSON object, found {line.strip()[:40]!r} ({error})"
            ) from error
        if not isinstance(found, dict):
            raise DatasetError(f"{place}: expected a JSON object, found {line.strip()[:40]!r}")
        yield place, found


def _text_lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with open_regular(path) as file:
            for number, line in enumerate(file, start=1):
                try:
                    yield number, line.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    raise DatasetError(
                        f"{path}, line {number}: is not UTF-8 ({error.reason}); save it as UTF-8"
                    ) from error
    except FileNotFoundError as error:
        raise DatasetError(
            f"{path}: is missing; a set has corpus.jsonl, queries.jsonl and qrels.tsv "
            "(or qrels/test.tsv)"
        ) from error
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read ({error.strerror})") from error


def _qrels(folder: Path) -> Path:
    for name in _QRELS:
        if (folder / name).exists():
            return folder / name
    raise DatasetError(f"{folder}: there are no judgements; expected {' or '.join(_QRELS[:2])}")


def _relevant(path: Path, known: _Known) -> dict[str, dict[str, int]]:
    """Grades above 0 by question and document."""
    found: dict[str, dict[str, int]] = {}
    for number, line in _text_lines(path):
        row = line.rstrip("\r\n").split("\t")
        if not line.strip() or (number == 1 and _is_header(row, known)):
            continue
        try:
            question, document, grade = row[0], row[-2], int(row[-1])
        except (IndexError, ValueError) as error:
            raise DatasetError(
                f"{path}, line {number}: expected query_id, doc_id and a whole number as grade, "
                f"separated by tabs; found {line.strip()[:60]!r}"
            ) from error
        if question not in known.questions:
            known.miss("judgements of questions that are not in queries.jsonl")
        elif document not in known.lengths:
            known.miss("judgements of documents that are not in corpus.jsonl")
        elif grade > 0:
            found.setdefault(question, {})[document] = grade
    return found


def _is_header(row: Sequence[str], known: _Known) -> bool:
    """Whether a row has column names, and is not a judgement with an invalid grade."""
    names_nothing = row[0] not in known.questions and row[-2:][0] not in known.lengths
    return names_nothing and not row[-1].lstrip("-").isdigit()


def _spans(path: Path, known: _Known) -> dict[str, list[GoldSpan]]:
    found: dict[str, list[GoldSpan]] = {}
    if not path.exists():
        return found
    for place, row in json_lines(path):
        try:
            question, document = str(row["query_id"]), str(row["doc_id"])
            start, end = int(row["start"]), int(row["end"])
        except (KeyError, TypeError, ValueError) as error:
            raise DatasetError(
                f"{place}: expected query_id, doc_id, start and end (whole numbers), found one with "
                f"{', '.join(map(repr, row)) or 'nothing'}"
            ) from error
        if question not in known.questions:
            known.miss("gold spans of questions that are not in queries.jsonl")
        elif not 0 <= start < end <= known.lengths.get(document, 0):
            known.miss("gold spans outside the text of their document")
        else:
            found.setdefault(question, []).append(GoldSpan(document=document, start=start, end=end))
    return found


# A labelled set as a library: each document is one text file with a readable name.

_FORM = b"2"
"""Incremented when the files are written differently: the library of a set is then rebuilt."""

_LONGEST_NAME_BYTES = 240
_NAMED = 5
"""Number of documents listed in a note."""


class Collection:
    """A library with each document of a set as one text file."""

    def __init__(self, dataset: Dataset, home: Path, overrides: Layer | None = None) -> None:
        files = home / "files"
        self._names: dict[str, str] = {}
        for number, document in enumerate(dataset.documents):
            name, text = _file(document)
            path = files / f"{number // 1000:03d}" / f"{number:06d}" / f"{name}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            content = text.encode("utf-8", "replace")
            # Unchanged files keep their date: a new one would rewrite the whole index.
            if not path.exists() or path.read_bytes() != content:
                path.write_bytes(content)
            self._names[str(path.resolve())] = document.id
        self.folder = files
        self.notes: tuple[str, ...] = ()
        self.library = Library.open(home / "library", overrides=overrides)

    def ingest(self, progress: Callable[..., None] | None = None) -> tuple[str, ...]:
        """Update the library from the set; returns notes about unreadable documents."""
        report = self.library.ingest([self.folder], progress=progress)
        self._by_document: dict[str, list[str]] = {}
        for path, document in self.library.catalog.paths("default").items():
            # Documents with the same text are one document in the library: all are found with it.
            self._by_document.setdefault(document, []).append(self._names[path])
        self.notes = tuple(self._failures(report.failed))
        return self.notes

    def _failures(self, failed: Sequence[FileProblem]) -> Iterator[str]:
        empty = [problem for problem in failed if "empty" in problem.reason]
        unread = [problem for problem in failed if problem not in empty]
        for problems, what in ((empty, "are empty"), (unread, "could not be read")):
            ids = [self._names.get(str(Path(one.path).resolve()), one.path) for one in problems]
            more = ", ..." if len(ids) > _NAMED else ""
            if ids:
                yield f"{len(ids):,} documents {what}: {', '.join(ids[:_NAMED])}{more}"

    def ranked(self, hits: Sequence[Hit]) -> tuple[str, ...]:
        """Ids of documents in the order of their best passages."""
        found = dict.fromkeys(
            name for hit in hits for name in self.names(hit.passage.span.document_id)
        )
        return tuple(found)

    def names(self, document: str) -> list[str]:
        """The ids in the set for a document of the library."""
        return self._by_document.get(document, [])


def collection_home(dataset: Dataset, cache: Path) -> Path:
    """The folder for a set's library, kept so that a second run need not encode it again."""
    digest = hashlib.sha256(_FORM)
    for document in dataset.documents:
        digest.update(
            f"{document.id}\0{document.title}\0{document.text}\0".encode("utf-8", "replace")
        )
    return cache / f"{dataset.name}-{digest.hexdigest()[:12]}"


def _file(document: GoldDocument) -> tuple[str, str]:
    """Name and text of a document's file; a title that does not fit the name is added below the text.

    So the whole title is searched, and gold spans keep their positions.
    """
    name = re.sub(r"[^\w .,()'-]", "_", document.title or document.id).strip("_. ")
    cut = name.encode("utf-8", "replace")[:_LONGEST_NAME_BYTES].decode(errors="ignore").strip()
    if not document.text.strip():
        return cut or "document", document.title
    text = document.text if cut == name else f"{document.text}\n\n{document.title}\n"
    return cut or "document", text
