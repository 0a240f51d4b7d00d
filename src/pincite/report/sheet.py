"""One table over many documents: a row for each document, a column for each question.

Every cell is a value with the quote that says it, or empty with the reason. Cells are kept beside the
table, so that a second run asks only what is new: other questions, documents that changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from pincite.errors import PinciteError, UsageError
from pincite.library.library import Library
from pincite.records.document import READING_VERSION
from pincite.records.filters import Filters, Scope
from pincite.records.flow import Answer, Claim, Status
from pincite.records.library_records import FileEntry
from pincite.text.as_read import as_read
from pincite.text.dates import moments
from pincite.text.locations import on_one_line, place
from pincite.text.numbers import numbers
from pincite.text.tables.words import words_of
from pincite.text.units import in_scale

_MOST_COLUMNS = 100
_TABLES = Path(__file__).with_name("tables")
"""Questions that are shipped, one file a table."""


class CellKind(StrEnum):
    """What the value of a column is taken from the quote as."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    YES_NO = "yes/no"
    LIST = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column: its name, its question, and the kind of its values."""

    name: str
    question: str
    kind: CellKind = CellKind.TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetCell:
    """A value with its quote and place, or without a value the reason.

    `unit` is that of a number. Without a value, `quote` is what came nearest, if anything did.
    """

    value: str = ""
    unit: str = ""
    quote: str = ""
    place: str = ""
    confidence: float = 0.0
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRow:
    """The cells of one document, in the order of the columns."""

    document: str
    path: str
    cells: tuple[SheetCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """The table; `asked` cells were asked for in this run, the others were kept from before."""

    columns: tuple[Column, ...]
    rows: tuple[SheetRow, ...]
    asked: int

    @property
    def filled(self) -> int:
        """How many cells have a value."""
        return sum(bool(cell.value) for row in self.rows for cell in row.cells)


def table_names() -> list[str]:
    """The names of the tables whose questions are shipped."""
    return sorted(one.name.removesuffix(".txt") for one in _TABLES.iterdir())


def read_columns(path: Path) -> tuple[Column, ...]:
    """The columns of a file with a line for each: `Rent [number]: What is the monthly rent?`.

    The name and the kind may be left out. Instead of a file, the name of a shipped one (`contract`).
    Raises UsageError that names the line.
    """
    shipped = table_names()
    file = _TABLES / f"{path}.txt" if str(path) in shipped and not path.exists() else path
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise UsageError(
            f"{path}: {error.strerror}; expected a file of questions, or one of {', '.join(shipped)}"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not UTF-8 ({error.reason}); save it as UTF-8") from error
    columns = tuple(
        _column(path, number, line.strip())
        for number, line in enumerate(lines, start=1)
        if line.strip() and not line.lstrip().startswith("#")
    )
    if not 0 < len(columns) <= _MOST_COLUMNS:
        raise UsageError(
            f"{path}: expected 1 to {_MOST_COLUMNS} questions, each on a line, found {len(columns)}"
        )
    return columns


def _column(path: Path, number: int, line: str) -> Column:
    head, _, question = line.partition(": ")
    if "?" in head or not question.strip():
        return Column(name=line.rstrip("?"), question=line)
    name, bracket, kind = head.strip().partition("[")
    kind = kind.removesuffix("]").strip().lower() if bracket else CellKind.TEXT
    if kind not in tuple(CellKind):
        kinds = ", ".join(CellKind)
        raise UsageError(f"{path}, line {number}: there is no kind '{kind}'; expected {kinds}")
    question = question.strip()
    return Column(name=name.strip() or question.rstrip("?"), question=question, kind=CellKind(kind))


def fill(
    library: Library,
    columns: Sequence[Column],
    *,
    kept: Path | None = None,
    collection: str | None = None,
    documents: Sequence[str] = (),
    on_cell: Callable[[int, int], None] = lambda _done, _of: None,
) -> Sheet:
    """Ask every question of every document, except what `kept` has from an earlier run.

    `kept` is a file of JSON lines, appended to after each cell. `documents` are names or patterns as in
    `Filters`. Raises UsageError if no document matches.
    """
    entries = _entries(library, collection, documents)
    known = dict(_known(kept)) if kept else {}
    settings = f"{READING_VERSION} {library.settings.model_dump_json()}"
    wanted = len(entries) * len(columns)
    done = asked = 0
    rows: list[SheetRow] = []
    for entry in entries:
        cells: list[SheetCell] = []
        for column in columns:
            key = _key(entry, column, settings)
            if key not in known:
                known[key] = _ask(library, entry, column, collection)
                _keep(kept, key, known[key])
                asked += 1
            cells.append(known[key])
            done += 1
            on_cell(done, wanted)
        rows.append(SheetRow(document=entry.title, path=entry.path, cells=tuple(cells)))
    return Sheet(columns=tuple(columns), rows=tuple(rows), asked=asked)


def _entries(library: Library, collection: str | None, documents: Sequence[str]) -> list[FileEntry]:
    entries = sorted(library.files(collection=collection), key=lambda entry: entry.path)
    if documents:
        scope = Scope.of(collection, Filters(documents=tuple(documents)))
        wanted = set(library.catalog.documents_in(scope))
        entries = [entry for entry in entries if entry.document_id in wanted]
    if not entries:
        raise UsageError("no document matches; 'pincite ls' lists them")
    return entries


def _key(entry: FileEntry, column: Column, settings: str) -> str:
    parts = (entry.document_id, entry.collection, column.question, column.kind, settings)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _known(kept: Path) -> Iterator[tuple[str, SheetCell]]:
    if not kept.is_file():
        return
    for line in kept.read_text(encoding="utf-8").splitlines():
        try:
            form = json.loads(line)
            yield form.pop("key"), SheetCell(**form)
        except (ValueError, TypeError, KeyError):
            continue  # The last line of a run that was broken off.


def _keep(kept: Path | None, key: str, cell: SheetCell) -> None:
    if kept is not None:
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, **asdict(cell)}) + "\n")


def _ask(library: Library, entry: FileEntry, column: Column, collection: str | None) -> SheetCell:
    try:
        answer = library.ask(
            column.question,
            collection=collection,
            filters=Filters(documents=(entry.document_id,)),
        )
    except PinciteError as error:
        return SheetCell(reason=str(error))
    return cell_of(answer, column.kind)


def cell_of(answer: Answer, kind: CellKind) -> SheetCell:
    """The value of an answer, taken from its quotes alone."""
    if answer.status is Status.ABSTAINED:
        return SheetCell(reason=answer.reasons[0] if answer.reasons else "no answer")
    shown = answer.shown
    cited = answer.citations[shown[0].citations[0] - 1] if shown and shown[0].citations else None
    told = shown[0].text[slice(*shown[0].telling)] if shown and shown[0].telling else ""
    quote = on_one_line(as_read(told or shown[0].text, cited.media_type if cited else ""))
    where = place(cited) if cited else ""
    if answer.is_doubtful:
        return SheetCell(quote=quote, place=where, reason="not sure that this answers the question")
    value, unit, reason = _value(answer, shown, kind, quote)
    return SheetCell(
        value=value,
        unit=unit,
        quote=quote,
        place=where,
        confidence=answer.confidence,
        reason=reason,
    )


def _head(answer: Answer) -> tuple[str, str]:
    """The heads above the cell that answers by itself and above its label, and this label."""
    for cited in answer.citations:
        for cell in cited.cells:
            if cell.text == answer.short_answer:
                heads = (*cell.columns, *cited.cells[0].columns)
                return " ".join(one.text for one in heads), " ".join(one.text for one in cell.rows)
    return "", ""


def _value(
    answer: Answer, shown: Sequence[Claim], kind: CellKind, quote: str
) -> tuple[str, str, str]:
    """The value, the unit of a number, and without a value the reason."""
    text = on_one_line(answer.short_answer) or quote
    if kind is CellKind.NUMBER:
        found = {(str(one.value), one.unit) for one in numbers(text) if not one.is_ordinal}
        if len(found) != 1:
            return "", "", f"the quote has {len(found) or 'no'} numbers"
        value, unit = found.pop()
        return value, in_scale(unit, *_head(answer)), ""
    if kind is CellKind.DATE:
        days = {
            f"{one.year:04}-{one.month:02}-{one.day:02}"
            for one in moments(text)
            if one.year and one.month and one.day and not one.swapped
        }
        return (days.pop(), "", "") if len(days) == 1 else ("", "", "the quote has no single day")
    if kind is CellKind.YES_NO:
        # The whole cell, and no dash: it begins items, and stands for what is not known.
        said = text.casefold().strip(" .-–—")
        sign = next((sign for sign in ("yes", "no") if said and said in words_of(sign)), "")
        return sign, "", "" if sign else "the quote says neither yes nor no"
    if kind is CellKind.LIST:
        return "; ".join(on_one_line(claim.text) for claim in shown), "", ""
    return text, "", ""
