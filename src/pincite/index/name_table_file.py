"""Keeps the words of documents' names beside the lexical index."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np

from pincite.index.snapshot import write_atomically
from pincite.regular_files import open_regular
from pincite.text.name_table import NameTable

NAME_TABLE_FILE = "names.npz"

_ARRAYS = ("files", "called", "owners", "words", "kinds")


def write_name_table(folder: Path, table: NameTable) -> None:
    """Write it into the index's folder; the same table gives the same bytes."""
    arrays = {name: getattr(table, name) for name in _ARRAYS}
    arrays["documents"] = np.frombuffer("\n".join(table.documents).encode(), dtype=np.uint8)

    def write(file: BinaryIO) -> None:
        # As numpy.savez does it, but for the time of day.
        with ZipFile(file, "w") as archive:
            for name, array in arrays.items():
                with archive.open(ZipInfo(f"{name}.npy"), "w", force_zip64=True) as part:
                    np.lib.format.write_array(part, array, allow_pickle=False)

    write_atomically(folder / NAME_TABLE_FILE, write)


def read_name_table(folder: Path) -> NameTable:
    """Read it back. Raises OSError or ValueError when it is missing or damaged."""
    try:
        with (
            open_regular(folder / NAME_TABLE_FILE) as file,
            np.load(file, allow_pickle=False) as stored,
        ):
            documents = stored["documents"].tobytes().decode().split("\n")
            arrays = {name: stored[name] for name in _ARRAYS}
    except (BadZipFile, EOFError, KeyError, ValueError) as error:
        raise ValueError(f"{NAME_TABLE_FILE} is not what was written: {error}") from error
    return NameTable(documents=documents if len(arrays["files"]) else [], **arrays)
