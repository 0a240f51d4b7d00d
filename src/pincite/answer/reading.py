"""What does a language model read of the evidence?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from pincite.answer.prompts import Prompts, without_turn_marks
from pincite.document import Span
from pincite.records import Evidence, Message, Mode, Question
from pincite.stages import LanguageModel, Sources

_TURN_TOKENS = 16
"""What a chat template adds around two messages, at most, in the models tried."""


class Reading:
    """Puts evidence into the form that a model reads, and counts it.

    In generated mode each passage is a source with a number; in quoted mode each sentence has one.
    """

    def __init__(self, prompts: Prompts, mode: Mode, sources: Sources) -> None:
        self._prompts = prompts
        self._mode = mode
        self._sources = sources

    def messages(self, question: Question, context: Sequence[Evidence]) -> tuple[Message, ...]:
        """The whole prompt. Numbers count from 1, in the order of `context`."""
        return self._prompts.messages(self._mode, question.written, self._written(context))

    def tokens(self, model: LanguageModel, question: Question, context: Sequence[Evidence]) -> int:
        """How many tokens of the window the prompt takes."""
        told = self.messages(question, context)
        return _TURN_TOKENS + sum(model.count_tokens(message.content) for message in told)

    def numbered(self, context: Sequence[Evidence]) -> list[tuple[Evidence, ...]]:
        """What each number stands for: the first is what the model reads as 1."""
        if self._mode is Mode.QUOTED:
            return [(item,) for item in context]
        return [tuple(group) for _, group in groupby(context, key=lambda item: item.passage.id)]

    def block(self, number: int, sentences: Sequence[Evidence]) -> str:
        """Sentences of one passage as the model reads them; `number` is that of the first."""
        head = self._prompts.source_line(self._mode, self._fields(number, sentences[0]))
        if self._mode is Mode.QUOTED:
            told = (f"[{n}] {_line(item.quote)}" for n, item in enumerate(sentences, start=number))
            return "\n".join((head, *told))
        return f"{head}\n{without_turn_marks(''.join(self._flow(sentences)))}"

    def _written(self, context: Sequence[Evidence]) -> Iterator[str]:
        number = 1
        for _, group in groupby(context, key=lambda item: item.passage.id):
            sentences = tuple(group)
            yield self.block(number, sentences)
            number += len(sentences) if self._mode is Mode.QUOTED else 1

    def _fields(self, number: int, item: Evidence) -> dict[str, str]:
        passage = item.passage
        section = " > ".join(passage.section)
        name = Path(self._sources.source(passage.span.document_id).path).name
        page = str(passage.page) if passage.page else ""
        known = (name, f"page {page}" if page else "", section)
        return {
            "number": str(number),
            "file": name,
            "page": page,
            "section": section,
            "place": ", ".join(part for part in known if part),
        }

    def _flow(self, sentences: Sequence[Evidence]) -> Iterator[str]:
        """The sentences with what stands between them in the source; dots where some are left out."""
        previous: Evidence | None = None
        for item in sentences:
            if previous is not None:
                gap = Span(
                    document_id=item.span.document_id,
                    start=previous.span.end,
                    end=max(previous.span.end, item.span.start),
                )
                between = self._sources.text_of(gap) if gap.start < gap.end else " "
                yield between if not between.strip() else "\n[...]\n"
            yield item.quote
            previous = item


class Window:
    """How much of a model's window is left for evidence.

    `share` of the window may be taken by evidence, and at most `most_tokens` of it (0: no such limit);
    `max_tokens` are kept free for what the model writes.
    """

    def __init__(
        self,
        model: LanguageModel,
        reading: Reading,
        *,
        share: float,
        most_tokens: int,
        max_tokens: int,
    ) -> None:
        self._model = model
        self._reading = reading
        self._most = int(share * model.context_tokens)
        if most_tokens:
            self._most = min(self._most, most_tokens)
        self._max_tokens = max_tokens
        self._bare: tuple[str, int] = ("", 0)

    def room(self, question: Question, context: Sequence[Evidence]) -> int:
        """Tokens that are left when the model reads this context; below 0: too many."""
        asked, bare = self._bare
        if asked != question.written:
            bare = self._reading.tokens(self._model, question, ())
            self._bare = (question.written, bare)
        whole = self._reading.tokens(self._model, question, context) if context else bare
        free = self._model.context_tokens - self._max_tokens - whole
        return min(free, self._most - (whole - bare))


def _line(quote: str) -> str:
    return without_turn_marks(" ".join(quote.split()))
