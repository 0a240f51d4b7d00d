"""A conversation with one library: each question is read in the context of the earlier ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from pincite.chat.follow_up import Exchange, Reading, follow_up
from pincite.chat.model_reading import ModelReader
from pincite.errors import LibraryError, UsageError
from pincite.library.asking import LONGEST_QUESTION
from pincite.library.library import Library
from pincite.records.arguments import checked_text
from pincite.records.filters import Filters
from pincite.records.flow import Answer, Hit, Preview
from pincite.settings.loading import Settings
from pincite.store.catalog.conversations import KeptConversation, KeptTurn, now
from pincite.verify.receipts.receipt import answer_form

_QUOTES_REMEMBERED = 10

Reader = Callable[[str, Sequence[Exchange]], Reading]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One question, how it was read, and the answer."""

    number: int
    question: str
    reading: Reading
    answer: Answer
    notices: tuple[str, ...] = ()
    """Notices about how the question was read, and whether the turn was stored."""

    @property
    def read_as(self) -> str:
        """The question that was answered; the same text if it could stand alone."""
        return self.reading.text


class Conversation:
    """Questions that may refer to earlier ones.

    >>> conversation = Conversation(library)                   # doctest: +SKIP
    >>> conversation.ask("How much water do cucumbers need?")  # doctest: +SKIP
    >>> conversation.ask("And tomatoes?").read_as              # doctest: +SKIP
    'How much water do tomatoes need?'

    Each turn is stored in the library as soon as it is answered, unless `keep` is False. `read`
    resolves a question with the earlier ones; by default the settings choose (`chat.reader`).
    """

    def __init__(
        self,
        library: Library,
        *,
        collection: str | None = None,
        filters: Filters | None = None,
        read: Reader | None = None,
        keep: bool = True,
        owner: str = "",
    ) -> None:
        self.id: int | None = None
        """Its number in the library; None until the first turn is stored."""
        self.collection = collection
        self.library = library
        self._filters = filters
        self._keep = keep
        self._owner = owner
        self._read, self._problem = (read, "") if read else reader_of(library)
        self._earlier: list[Exchange] = []

    @classmethod
    def continued(cls, library: Library, number: int, *, filters: Filters | None = None) -> Self:
        """Continue a stored conversation, in its collection. Raises UsageError if there is none."""
        turns = kept_turns(library, number)
        conversation = cls(
            library,
            collection=library.catalog.conversations.collection_of(number),
            filters=filters,
        )
        conversation.id = number
        conversation._earlier = [_exchange(turn.read_as, turn.answer) for turn in turns]
        return conversation

    def __len__(self) -> int:
        """The number of turns."""
        return len(self._earlier)

    def ask(
        self,
        text: str,
        *,
        budget_ms: float | None = None,
        explain: bool = False,
        settings: Settings | None = None,
        watch: Callable[[Preview], None] | None = None,
        found: Callable[[Sequence[Hit]], None] | None = None,
    ) -> Turn:
        """Read a question with the earlier ones, and answer it as `Library.ask` does."""
        checked_text(text, "the question")
        is_question = len(text) <= LONGEST_QUESTION
        reading = self._read(text, tuple(self._earlier)) if is_question else Reading(text=text)
        answer = self.library.ask(
            reading.text,
            collection=self.collection,
            filters=self._filters,
            budget_ms=budget_ms,
            explain=explain,
            settings=settings,
            watch=watch,
            found=found,
        )
        form = answer_form(answer)
        self._earlier.append(_exchange(reading.text, form))
        notices = [*([self._problem] if self._problem else []), *reading.notices]
        if self._keep:
            if self._filters:
                form = {**form, FILTERS: self._filters.form}
            turn = KeptTurn(question=text, read_as=reading.text, answer=form, asked=now())
            notices += self._kept(turn)
        return Turn(
            number=len(self._earlier),
            question=text,
            reading=reading,
            answer=answer,
            notices=tuple(notices),
        )

    def _kept(self, turn: KeptTurn) -> list[str]:
        """Store a turn; returns notices if that is not possible."""
        try:
            if self.id is None:
                self.id = self.library.catalog.conversations.begin(
                    self.collection, turn, owner=self._owner
                )
            elif not self.library.catalog.conversations.add(self.id, turn):
                return [f"conversation {self.id} was deleted; this turn is not stored"]
        except LibraryError as error:
            return [f"this turn could not be stored: {error}"]
        return []


FILTERS = "filters"
"""In the stored form of an answer: where it was asked for only, if not everywhere."""


def kept_conversations(library: Library) -> tuple[KeptConversation, ...]:
    """All conversations stored in a library, newest first."""
    return library.catalog.conversations.all()


def kept_turns(library: Library, number: int) -> tuple[KeptTurn, ...]:
    """The turns of a conversation. Raises UsageError if there is none with this number."""
    turns = library.catalog.conversations.turns(number)
    if not turns:
        raise UsageError(_no_such(library, number))
    return turns


def delete_conversation(library: Library, number: int) -> None:
    """Delete a conversation. Raises UsageError if there is none with this number."""
    if not library.catalog.conversations.delete(number):
        raise UsageError(_no_such(library, number))


def _no_such(library: Library, number: int) -> str:
    there_are = ", ".join(str(one.id) for one in kept_conversations(library)[:20]) or "none yet"
    return f"there is no conversation {number}; there are: {there_are}"


def _exchange(read_as: str, form: Mapping[str, Any]) -> Exchange:
    quotes = (cited["cited_text"] for cited in form["citations"][:_QUOTES_REMEMBERED])
    return Exchange(question=read_as, quotes=tuple(" ".join(quote.split()) for quote in quotes))


def reader_of(library: Library) -> tuple[Reader, str]:
    """The reader that the settings choose, and why another is used if that one is not available."""
    chosen = library.settings.chat.reader
    if chosen == "none":
        return lambda text, _: Reading(text=text), ""
    if chosen == "rules":
        return follow_up, ""
    model, problem = library.writer()
    if model is None:
        why = problem or "generation.model is none"
        return follow_up, f"questions are read by the rules: {why}"
    return ModelReader(model), problem
