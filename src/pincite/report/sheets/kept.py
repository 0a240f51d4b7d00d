"""Cells of a table that were asked before: beside the table's file, or in a server's memory."""

from __future__ import annotations

import json
from collections import OrderedDict, UserDict
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from pincite.report.sheets.cells import SheetCell


class CellsOnFile(UserDict[str, SheetCell]):
    """Cells by their key, in a file of JSON lines that is appended to after each of them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.data = dict(_read(path))

    def __setitem__(self, key: str, cell: SheetCell) -> None:
        self.data[key] = cell
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, **asdict(cell)}) + "\n")


class CellsInMemory(OrderedDict[str, SheetCell]):
    """The last `most` cells by their key."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: str, cell: SheetCell) -> None:
        super().__setitem__(key, cell)
        while len(self) > self._most:
            self.popitem(last=False)


def _read(path: Path) -> Iterator[tuple[str, SheetCell]]:
    if not path.is_file():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            form = json.loads(line)
            yield form.pop("key"), SheetCell(**form)
        except (ValueError, TypeError, KeyError):
            continue  # The last line of a run that was broken off.
