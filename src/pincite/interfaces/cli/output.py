"""How results look: JSON for programs, text that fits 80 columns for people."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from pincite.records import Citation

from pincite.records import FileProblem

_PROBLEMS_SHOWN = 20


def print_json(form: Any) -> None:
    """One JSON object on stdout, in UTF-8 whatever the terminal's encoding is."""
    text = json.dumps(form, ensure_ascii=False, indent=2)
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")
    sys.stdout.buffer.flush()


def console(*, err: bool = False) -> Console:
    """A console that wraps at the terminal's width, and at 80 columns elsewhere."""
    from rich.console import Console

    width = None if (sys.stderr if err else sys.stdout).isatty() else 80
    return Console(stderr=err, highlight=False, soft_wrap=False, width=width, markup=False)


def notice(message: str) -> None:
    """Something the user should know, on stderr."""
    typer.secho(f"note: {message}", fg="yellow", err=True)


def short_path(path: str) -> str:
    """A path as a person would type it: relative when it lies below the current folder."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        home = os.path.expanduser("~")  # noqa: PTH111  (a string is wanted)
        return f"~{path[len(home) :]}" if path.startswith(home + os.sep) else path


def indented(text: str, *, first: str = "") -> str:
    """Text wrapped at 80 columns, or the terminal's width if less; lines below `first` aligned."""
    width = min(shutil.get_terminal_size((80, 24)).columns, 80)
    return textwrap.fill(
        text,
        width,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_on_hyphens=False,
    )


def on_one_line(text: str) -> str:
    """A quote for reading: line breaks of the page and runs of blanks become single blanks."""
    return " ".join(text.split())


def cut_to(text: str, width: int) -> str:
    """Text of at most `width` characters, with dots where it was cut."""
    return text if len(text) <= width else f"{text[: width - 4].rstrip()} ..."


def page_and_section(page: int | None, section: str) -> str:
    """Where something stands, in words."""
    parts = [f"page {page}"] if page else []
    return ", ".join([*parts, section] if section else parts)


def place(citation: Citation) -> str:
    """Where a quote stands, in words."""
    # `Parts!A2:C2` names the sheet already, which is the section.
    section = "" if citation.place.startswith(citation.section) else citation.section
    where = page_and_section(citation.page, section)
    if citation.page_label:
        where = where.replace(
            f"page {citation.page}", f"page {citation.page_label} ({citation.page})", 1
        )
    return ", ".join(part for part in (citation.place, where) if part)


def cell_lines(citation: Citation) -> Iterator[str]:
    """What the cells of a quoted table row mean: `Net sales, 2023: 10,332`."""
    for cell in citation.cells:
        names = ", ".join(on_one_line(label.text) for label in (*cell.rows, *cell.columns))
        if cell.columns and names:
            yield f"{names}: {on_one_line(cell.text)}"


def print_problems(title: str, problems: Sequence[FileProblem]) -> None:
    """Files and what is the matter with them, on stderr."""
    if not problems:
        return
    typer.secho(title, fg="yellow", err=True)
    for problem in problems[:_PROBLEMS_SHOWN]:
        typer.echo(f"  {short_path(problem.path)}: {problem.reason}", err=True)
    if len(problems) > _PROBLEMS_SHOWN:
        more = len(problems) - _PROBLEMS_SHOWN
        typer.echo(f"  ... and {more} more; 'pincite stats --json' lists all", err=True)
