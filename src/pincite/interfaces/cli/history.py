"""`pincite history`: the answers kept in a library, and which of them are stale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

import pincite
from pincite.errors import UsageError
from pincite.interfaces.cli.options import DEFAULT_LIBRARY, JsonOption, LibraryOption
from pincite.interfaces.cli.output import indented, print_json, say, visible_line
from pincite.text.locations import on_one_line

if TYPE_CHECKING:
    from pincite.library.library import Library
    from pincite.records.library_records import KeptAnswer

app = typer.Typer(
    help="Show the kept answers; without a verb, list them.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


@app.callback()
def history(ctx: typer.Context, library: LibraryOption = DEFAULT_LIBRARY) -> None:
    """Show the kept answers; without a verb, list them."""
    if ctx.invoked_subcommand is None:
        list_answers(library)


@app.command("list")
def list_answers(
    library: LibraryOption = DEFAULT_LIBRARY,
    stale: Annotated[
        bool, typer.Option("--stale", help="Only those whose quotes changed or vanished.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the kept answers, oldest first.

    Answers are kept where 'history.keep' is set, or with 'pincite ask --keep'.
    """
    with pincite.Library.open(library, create=False) as opened:
        found = [one for one in opened.catalog.history.entries() if one.stale or not stale]
    if as_json:
        print_json({"answers": [asdict(one) for one in found]})
        return
    for one in found:
        _print_line(one)
    say(f"{len(found)} answers")


@app.command("show")
def show(
    number: Annotated[int, typer.Argument(help="The number that 'list' shows.")],
    library: LibraryOption = DEFAULT_LIBRARY,
    as_json: JsonOption = False,
) -> None:
    """Show one kept answer; with --json, the receipt that 'pincite verify' checks."""
    with pincite.Library.open(library, create=False) as opened:
        found = opened.catalog.history.entries(number)
    if not found:
        raise UsageError(f"there is no kept answer {number}; 'pincite history list' shows them")
    (one,) = found
    if as_json:
        print_json(one.form)
        return
    _print_line(one)
    say(indented(on_one_line(one.form["text"]) or "No answer.", first="  "))
    for count, citation in enumerate(one.form["citations"], start=1):
        page = f", page {citation['page']}" if citation["page"] else ""
        say(indented(f"{visible_line(citation['source'])}{page}", first=f"  [{count}] "))
    for reason in one.form["reasons"]:
        say(indented(reason, first="  - "))


@app.command("delete")
def delete(
    numbers: Annotated[
        list[int] | None, typer.Argument(help="Numbers of the answers to delete.")
    ] = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    everything: Annotated[bool, typer.Option("--all", help="Delete all of them.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Delete kept answers."""
    if bool(numbers) == everything:
        raise UsageError("name the answers to delete by number, or use --all")
    with pincite.Library.open(library, create=False) as opened:
        _check_kept(opened, numbers or ())
        count = opened.catalog.history.delete(None if everything else numbers)
    if as_json:
        print_json({"deleted": count})
    else:
        say(f"{count} answers deleted")


def _check_kept(library: Library, numbers: Sequence[int]) -> None:
    kept = {one.number for one in library.catalog.history.entries()}
    if unknown := [str(number) for number in numbers if number not in kept]:
        raise UsageError(
            f"there is no kept answer {', '.join(unknown)}; 'pincite history list' shows them"
        )


def _print_line(one: KeptAnswer) -> None:
    status = "stale" if one.stale else one.form["status"]
    first = f"{one.number:>4}  {one.kept_at[:16].replace('T', ' ')}  {status:<9}  "
    say(
        indented(on_one_line(one.form["question"]), first=first), fg="yellow" if one.stale else None
    )
    for problem in one.stale:
        say(indented(problem, first="      - "))
