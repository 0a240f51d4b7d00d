"""One table over many documents: a row for each document, a column for each question.

Every cell is a value with the quote that says it, or empty with the reason. Cells are kept beside the
table, so that a second run asks only what is new: other questions, documents that changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pincite.errors import PinciteError, UsageError
from pincite.library.library import Library
from pincite.records.document import READING_VERSION
from pincite.records.filters import Filters, Scope
from pincite.records.library_records import FileEntry
from pincite.report.sheets.cells import CellKind, SheetCell, cell_of

_MOST_COLUMNS = 100
_FORM = 2
"""Part of every key: raise it when cells hold something else."""
_TABLES = Path(__file__).with_name("questions")
"""Questions that are shipped, one file a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column: its name, its question, and the kind of its values."""

    name: str
    question: str
    kind: CellKind = CellKind.TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRow:
    """The cells of one document, in the order of the columns."""

    document: str
    document_id: str
    collection: str
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
    if str(path) in shipped and not path.exists():
        return shipped_columns(str(path))
    try:
        return parse_columns(path.read_text(encoding="utf-8-sig").splitlines(), f"{path}")
    except OSError as error:
        raise UsageError(
            f"{path}: {error.strerror}; expected a file of questions, or one of {', '.join(shipped)}"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not UTF-8 ({error.reason}); save it as UTF-8") from error


def shipped_columns(name: str) -> tuple[Column, ...]:
    """The columns of a shipped table. Raises UsageError if there is none of this name."""
    if name not in table_names():
        raise UsageError(f"there is no table '{name[:80]}'; there are: {', '.join(table_names())}")
    return parse_columns((_TABLES / f"{name}.txt").read_text("utf-8").splitlines(), name)


def parse_columns(lines: Sequence[str], name: str) -> tuple[Column, ...]:
    """The columns of lines as in a file; `name` stands in the messages of UsageError."""
    columns = tuple(
        _column(name, number, line.strip())
        for number, line in enumerate(lines, start=1)
        if line.strip() and not line.lstrip().startswith("#")
    )
    if not 0 < len(columns) <= _MOST_COLUMNS:
        raise UsageError(
            f"{name}: expected 1 to {_MOST_COLUMNS} questions, each on a line, found {len(columns)}"
        )
    return columns


def _column(name: str, number: int, line: str) -> Column:
    head, _, question = line.partition(": ")
    if "?" in head or not question.strip():
        return Column(name=line.rstrip("?"), question=line)
    called, bracket, kind = head.strip().partition("[")
    kind = kind.removesuffix("]").strip().lower() if bracket else CellKind.TEXT
    if kind not in tuple(CellKind):
        kinds = ", ".join(CellKind)
        raise UsageError(f"{name}, line {number}: there is no kind '{kind}'; expected {kinds}")
    question = question.strip()
    return Column(
        name=called.strip() or question.rstrip("?"), question=question, kind=CellKind(kind)
    )


def fill(
    library: Library,
    columns: Sequence[Column],
    *,
    kept: MutableMapping[str, SheetCell] | None = None,
    most: int | None = None,
    collection: str | None = None,
    documents: Sequence[str] = (),
    on_cell: Callable[[int, int], None] = lambda _done, _of: None,
) -> Sheet:
    """Ask every question of every document, except what `kept` has from an earlier run.

    `kept` gets each cell as soon as it is there. `documents` are names or patterns as in `Filters`.
    Raises UsageError if no document matches, or if more than `most` cells are to be asked.
    """
    entries = _entries(library, collection, documents)
    known = {} if kept is None else kept
    settings = f"{_FORM} {READING_VERSION} {library.settings.model_dump_json()}"
    keys = [[_key(entry, column, settings) for column in columns] for entry in entries]
    new = sum(key not in known for row in keys for key in row)
    if most is not None and new > most:
        raise UsageError(
            f"{len(entries):,} documents and {len(columns)} questions: {new:,} cells to be asked, at "
            f"most {most:,} at a time; name fewer documents, or use 'pincite table'"
        )
    wanted = len(entries) * len(columns)
    done = asked = 0
    rows: list[SheetRow] = []
    for entry, row in zip(entries, keys, strict=True):
        cells: list[SheetCell] = []
        for column, key in zip(columns, row, strict=True):
            cell = known.get(key)
            if cell is None:
                cell = known[key] = _ask(library, entry, column, collection)
                asked += 1
            cells.append(cell)
            done += 1
            on_cell(done, wanted)
        rows.append(
            SheetRow(
                document=entry.title,
                document_id=entry.document_id,
                collection=entry.collection,
                path=entry.path,
                cells=tuple(cells),
            )
        )
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
