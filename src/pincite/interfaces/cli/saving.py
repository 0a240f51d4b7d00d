"""`--save` and `--sign`: an answer becomes a file that can be checked years later."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from pincite.errors import UsageError
from pincite.interfaces.cli.output import indented, say, short_path

if TYPE_CHECKING:
    from pincite.library.library import Library
    from pincite.records.flow import Answer


def check_saving(save: Path | None, sign: Path | None, attest: Path | None = None) -> None:
    """Raises UsageError, before anything is asked, for what could not be saved."""
    if attest is not None and save is None:
        raise UsageError("--attest is for what --save writes; give --save FILE too")
    if attest is not None and not attest.is_file():
        raise UsageError(
            f"{attest}: no such file; 'pincite doctor --offline --output {attest}' makes it"
        )
    if sign is not None and save is None:
        raise UsageError("--sign signs what --save writes; give --save FILE too")
    check_key(sign)
    if save is not None and save.suffix.lower() not in (".json", ".html"):
        raise UsageError(f"{save}: an answer is saved as .json or .html")


def check_key(sign: Path | None) -> None:
    """Raises UsageError, before anything is asked, for a key that is not there."""
    if sign is not None and not sign.is_file():
        raise UsageError(f"{sign}: no such file; 'pincite keys {sign}' makes a key pair")


def check_outputs(library: Library, *outputs: Path | None) -> None:
    """Raises UsageError, before anything is asked, for files that must not be replaced."""
    for output in filter(None, outputs):
        library.check_output(output)


def check_not_input(output: Path, given: Path) -> None:
    """Raises UsageError where the output would replace the input."""
    if os.path.realpath(output) == os.path.realpath(given) or (
        output.exists() and given.exists() and output.samefile(given)
    ):
        raise UsageError(f"{output}: is what is read and would be replaced; choose another name")


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """A file to write that is there as a whole or not at all; a pipe or device is just written to."""
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8", newline="") as file:
            yield file
        return
    target = Path(os.path.realpath(path))  # a link stays a link
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        file = draft.open("w", encoding="utf-8", newline="")
    except OSError as error:
        # The user should read the name they gave.
        raise OSError(error.errno, error.strerror, str(path)) from error
    try:
        with file:
            yield file
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def tell_saved(save: Path | None) -> None:
    """Where the receipt lies, and what it is for."""
    if save is not None:
        shown = short_path(str(save.absolute()))
        say(indented(f"saved to {shown}; check it with: pincite verify {shown}"), dim=True)


def save_answer(
    answer: Answer,
    library: Library,
    save: Path | None,
    sign: Path | None,
    air_gap: Path | None = None,
) -> None:
    """Write a receipt, as a whole or not at all."""
    if save is None:
        return
    library.save_receipt(answer, save, key=sign, air_gap=air_gap)
