"""`pincite chat`: a series of questions, each read in the context of the earlier ones."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

import pincite
from pincite.errors import PinciteError, UsageError
from pincite.interfaces.cli.answer import print_answer
from pincite.interfaces.cli.chat_input import Lines, open_lines
from pincite.interfaces.cli.options import (
    DEFAULT_LIBRARY,
    BudgetOption,
    CollectionOption,
    DocumentFilter,
    LibraryOption,
    ModelOption,
    ModeOption,
    ProfileOption,
    StanceOption,
    TagFilter,
    budget_ms,
    generation,
    judging,
)
from pincite.interfaces.cli.output import (
    ABSTAINED,
    ERROR,
    indented,
    notice,
    print_json_line,
    print_raw,
    say,
    say_error,
    short_path,
)
from pincite.interfaces.cli.progress import while_writing
from pincite.text.locations import announcing_lines, as_shown, cut_to, on_one_line, place

if TYPE_CHECKING:
    from pincite.chat.conversation import Conversation, Turn
    from pincite.library.library import Library
    from pincite.records.flow import Answer

COMMANDS = {
    "/more": "show the last answer in full; so does 'more'",
    "/sources": "show the sources of the last answer in full",
    "/history": "list the questions of this conversation",
    "/new": "start a new conversation",
    "/help": "list these commands",
    "/quit": "end; so does Ctrl-D",
}
_LISTED_CHARS = 44
_FOLDED_LINES = 14
"""Lines of an answer shown at a terminal; its first quote is shown whole, however long."""

_ENDS_A_QUOTE = re.compile(r"\[\d+\]")
_NO_QUESTION = "that is not a question; ask one, or end with /quit"


def chat(
    library: LibraryOption = DEFAULT_LIBRARY,
    profile: ProfileOption = "",
    mode: ModeOption = "",
    model: ModelOption = "",
    stance: StanceOption = "",
    collection: CollectionOption = None,
    document: DocumentFilter = None,
    tag: TagFilter = None,
    budget: BudgetOption = "",
    continued: Annotated[
        int | None,
        typer.Option("--continue", help="Continue this conversation.", metavar="NUMBER"),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the stored conversations.")] = False,
    deleted: Annotated[
        int | None,
        typer.Option("--delete", help="Delete this conversation.", metavar="NUMBER"),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per turn, each on one line.")
    ] = False,
) -> None:
    """Ask a series of questions; follow-ups such as "and in 2021?" are understood.

    Reads one question per line, from a terminal or a pipe. A follow-up is expanded into a full
    question, shown above its answer. Conversations are stored in the library.

    Exit code 0 at the end, 1 when a question could not be asked, 3 when none was answered.
    """
    if sum((continued is not None, listed, deleted is not None)) > 1:
        raise UsageError("--continue, --list and --delete cannot be combined; use one of them")
    filters = pincite.Filters.parse(documents=document, tags=tag)
    with pincite.Library.open(
        library,
        create=False,
        profile=profile,
        overrides={**generation(mode, model), **judging(stance)},
    ) as opened:
        if listed:
            _print_list(opened, as_json=as_json)
        elif deleted is not None:
            _delete(opened, deleted, as_json=as_json)
        else:
            talk = _conversation(opened, continued, collection, filters)
            lines = open_lines(COMMANDS, quiet=as_json)
            session = Session(talk, filters, lines, budget=budget_ms(budget), as_json=as_json)
            raise typer.Exit(session.run())


def _conversation(
    library: Library, number: int | None, collection: str | None, filters: pincite.Filters
) -> Conversation:
    if number is None:
        library.check_collection(collection)
        return pincite.Conversation(library, collection=collection, filters=filters)
    talk = pincite.Conversation.continued(library, number, filters=filters)
    if collection is not None and collection != talk.collection:
        raise UsageError(
            f"conversation {number} is about {_about(talk.collection)}; start a new one to ask "
            f"about '{collection}'"
        )
    return talk


class Session:
    """One run of `pincite chat`, from the first prompt to the end."""

    def __init__(
        self,
        talk: Conversation,
        filters: pincite.Filters,
        lines: Lines,
        *,
        budget: float | None,
        as_json: bool,
    ) -> None:
        self._talk = talk
        self._filters = filters
        self._lines = lines
        self._budget = budget
        self._as_json = as_json
        self._last: Turn | None = None
        self._asked = self._answered = self._failed = 0

    def run(self) -> int:
        """Read lines until the end; returns the exit code."""
        if self._lines.are_typed and not self._as_json:
            self._greet()
        for line in self._lines:
            if line == "/quit":
                break
            try:
                self._take(line)
            except KeyboardInterrupt:
                # The conversation goes on; Ctrl-D and /quit end it.
                if not self._lines.are_typed:
                    raise
                notice("stopped; the question was not answered")
        if self._failed:
            return ERROR
        return ABSTAINED if self._asked and not self._answered else 0

    def _greet(self) -> None:
        talk = self._talk
        held = talk.library.catalog.counts()["documents"]
        begun = f"conversation {talk.id}, {len(talk)} turns" if talk.id else "a new conversation"
        say(
            f"{short_path(str(talk.library.path))}: {held:,} documents; {begun}. /help lists commands.",
            dim=True,
        )

    def _take(self, line: str) -> None:
        if not line.strip():
            return
        if line.lower() == "more" and self._last is not None:
            self._print_more()
        elif not line.startswith("/"):
            self._ask_or_report(line)
        elif line in COMMANDS:
            {
                "/more": self._print_more,
                "/sources": self._print_sources,
                "/history": self._print_history,
                "/new": self._begin,
                "/help": _print_help,
            }[line]()
        else:
            self._failed += not self._lines.are_typed
            notice(f"there is no command {line.split()[0]}; there are: {', '.join(COMMANDS)}")

    def _ask_or_report(self, line: str) -> None:
        from pincite.chat.subjects import says_something

        self._ask(line) if says_something(line) else self._report_no_question(line)

    def _ask(self, line: str) -> None:
        self._asked += 1
        try:
            with while_writing(self._talk.library.settings.generation) as watch:
                turn = self._talk.ask(line, budget_ms=self._budget, watch=watch)
        except PinciteError as error:
            self._failed += not self._lines.are_typed
            self._report_failure(line, str(error))
            return
        self._last = turn
        self._answered += turn.answer.status == "answered"
        if self._as_json:
            print_json_line(turn_form(turn, self._talk.id))
        else:
            print_turn(turn, is_typed=self._lines.are_typed)

    def _report_no_question(self, line: str) -> None:
        """Report a line such as "thanks" or "ok", which is not looked up in the documents."""
        if self._as_json:
            print_json_line({"question": line, "status": "no question"})
        else:
            say(_NO_QUESTION, dim=True)

    def _print_more(self) -> None:
        if self._as_json or self._last is None:
            notice(
                "with --json, each turn is shown in full"
                if self._as_json
                else "nothing has been asked yet"
            )
            return
        print_answer(self._last.answer)

    def _report_failure(self, line: str, error: str) -> None:
        if self._as_json:
            print_json_line({"question": line, "status": "error", "error": error})
        else:
            say_error(error)

    def _begin(self) -> None:
        self._talk = pincite.Conversation(
            self._talk.library, collection=self._talk.collection, filters=self._filters
        )
        self._last = None
        if not self._as_json:
            say("a new conversation", dim=True)

    def _print_sources(self) -> None:
        citations = self._last.answer.citations if self._last else ()
        if self._as_json or not citations:
            notice("with --json, each turn has its sources" if self._as_json else "no sources yet")
            return
        for number, citation in enumerate(citations, start=1):
            say(indented(f'"{as_shown(citation)}"', first=f"  [{number}] "))
            for line in announcing_lines(citation):
                say(indented(line, first="      "))
            where = "; ".join(part for part in (citation.source, place(citation)) if part)
            say(indented(where, first="      "), dim=True)

    def _print_history(self) -> None:
        from pincite.chat.conversation import kept_turns

        turns = kept_turns(self._talk.library, self._talk.id) if self._talk.id else ()
        if self._as_json:
            print_json_line(
                {"conversation": self._talk.id, "turns": [_kept_form(t) for t in turns]}
            )
            return
        if not turns:
            say("nothing has been asked yet", dim=True)
        for number, turn in enumerate(turns, start=1):
            say(indented(turn.question, first=f"  {number}. "))
            if turn.read_as != turn.question:
                say(indented(f"read as: {turn.read_as}", first="     "), dim=True)


def print_turn(turn: Turn, *, is_typed: bool) -> None:
    """Print the question as it was read, its answer, and notices.

    With `is_typed` (at a terminal), a long answer is folded and the question is not repeated.
    """
    if not is_typed:
        say(indented(on_one_line(turn.question), first="> "), bold=True)
    if turn.read_as != turn.question:
        say(indented(f"read as: {on_one_line(turn.read_as)}", first="  "), fg="cyan")
    if is_typed:
        _print_folded(turn.answer)
    else:
        print_answer(turn.answer)
    for text in turn.notices:
        say(indented(text, first="  - "), fg="yellow")
    say()


class _Held(io.StringIO):
    """Captures printed text, formatted as for a terminal."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream

    def isatty(self) -> bool:
        return self._stream.isatty()


