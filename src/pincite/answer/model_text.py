"""Writes evidence for a language model, and parses what the model writes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from pincite.answer.prompts import Prompts, without_turn_marks
from pincite.records.document import Span
from pincite.records.flow import Evidence, Message, Mode, Question
from pincite.stages import LanguageModel, Sources, Writing
from pincite.text.sentences import sentence_spans

_TURN_TOKENS = 16
"""Most tokens that a chat template adds around two messages, in the models tried."""


class Reading:
    """Formats evidence for a model, and counts its tokens.

    In generated mode each passage is a numbered source; in quoted mode each sentence has a number.
    """

    def __init__(self, prompts: Prompts, mode: Mode, sources: Sources) -> None:
        self._prompts = prompts
        self._mode = mode
        self._sources = sources

    def messages(self, question: Question, context: Sequence[Evidence]) -> tuple[Message, ...]:
        """The whole prompt. Numbers count from 1, in the order of `context`."""
        return self._prompts.messages(
            self._mode, question.written, self._written(context, question.collection)
        )

    def tokens(self, model: LanguageModel, question: Question, context: Sequence[Evidence]) -> int:
        """The length of the prompt in tokens."""
        messages = self.messages(question, context)
        return _TURN_TOKENS + sum(model.count_tokens(message.content) for message in messages)

    def numbered(self, context: Sequence[Evidence]) -> list[tuple[Evidence, ...]]:
        """The evidence behind each number; the first is number 1."""
        if self._mode is Mode.QUOTED:
            return [(item,) for item in context]
        return [tuple(group) for _, group in groupby(context, key=lambda item: item.passage.id)]

    def block(
        self, number: int, sentences: Sequence[Evidence], collection: str | None = None
    ) -> str:
        """Sentences of one passage as the model reads them; `number` is that of the first.

        The file is named as in the collection.
        """
        head = self._prompts.source_line(self._mode, self._fields(number, sentences[0], collection))
        if self._mode is Mode.QUOTED:
            lines = (f"[{n}] {_line(item.quote)}" for n, item in enumerate(sentences, start=number))
            return "\n".join((head, *lines))
        return f"{head}\n{without_turn_marks(''.join(self._flow(sentences)))}"

    def _written(self, context: Sequence[Evidence], collection: str | None) -> Iterator[str]:
        number = 1
        for _, group in groupby(context, key=lambda item: item.passage.id):
            sentences = tuple(group)
            yield self.block(number, sentences, collection)
            number += len(sentences) if self._mode is Mode.QUOTED else 1

    def _fields(self, number: int, item: Evidence, collection: str | None) -> dict[str, str]:
        passage = item.passage
        section = " > ".join(passage.section)
        name = Path(self._sources.source(passage.span.document_id, collection).path).name
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
        """The sentences with the blanks between them in the source; dots where text is left out."""
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
    """The room for evidence in a model's context window.

    Evidence may take `share` of the window, and at most `most_tokens` (0 for no such limit);
    `max_tokens` are kept free for the output.
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
        """Tokens left with this context; negative if it is too long."""
        asked, bare = self._bare
        if asked != question.written:
            bare = self._reading.tokens(self._model, question, ())
            self._bare = (question.written, bare)
        whole = self._reading.tokens(self._model, question, context) if context else bare
        free = self._model.context_tokens - self._max_tokens - whole
        return min(free, self._most - (whole - bare))


def _line(quote: str) -> str:
    return without_turn_marks(" ".join(quote.split()))


