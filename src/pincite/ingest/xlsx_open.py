"""Opens workbooks with openpyxl: whole where that fits into memory, else as a stream of rows."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from openpyxl import load_workbook
from openpyxl.utils import range_boundaries
from openpyxl.utils.exceptions import CellCoordinatesException, InvalidFileException
from PIL.Image import DecompressionBombError

from pincite.errors import ReadError
from pincite.ingest.archive_guard import MEBIBYTE
from pincite.ingest.counting import counted
from pincite.ingest.package import Package

if TYPE_CHECKING:
    from openpyxl.workbook import Workbook

_SHEETS = "xl/worksheets/"
# Some 1.6 million cells, of which openpyxl makes objects of 0.8 GB.
LARGEST_WHOLE_BYTES = 64 * MEBIBYTE
# openpyxl makes an object for each cell of a merged area or of a link, also for empty ones.
_MOST_JOINED_CELLS = 1_000_000
_JOINED = re.compile(
    rb"""<(?:\w+:)?(?:mergeCell|hyperlink)\s[^>]*?ref=["'](\$?[A-Z]{1,3}\$?\d+:\$?[A-Z]{1,3}\$?\d+)"""
)
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
    """A workbook as openpyxl gives it, with the values last saved instead of formulas.

    Its sheets know what is hidden and merged unless they are streamed (`ReadOnlyWorksheet`).
    """

    book: Workbook
    left_out: frozenset[str] = frozenset()
    """The parts that are damaged."""
    gaps: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def open_workbook(package: Package) -> OpenWorkbook:
    """Open a checked workbook. Raises ReadError when openpyxl cannot."""
    missing = tuple(_missing_sheets(package))
    if package.unpacked_bytes(_SHEETS) > LARGEST_WHOLE_BYTES:
        book, _ = _load(package, rows_only=True)
        large = f"it is so large that only its rows were read; {_UNKNOWN}"
        return OpenWorkbook(book=book, gaps=missing, warnings=(large,))
    try:
        _refuse_large_areas(package)
        whole = _load_whole(package)
    except ReadError as error:
        # The rows of a workbook with a drawing or a filter in disorder are still worth reading.
        book, _ = _load(package, rows_only=True)
        disorder = f"only its rows were read, and {_UNKNOWN}: {error}"
        return OpenWorkbook(book=book, gaps=(*missing, disorder))
    return replace(whole, gaps=(*missing, *whole.gaps))


def open_formulas(package: Package, workbook: OpenWorkbook) -> Workbook:
    """The same workbook as a stream of rows with formulas in the place of their values."""
    return _load(package, rows_only=True, formulas=True, leave_out=workbook.left_out)[0]


def _load_whole(package: Package) -> OpenWorkbook:
    """The workbook without the parts that are damaged, and what it lacks."""
    try:
        book, remarks = _load(package)
    except ReadError:
        damaged = package.damaged_xml()
        if not damaged:
            raise
        book, remarks = _load(package, leave_out=damaged)
        parts = [f"its part {name} is damaged and was not read" for name in sorted(damaged)]
        return OpenWorkbook(book=book, left_out=damaged, gaps=(*parts, *_losses(remarks)))
    return OpenWorkbook(book=book, gaps=tuple(_losses(remarks)))


def _load(
    package: Package,
    *,
    rows_only: bool = False,
    formulas: bool = False,
    leave_out: frozenset[str] = frozenset(),
) -> tuple[Workbook, list[str]]:
    """The workbook, and what openpyxl warns of."""
    with reading(package), warnings.catch_warnings(record=True) as remarks:
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


def _refuse_large_areas(package: Package) -> None:
    sheets = [package.part(name) for name in package.names if name.startswith(_SHEETS)]
    areas = [range_boundaries(m[1].decode()) for sheet in sheets for m in _JOINED.finditer(sheet)]
    cells = sum((right - left + 1) * (bottom - top + 1) for left, top, right, bottom in areas)
    if cells > _MOST_JOINED_CELLS:
        raise ReadError(
            f"its merged areas and links cover {cells:,} cells and the limit is "
            f"{_MOST_JOINED_CELLS:,}; make them smaller and save it anew"
        )


def _losses(remarks: list[str]) -> Iterator[str]:
    for sign, (thing, words) in _LOSSES.items():
        count = sum(sign in remark for remark in remarks)
        if count:
            yield f"{counted(count, thing)} {words}"
