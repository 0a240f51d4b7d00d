"""Prints results: JSON for programs, text as wide as the terminal for people."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from pincite.records.library_records import FileProblem


_WIDEST = 110
"""Columns of running text: longer lines are hard to read."""

_PROBLEMS_LISTED = 5
"""A longer list of files is summarised."""

_KINDS_NAMED = 4
_PATHS_LINKED = 64

_shown_paths: dict[str, str] = {}
"""Recently shown file paths: kept on one line and linked to their files."""

_TERMINALS_WITH_LINKS = (
    "kitty",
    "alacritty",
    "foot",
    "ghostty",
    "wezterm",
    "iterm",
    "vscode",
    "tmux",
)
_LINK_SIGNS = ("VTE_VERSION", "WT_SESSION", "KONSOLE_VERSION", "KITTY_WINDOW_ID", "WEZTERM_PANE")
_BLANK_OF_A_PATH = "\0"
"""Stands for a space that does not break a line."""

# A terminal obeys these control characters, wherever they come from: a document, a file's name, a
# saved answer. C0 and DEL have pictures (U+2400 ...), C1 has none. Nor do the marks that change
# writing direction, with which a name or a quote would show its letters in another order.
_TURNING = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_PICTURES = {
    **{code: chr(0x2400 + code) for code in range(0x20)},
    0x7F: "\u2421",
    **dict.fromkeys((*range(0x80, 0xA0), *_TURNING), "\ufffd"),
}
_PICTURES_IN_LAYOUT = {code: _PICTURES[code] for code in _PICTURES if chr(code) not in "\n\t"}


def visible_line(text: str) -> str:
    """One line of text with visible signs for control characters, including line breaks."""
    return text.translate(_PICTURES)


def visible(text: str) -> str:
    """Text with visible signs for control characters; line breaks and tabs stay."""
    return text.translate(_PICTURES_IN_LAYOUT)


def say(text: str = "", *, err: bool = False, nl: bool = True, **style: Any) -> None:
    """Print for people. All such output passes here, so no text can control the terminal."""
    shown = visible(text)
    if shows_links(sys.stderr if err else sys.stdout):
        shown = _with_links(shown)
    typer.echo(typer.style(shown, **style) if style else shown, err=err, nl=nl)


def shows_links(stream: TextIO) -> bool:
    """Whether the stream is a terminal known to show hyperlinks (OSC 8)."""
    if not stream.isatty() or os.environ.get("TERM") in (None, "dumb", "linux"):
        return False
    called = f"{os.environ['TERM']} {os.environ.get('TERM_PROGRAM', '')}".lower()
    return any(name in called for name in _TERMINALS_WITH_LINKS) or any(
        name in os.environ for name in _LINK_SIGNS
    )


def _with_links(shown: str) -> str:
    """Text with recently shown paths linked to their files; addresses have no control characters."""
    there = sorted((path for path in _shown_paths if path in shown), key=len, reverse=True)
    if not there:
        return shown
    return re.sub("|".join(map(re.escape, there)), _linked, shown)


def _linked(found: re.Match[str]) -> str:
    address = Path(_shown_paths[found[0]]).as_uri()
    return f"\x1b]8;;{address}\x1b\\{found[0]}\x1b]8;;\x1b\\"


def say_text(text: str, *, stands_out: str = "", first: str = "") -> None:
    """Print a paragraph, wrapped and indented, with one part highlighted."""
    from rich.text import Text

    line = Text(visible_line(text))
    start = text.find(stands_out) if stands_out else -1
    if start >= 0:
        line.stylize("bold", start, start + len(stands_out))
    indent = first + text[: len(text) - len(text.lstrip())]
    shown = console()
    line = line[len(text) - len(text.lstrip()) :]
    for wrapped in line.wrap(shown, max(20, text_width() - len(indent))):
        wrapped.rstrip()
        shown.print(Text(indent).append_text(wrapped), soft_wrap=True)


def say_error(message: str) -> None:
    """Print a failure in one line on stderr."""
    say("error: ", fg="red", bold=True, err=True, nl=False)
    say(visible_line(message), err=True)


def print_json(form: Any) -> None:
    """One JSON object on stdout, in UTF-8 whatever the terminal's encoding is."""
    _print_json(form, indent=2)