# The statements that a language model wrote, and the sources it named for each.

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^[^\S\n]*+```\w*+\s*$", re.MULTILINE)
_LIST_MARK = re.compile(r"^\s*(?:[-*•–]\s+|\(?\d{1,2}[.)]\s+|#{1,6}\s+|>\s+)")
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_LEAD = re.compile(r"^\s*(?:final\s+)?answer\s*:\s*", re.IGNORECASE)

_MARK = r"\[\s*(?:sources?\s*)?\d{1,3}(?:\s*(?:[,;&–-]|and)\s*\d{1,3})*\s*\]"
_MARKS = re.compile(_MARK, re.IGNORECASE)
_MARKS_AFTER_END = re.compile(rf"([.!?。！？])(\s*)((?:{_MARK}\s*)+)", re.IGNORECASE)
_RANGE = re.compile(r"(\d{1,3})\s*[–-]\s*(\d{1,3})")
_LONGEST_RANGE = 10

_END = re.compile(r"[.!?:;。！？।؟…)\]\"”»']\s*$")

_NEXT_WORD = re.compile(r"\s+\w")

_NO_ANSWER = re.compile(
    r"\b(?:i (?:do not|don't) know|"
    r"i (?:can ?not|can't|could not|couldn't) (?:find|see|answer|tell)\b"
    r".*\b(?:context|sources?|documents?|text|passages?|question|information)|"
    r"(?:is|are|was|were) not (?:mentioned|provided|stated|specified|given|available|included)\b"
    r".*\b(?:context|sources?|documents?|text|prospectus|passages?)|"
    r"(?:context|sources?|documents?|text|passages?) (?:do(?:es)? not|don't|doesn't) "
    r"(?:say|mention|contain|provide|state|answer|specify|include))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence of a model, without citation marks, and the numbers of the sources it named."""

    text: str
    sources: tuple[int, ...]


def asked_model(writing: Writing) -> str:
    """The model's name and, if it does not run in this process, its server."""
    return f"{writing.model} at {writing.server}" if writing.server else writing.model


def statements(written: str, *, cut_off: bool = False) -> list[Statement]:
    """The sentences that a model wrote, each once, without markup.

    With `cut_off`, an incomplete last sentence is left out.
    """
    found: dict[str, Statement] = {}
    for line in _lines(written):
        for statement in _sentences(line):
            found.setdefault(statement.text.casefold(), statement)
    made = list(found.values())
    if cut_off and made and not _END.search(written.rstrip()):
        made.pop()
    return made


def until_it_repeats(pieces: Iterable[str], grown: Callable[[str], None] | None = None) -> str:
    """The output of a model up to the first line that it repeats.

    Small models fall into loops, and each repetition takes as long as the answer did. `grown` is
    called with the text so far before each word that may begin another sentence.
    """
    written = ""
    seen: set[str] = set()
    for piece in pieces:
        if grown and _begins_a_sentence(piece, written):
            grown(written)
        complete = len(written[: written.rfind("\n") + 1])
        written += piece
        for line in written[complete : written.rfind("\n") + 1].splitlines():
            words = _plain(line)
            if words and words in seen:
                return written[:complete]
            seen.add(words)
    return written


def _begins_a_sentence(piece: str, written: str) -> bool:
    """Whether a word follows the end of a sentence; citation marks still belong to the sentence."""
    between = written[len(written.rstrip()) :]
    return bool(_NEXT_WORD.match(between + piece) and _END.search(written))


def refuses(written: str, refusal: str) -> bool:
    """Whether the model first says that its sources do not answer."""
    first = next((one.text for one in statements(written)), "")
    return bool(first) and (_plain(refusal) in _plain(first) or bool(_NO_ANSWER.search(first)))


def _lines(written: str) -> Iterator[str]:
    plain = _FENCE.sub("", _THOUGHTS.sub("", written))
    for line in plain.splitlines():
        bare = _LEAD.sub("", _EMPHASIS.sub(r"\2", _LIST_MARK.sub("", line))).strip()
        # "The steps are:" introduces statements and is none.
        if bare and not (bare.endswith(":") and not _MARKS.search(bare)):
            yield bare


def _sentences(line: str) -> Iterator[Statement]:
    # "It is 5. [1] Then ..." means "It is 5 [1]. Then ...".
    line = _MARKS_AFTER_END.sub(lambda found: f" {found[3].strip()}{found[1]} ", line)
    for start, end in sentence_spans(line):
        sentence = line[start:end]
        text = " ".join(_MARKS.sub(" ", sentence).split())
        text = re.sub(r"(?<!\s)\s++([.,;:!?])", r"\1", text)
        if any(sign.isalnum() for sign in text):
            numbers = [n for mark in _MARKS.findall(sentence) for n in _numbers(mark)]
            yield Statement(text=text, sources=tuple(dict.fromkeys(numbers)))


def _numbers(mark: str) -> Iterator[int]:
    for first, last in _RANGE.findall(mark):
        if int(last) - int(first) <= _LONGEST_RANGE:
            yield from range(int(first), int(last) + 1)
    yield from (int(number) for number in re.findall(r"\d+", mark))


def _plain(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum() or sign == " ").strip()
