"""Opens workbooks with openpyxl: whole where that fits into memory, else as a stream of rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from openpyxl import load_workbook
from openpyxl.utils.exceptions import CellCoordinatesException, InvalidFileException
from PIL.Image import DecompressionBombError

from pincite.errors import ReadError
from pincite.ingest.archive_guard import MEBIBYTE
from pincite.ingest.counting import counted
from pincite.ingest.package import Package

if TYPE_CHECKING:
    from openpyxl.workbook import Workbook

# Some 1.6 million cells, of which openpyxl makes objects of 0.8 GB.
LARGEST_WHOLE_BYTES = 64 * MEBIBYTE
_UNKNOWN = (
    "which of its rows and columns are hidden, which cells are merged and what comments say is "
    "not known"
)
# What openpyxl only warns of, although it leaves something out.
_LOSSES = {
    "outside the limits for dates": ("date", "that no calendar has, shown as #VALUE!"),
    "comment which will be removed": ("comment", "inside a merged area not read"),
    "invalid specification": ("sheet", "that the workbook names without saying where it is"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenWorkbook:
    """A workbook as openpyxl gives it, with the values last saved instead of formulas."""

    book: Workbook
    is_whole: bool
    """Whether sheets also know what is hidden and merged; otherwise only rows are streamed."""
    gaps: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def open_workbook(package: Package) -> OpenWorkbook:
    """Open a checked workbook. Raises ReadError when openpyxl cannot."""
    missing = tuple(_missing_sheets(package))
    if package.unpacked_bytes("xl/worksheets/") > LARGEST_WHOLE_BYTES:
        book, _ = _load(package, rows_only=True)
        large = f"it is so large that only its rows were read; {_UNKNOWN}"
        return OpenWorkbook(book=book, is_whole=False, gaps=missing, warnings=(large,))
    try:
        book, gaps = _load_whole(package)
    except ReadError as error:
        # The rows of a workbook with a drawing or a filter in disorder are still worth reading.
        book, _ = _load(package, rows_only=True)
        disorder = f"only its rows were read, and {_UNKNOWN}: {error}"
        return OpenWorkbook(book=book, is_whole=False, gaps=(*missing, disorder))
    return OpenWorkbook(book=book, is_whole=True, gaps=(*missing, *gaps))


def _load_whole(package: Package) -> tuple[Workbook, list[str]]:
    """The workbook without the parts that are damaged, and what it lacks."""
    try:
        book, remarks = _load(package)
    except ReadError:
        damaged = package.damaged_xml()
        if not damaged:
            raise
        book, remarks = _load(package, leave_out=damaged)
        parts = [f"its part {name} is damaged and was not read" for name in sorted(damaged)]
        return book, [*parts, *_losses(remarks)]
    return book, list(_losses(remarks))


def open_formulas(package: Package) -> Workbook:
    """The same workbook as a stream of rows with formulas in the place of their values."""
    return _load(package, rows_only=True, formulas=True)[0]


def _load(
    package: Package,
    *,
    rows_only: bool = False,
    formulas: bool = False,
    leave_out: frozenset[str] = frozenset(),
) -> tuple[Workbook, list[str]]:
    """The workbook, and what openpyxl warns of."""
    with (
        reading(package),
        warnings.catch_warnings(record=True) as remarks,
    ):
        warnings.simplefilter("always")
        book = load_workbook(
            package.for_library(leave_out=leave_out),
            read_only=rows_only,
            data_only=not formulas,
            keep_links=False,
        )
    return book, [str(remark.message) for remark in remarks]


def reading(package: Package) -> AbstractContextManager[None]:
    """Turns what openpyxl raises while it opens a workbook or streams its rows into ReadError."""
    return package.plain_errors(
        InvalidFileException, CellCoordinatesException, DecompressionBombError
    )


def _missing_sheets(package: Package) -> Iterator[str]:
    """Sheets without a part, which openpyxl passes over."""
    for relation in package.relations(package.main_part()):
        if relation.kind == "worksheet" and relation.target not in package.names:
            yield f"the sheet {relation.target} is named by the workbook but is not in the file"


def _losses(remarks: list[str]) -> Iterator[str]:
    for sign, (thing, words) in _LOSSES.items():
        count = sum(sign in remark for remark in remarks)
        if count:
            yield f"{counted(count, thing)} {words}"
