"""`--save` and `--sign`: saves an answer in a file that can be checked years later."""

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
    """Raises UsageError, before asking, for options with which saving would fail."""
    if attest is not None and save is None:
        raise UsageError("--attest adds to the file of --save; add --save FILE")
    if attest is not None and not attest.is_file():
        raise UsageError(
            f"{attest}: no such file; 'pincite doctor --offline --output {attest}' makes it"
        )
    if sign is not None and save is None:
        raise UsageError("--sign signs the file of --save; add --save FILE")
    check_key(sign)
    if save is not None and save.suffix.lower() not in (".json", ".html"):
        raise UsageError(f"{save}: expected a file name that ends in .json or .html")


def check_key(sign: Path | None) -> None:
    """Raises UsageError, before asking, for a missing key."""
    if sign is not None and not sign.is_file():
        raise UsageError(f"{sign}: no such file; 'pincite keys {sign}' makes a key pair")


def check_outputs(library: Library, *outputs: Path | None) -> None:
    """Raises UsageError, before asking, for files that must not be replaced."""
    for output in filter(None, outputs):
        library.check_output(output)


def check_not_input(output: Path, given: Path) -> None:
    """Raises UsageError if the output would replace the input."""
    if os.path.realpath(output) == os.path.realpath(given) or (
        output.exists() and given.exists() and output.samefile(given)
    ):
        raise UsageError(
            f"{output}: is the input and would be replaced; choose another output name"
        )


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """A file that is written completely or not at all; pipes and devices are written directly."""
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8", newline="") as file:
            yield file
        return
    target = Path(os.path.realpath(path))  # a link stays a link
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        file = draft.open("w", encoding="utf-8", newline="")
    except OSError as error:
        # Errors should show the name that the user gave.
        raise OSError(error.errno, error.strerror, str(path)) from error
    try:
        with file:
            yield file
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def print_saved(save: Path | None) -> None:
    """Print where the receipt is, and how to check it."""
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
    """Write a receipt, completely or not at all."""
    if save is None:
        return
    library.save_receipt(answer, save, key=sign, air_gap=air_gap)
