"""A conversation with one library: questions are read with those before them, and kept."""

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
    """One question, what it was taken to mean, and the answer to that."""

    number: int
    question: str
    reading: Reading
    answer: Answer
    notices: tuple[str, ...] = ()
    """What must be told about the reading, and about keeping it."""

    @property
    def read_as(self) -> str:
        """The question that was answered; the same text where it could stand alone."""
        return self.reading.text


class Conversation:
    """Questions that may lean on those before them.

    >>> conversation = Conversation(library)                   # doctest: +SKIP
    >>> conversation.ask("How much water do cucumbers need?")  # doctest: +SKIP
    >>> conversation.ask("And tomatoes?").read_as              # doctest: +SKIP
    'How much water do tomatoes need?'

    Each turn is kept in the library as soon as it is answered, unless `keep` is False. `read` says
    what a question means after the earlier ones; by default the settings choose (`chat.reader`).
    """

    def __init__(
        self,
        library: Library,
        *,
        collection: str | None = None,
        filters: Filters | None = None,
        read: Reader | None = None,
        keep: bool = True,
    ) -> None:
        self.id: int | None = None
        """Its number in the library; None until the first turn is kept."""
        self.collection = collection
        self.library = library
        self._filters = filters
        self._keep = keep
        self._read, self._problem = (read, "") if read else reader_of(library)
        self._earlier: list[Exchange] = []

    @classmethod
    def continued(cls, library: Library, number: int, *, filters: Filters | None = None) -> Self:
        """Go on with a kept one, in its collection. Raises UsageError when there is none."""
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
        """How many turns it has."""
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
        """Read a question with those before it, and answer it as `Library.ask` does."""
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
        """Keep a turn; what must be told where that is not possible."""
        try:
            if self.id is None:
                self.id = self.library.catalog.conversations.begin(self.collection, turn)
            elif not self.library.catalog.conversations.add(self.id, turn):
                return [f"conversation {self.id} was deleted; this turn is not kept"]
        except LibraryError as error:
            return [f"this turn is not kept: {error}"]
        return []


def kept_conversations(library: Library) -> tuple[KeptConversation, ...]:
    """Every conversation that a library keeps, the newest first."""
    return library.catalog.conversations.all()


def kept_turns(library: Library, number: int) -> tuple[KeptTurn, ...]:
    """What was said in a conversation. Raises UsageError when there is none with this number."""
    turns = library.catalog.conversations.turns(number)
    if not turns:
        raise UsageError(_no_such(library, number))
    return turns


def delete_conversation(library: Library, number: int) -> None:
    """Forget a conversation. Raises UsageError when there is none with this number."""
    if not library.catalog.conversations.delete(number):
        raise UsageError(_no_such(library, number))


def _no_such(library: Library, number: int) -> str:
    there_are = ", ".join(str(one.id) for one in kept_conversations(library)[:20]) or "none yet"
    return f"there is no conversation {number}; there are: {there_are}"


def _exchange(read_as: str, form: Mapping[str, Any]) -> Exchange:
    quotes = (cited["cited_text"] for cited in form["citations"][:_QUOTES_REMEMBERED])
    told = tuple(" ".join(quote.split()) for quote in quotes)
    return Exchange(question=read_as, quotes=told)


def reader_of(library: Library) -> tuple[Reader, str]:
    """What the settings choose, and why it is another where that cannot be had."""
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
