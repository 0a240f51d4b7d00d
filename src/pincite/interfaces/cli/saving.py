"""`--save` and `--sign`: an answer becomes a file that can be checked years later."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pincite.errors import UsageError

if TYPE_CHECKING:
    from pincite.library import Library
    from pincite.records import Answer


def check_saving(save: Path | None, sign: Path | None) -> None:
    """Raises UsageError, before anything is asked, for what could not be saved."""
    if sign is not None and save is None:
        raise UsageError("--sign signs what --save writes; give --save FILE too")
    if sign is not None and not sign.is_file():
        raise UsageError(f"{sign}: no such file; 'pincite keys {sign}' makes a key pair")
    if save is not None and save.suffix.lower() not in (".json", ".html"):
        raise UsageError(f"{save}: an answer is saved as .json or .html")


def save_answer(answer: Answer, library: Library, save: Path | None, sign: Path | None) -> None:
    """Write a receipt, as a whole or not at all."""
    if save is None:
        return
    library.save_receipt(answer, save, key=sign)
