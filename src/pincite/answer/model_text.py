"""What does a language model read of the evidence?"""

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


# Which statements did a language model write, and which sources did it name for each?

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
    r"\b(?:i (?:do not|don't) know|(?:is|are|was|were) not (?:mentioned|provided|stated|specified|"
    r"given|available|included)\b.*\b(?:context|sources?|documents?|text|prospectus|passages?)|"
    r"(?:context|sources?|documents?|text|passages?) (?:do(?:es)? not|don't|doesn't) "
    r"(?:say|mention|contain|provide|state|answer|specify|include))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence of a model, without its marks, and the numbers of the sources it named."""

    text: str
    sources: tuple[int, ...]


def asked_model(writing: Writing) -> str:
    """Who writes, for the answer: the model's name and, where it is not in this process, its server."""
    return f"{writing.model} at {writing.server}" if writing.server else writing.model


def statements(written: str, *, cut_off: bool = False) -> list[Statement]:
    """The sentences of what a model wrote, each once, without what is only form.

    With `cut_off`, a last sentence that does not end is left out.
    """
    found: dict[str, Statement] = {}
    for line in _lines(written):
        for statement in _sentences(line):
            found.setdefault(statement.text.casefold(), statement)
    told = list(found.values())
    if cut_off and told and not _END.search(written.rstrip()):
        told.pop()
    return told


def until_it_repeats(pieces: Iterable[str], grown: Callable[[str], None] | None = None) -> str:
    """What a model writes, up to the first line that it writes a second time.

    Small models fall into loops, and each turn of one takes as long as the answer did. `grown` is
    given what is there before each word that may begin another sentence.
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
    """Whether a word follows on the end of a sentence; marks of sources still belong to that."""
    between = written[len(written.rstrip()) :]
    return bool(_NEXT_WORD.match(between + piece) and _END.search(written))


def refuses(written: str, refusal: str) -> bool:
    """Whether the model says that its sources do not answer, and says nothing else first."""
    told = statements(written)
    if not told:
        return True
    first = told[0].text
    return _plain(refusal) in _plain(first) or bool(_NO_ANSWER.search(first))


def _lines(written: str) -> Iterator[str]:
    plain = _FENCE.sub("", _THOUGHTS.sub("", written))
    for line in plain.splitlines():
        bare = _LEAD.sub("", _EMPHASIS.sub(r"\2", _LIST_MARK.sub("", line))).strip()
        # "The steps are:" announces statements and is none.
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
