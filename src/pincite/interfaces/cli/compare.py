"""`pincite compare`: what differs between two files or folders, with the words of both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from pincite.interfaces.cli import saving
from pincite.interfaces.cli.options import JsonOption
from pincite.interfaces.cli.output import (
    DIFFERENT,
    indented,
    notice,
    print_json,
    say,
    visible_line,
)
from pincite.records.comparisons import ChangeKind, Compared, Comparison, Quoted

_SHOWN = 20


def compare(
    before: Annotated[Path, typer.Argument(help="The earlier file or folder.", show_default=False)],
    after: Annotated[Path, typer.Argument(help="The later file or folder.", show_default=False)],
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write: .html, .docx, .pdf, .md or .json; repeatable.",
        ),
    ] = None,
    show_all: Annotated[
        bool, typer.Option("--all", help=f"Print all differences, not only the first {_SHOWN}.")
    ] = False,
    fail: Annotated[
        bool,
        typer.Option("--fail-if-different", help="Exit with code 6 if anything differs."),
    ] = False,
    sign: Annotated[
        Path | None,
        typer.Option("--sign", help="Sign the JSON with this private key ('pincite keys')."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what differs between two files or two folders, with the words of both.

    Statements with another number, date, name, duty or negation come first, then reworded, added,
    removed and moved ones. Tables are compared cell by cell. Needs no library.
    'pincite verify' checks the JSON against both files.
    """
    from pincite.report.comparing.files import compare_paths
    from pincite.report.comparing.meaning import LocalMeaning
    from pincite.report.comparing.pages import write_comparison
    from pincite.report.writing import check_outputs
    from pincite.settings.loading import load_settings
    from pincite.verify.receipts.signing import sealed

    outputs = output or []
    check_outputs(outputs)
    saving.check_key(sign)
    with LocalMeaning(load_settings()[0].embedding) as meaning:
        compared = compare_paths(before, after, meaning=meaning)
    if meaning.problem:
        notice(meaning.problem)
    for line in write_comparison(compared, outputs, key=sign):
        notice(line)
    if as_json:
        print_json(sealed(compared.as_form(), sign))
    else:
        _print(compared, outputs, most=None if show_all else _SHOWN)
    if fail and not compared.is_same:
        raise typer.Exit(DIFFERENT)


def _print(compared: Compared, outputs: Sequence[Path], *, most: int | None) -> None:
    for one in compared.files:
        if one.changes or one.notices or len(compared.files) == 1:
            _print_files(one, most)
    for names, which in ((compared.only_before, "first"), (compared.only_after, "second")):
        for name in names:
            say(f"only in the {which} folder: {visible_line(name)}")
    if len(compared.files) > 1:
        same = sum(not one.changes for one in compared.files)
        say(f"{len(compared.files)} files compared, {same} without differences")
    for problem in compared.problems:
        notice(f"not compared: {problem}")
    if outputs:
        say(f"written to {', '.join(map(str, outputs))}")


def _print_files(one: Comparison, most: int | None) -> None:
    from pincite.report.comparing.pages import summary
    from pincite.verify.comparing.changes import told

    say(visible_line(f"{one.before} → {one.after}"), bold=True)
    say(summary(one))
    for missing in one.notices:
        notice(f"not compared: {missing}")
    for change in one.changes[:most]:
        say()
        say(visible_line(told(change)), bold=True)
        for sign, side, colour in (("-", change.before, "red"), ("+", change.after, "green")):
            if side is not None and not (sign == "-" and change.kind is ChangeKind.MOVED):
                _print_side(sign, side, colour)
        if change.kind is ChangeKind.MOVED:
            say(f"    from {_where(change.before)}")
    rest = len(one.changes) - len(one.changes[:most])
    if rest:
        say(f"\n{rest} more: --all")


def _print_side(sign: str, side: Quoted, colour: str) -> None:
    say(indented(visible_line(" ".join(side.text.split())), first=f"  {sign} "), fg=colour)
    if place := _where(side):
        say(f"    {place}", dim=True)


def _where(side: Quoted | None) -> str:
    from pincite.report.comparing.pages import where

    return visible_line(where(side)) if side else ""