def print_json_line(form: Mapping[str, Any] | Sequence[Any]) -> None:
    """Print one line of JSON and flush it, so that a program reading it can respond."""
    _print_json(form, indent=None)


def _print_json(form: Any, indent: int | None) -> None:
    print_raw(json.dumps(form, ensure_ascii=False, indent=indent) + "\n")


def print_raw(text: str) -> None:
    """Print text for programs unchanged, in UTF-8."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def console(*, err: bool = False) -> Console:
    """A console that wraps at the terminal's width, or at 80 columns without a terminal."""
    from rich.console import Console

    width = None if (sys.stderr if err else sys.stdout).isatty() else 80
    return Console(stderr=err, highlight=False, soft_wrap=False, width=width, markup=False)


def notice(message: str) -> None:
    """Print a notice on stderr."""
    say(f"note: {message}", fg="yellow", err=True)


def short_path(path: str) -> str:
    """A path as a person would type it: relative if it is below the current folder."""
    try:
        shown = visible_line(str(Path(path).relative_to(Path.cwd())))
    except ValueError:
        home = os.path.expanduser("~")  # noqa: PTH111  (a string is wanted)
        below = path.startswith(home + os.sep)
        shown = visible_line(f"~{path[len(home) :]}" if below else path)
    if Path(path).is_absolute() and len(shown) > 1:
        _shown_paths.pop(shown, None)
        _shown_paths[shown] = path
        while len(_shown_paths) > _PATHS_LINKED:
            del _shown_paths[next(iter(_shown_paths))]
    return shown


def text_width() -> int:
    """Columns of running text: the terminal's, up to a readable width; 80 without a terminal."""
    return min(shutil.get_terminal_size((80, 24)).columns, _WIDEST)


def indented(text: str, *, first: str = "") -> str:
    """Text wrapped at 80 columns, or the terminal's width if less; lines below `first` aligned.

    The text's own line breaks and indentation stay.
    """
    width = text_width()
    for path in _shown_paths:
        if " " in path:
            text = text.replace(path, path.replace(" ", _BLANK_OF_A_PATH))
    below = " " * len(first)
    return "\n".join(
        textwrap.fill(
            line,
            width,
            initial_indent=first if number == 0 else below,
            subsequent_indent=below + line[: len(line) - len(line.lstrip())],
            break_on_hyphens=False,
            # Paths are not broken, so they can be copied; the terminal wraps long ones.
            break_long_words=False,
        )
        for number, line in enumerate(text.split("\n") if text else [""])
    ).replace(_BLANK_OF_A_PATH, " ")


def print_problems(title: str, problems: Sequence[FileProblem], *, verbose: bool = False) -> None:
    """Print files and their problems on stderr; many are summarised unless `verbose`."""
    if not problems:
        return
    if len(problems) > _PROBLEMS_LISTED and not verbose:
        say(
            indented(f"{title} {_summed_up(problems)}: --verbose lists them"), fg="yellow", err=True
        )
        return
    say(title, fg="yellow", err=True)
    for problem in problems:
        say(f"  {short_path(problem.path)}: {visible_line(problem.reason)}", err=True)


def _summed_up(problems: Sequence[FileProblem]) -> str:
    """`31 files of 4 kinds (12 .bin, 10 .exe, 6 .dat, 3 .so)`."""
    kinds = Counter(Path(problem.path).suffix.lower() or "without ending" for problem in problems)
    named = [f"{count} {visible_line(kind)}" for kind, count in kinds.most_common(_KINDS_NAMED)]
    more = [] if len(kinds) <= _KINDS_NAMED else ["..."]
    of = f"{len(kinds)} kinds" if len(kinds) > 1 else "1 kind"
    return f"{len(problems)} files of {of} ({', '.join([*named, *more])})"


# Exit codes.

DONE = 0
ERROR = 1
USAGE = 2
ABSTAINED = 3
VERIFICATION_FAILED = 4
WORSE = 5
"""`eval compare --fail-if-worse`: the second run is clearly worse."""
DIFFERENT = 6
"""`compare --fail-if-different`: the two sides differ."""
INTERRUPTED = 130
"""128 + SIGINT, as shells count it."""
