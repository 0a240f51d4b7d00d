"""Reads the questions of a conversation from a terminal with line editing, or from a pipe."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

PROMPT = "> "


class Lines:
    """Input lines as they arrive; Ctrl-C discards the line being typed, Ctrl-D ends."""

    def __init__(self, read: Callable[[], str], *, are_typed: bool) -> None:
        self._read = read
        self.are_typed = are_typed

    def __iter__(self) -> Iterator[str]:
        while True:
            try:
                line = self._read()
            except EOFError:
                return
            except KeyboardInterrupt:
                if not self.are_typed:
                    raise
                sys.stderr.write("\n")
                continue
            yield line.removeprefix("\ufeff").strip()


def open_lines(commands: Sequence[str] | dict[str, str], *, quiet: bool) -> Lines:
    """Lines from the terminal if there is one, else stdin; `quiet` keeps the prompt off stdout."""
    if not sys.stdin.isatty():
        # Bytes that are not UTF-8 become replacement characters, as in documents.
        getattr(sys.stdin, "reconfigure", lambda **_: None)(encoding="utf-8", errors="replace")
        return Lines(_from_pipe, are_typed=False)
    if quiet or not sys.stdout.isatty():
        return Lines(_with_prompt_aside, are_typed=True)
    if importlib.util.find_spec("prompt_toolkit"):
        return Lines(_edited(list(commands)), are_typed=True)
    with suppress(ImportError):  # Absent on some systems; importing it enables line editing.
        import readline  # noqa: F401
    return Lines(lambda: input(PROMPT), are_typed=True)


def _edited(commands: list[str]) -> Callable[[], str]:
    """Line editing with history and completion of commands."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter

    completer = WordCompleter(commands, sentence=True)
    session: PromptSession[str] = PromptSession(completer=completer, complete_while_typing=False)
    return lambda: session.prompt(PROMPT)


def _from_pipe() -> str:
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _with_prompt_aside() -> str:
    sys.stderr.write(PROMPT)
    sys.stderr.flush()
    return _from_pipe()