def _print_folded(answer: Answer) -> None:
    """Print the first quote whole, others as far as they fit, and the number of hidden lines."""
    with contextlib.redirect_stdout(_Held(sys.stdout)) as held:
        print_answer(answer)
    lines = held.getvalue().splitlines(keepends=True)
    ends = [place for place, line in enumerate(lines, 1) if _ENDS_A_QUOTE.search(line)]
    shown = max([end for end in ends if end <= _FOLDED_LINES] or ends[:1], default=len(lines))
    if len(lines) <= max(_FOLDED_LINES, shown + 1):
        shown = len(lines)
    print_raw("".join(lines[:shown]))
    if shown < len(lines):
        say(f"  ... {len(lines) - shown} more lines: more", dim=True)


def turn_form(turn: Turn, conversation: int | None) -> dict[str, Any]:
    """A turn as JSON."""
    from pincite.verify.receipts.receipt import answer_form

    return {
        "conversation": conversation,
        "turn": turn.number,
        "question": turn.question,
        "read_as": turn.read_as,
        "rule": str(turn.reading.rule),
        "status": str(turn.answer.status),
        "answer": answer_form(turn.answer),
        **({"notices": list(turn.notices)} if turn.notices else {}),
    }


def _kept_form(turn: Any) -> dict[str, str]:
    return {"question": turn.question, "read_as": turn.read_as, "asked": turn.asked}


def _print_help() -> None:
    for name, meaning in COMMANDS.items():
        say(f"  {name:<10} {meaning}")


def _print_list(library: Library, *, as_json: bool) -> None:
    from dataclasses import asdict

    from pincite.chat.conversation import kept_conversations

    kept = kept_conversations(library)
    if as_json:
        print_json_line({"conversations": [asdict(one) for one in kept]})
        return
    if not kept:
        say("no conversations are stored yet")
    for one in kept:
        asked = cut_to(on_one_line(one.first_question), _LISTED_CHARS)
        turns = f"{one.turns} turn{'s' if one.turns > 1 else ''}"
        say(f"{one.id:>5}  {one.begun[:16].replace('T', ' ')}  {turns:<9} {asked}")


def _delete(library: Library, number: int, *, as_json: bool) -> None:
    from pincite.chat.conversation import delete_conversation

    delete_conversation(library, number)
    if as_json:
        print_json_line({"deleted": number})
    else:
        say(f"conversation {number} was deleted")


def _about(collection: str | None) -> str:
    return f"'{collection}'" if collection else "all collections"
