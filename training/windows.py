"""Packs a question and a window of a passage into the tokens that the reader sees.

`[CLS] question [SEP] window [SEP]`, or `[CLS] question [SEP] heading [SEP] window [SEP]` where the
heading is shown; the window and the last separator are segment 1.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tokenizers import Encoding, Tokenizer

from pincite.text.sentences import sentence_spans
from training.examples import Example, Range

CLS, SEP = 101, 102
QUESTION_TOKENS, HEADING_TOKENS = 48, 24
HEADING_SHARE = 0.5
"""Of the training windows, how many show the heading."""
SHORTEST_WINDOW, LONGEST_WINDOW = 64, 256
# A longer answer is a passage of its own: it says which sentences answer, not what the short answer is.
SHORT_ANSWER_TOKENS = 30
NO_SENTENCE = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One pair as the reader sees it. Places count tokens of the whole pair."""

    example: Example
    ids: list[int]
    first: int  # place of the first token of the passage
    characters: list[Range]  # of each passage token, in the passage
    short_answers: list[Range]  # places of first and last token
    sentences: list[int]  # the sentence of each passage token, or NO_SENTENCE
    answering: list[bool]  # whether each sentence holds (part of) an answer
    missed: list[
        int
    ]  # places of the question's tokens at which the passage fails, where they are known


def load_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer without the fixed length that its file asks for."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def training_windows(
    tokenizer: Tokenizer, examples: Sequence[Example], random: Random
) -> list[Window]:
    """A window of each example, of random length, the focus at a random place in it."""
    windows = []
    for example, question, heading, passage in _encoded(tokenizer, examples):
        shown = heading.ids if random.random() < HEADING_SHARE else []
        room = random.randint(SHORTEST_WINDOW, LONGEST_WINDOW)
        first = _random_start(passage.offsets, example.focus, room, random)
        windows.append(_window(example, question, shown, passage, first, room))
    return windows


def whole_windows(tokenizer: Tokenizer, examples: Sequence[Example], *, most: int) -> list[Window]:
    """Each example's passage from its beginning, up to `most` tokens, with its heading."""
    return [
        _window(example, question, heading.ids, passage, 0, most)
        for example, question, heading, passage in _encoded(tokenizer, examples)
    ]


def _encoded(
    tokenizer: Tokenizer, examples: Sequence[Example]
) -> list[tuple[Example, Encoding, Encoding, Encoding]]:
    questions = tokenizer.encode_batch([e.question for e in examples], add_special_tokens=False)
    headings = tokenizer.encode_batch([e.heading for e in examples], add_special_tokens=False)
    passages = tokenizer.encode_batch([e.passage for e in examples], add_special_tokens=False)
    return list(zip(examples, questions, headings, passages, strict=True))


def _random_start(offsets: list[Range], focus: Range | None, room: int, random: Random) -> int:
    """Where a window of `room` tokens begins; it holds the focus, or as much of it as fits."""
    latest = max(0, len(offsets) - room)
    if focus is None:
        return random.randint(0, latest)
    inside = _tokens_inside(offsets, focus)
    if not inside:
        return random.randint(0, latest)
    first = min(max(0, inside[-1] + 1 - room), inside[0])
    return random.randint(min(first, latest), min(inside[0], latest))


def _window(
    example: Example,
    question: Encoding,
    heading: list[int],
    passage: Encoding,
    first: int,
    room: int,
) -> Window:
    head = [CLS, *question.ids[:QUESTION_TOKENS], SEP]
    if heading:
        head += [*heading[:HEADING_TOKENS], SEP]
    characters = passage.offsets[first : first + room]
    spans = list(example.units) or sentence_spans(example.passage)
    asked = question.offsets[:QUESTION_TOKENS]
    missed = {place for span in example.missed for place in _tokens_inside(asked, span)}
    return Window(
        example=example,
        ids=[*head, *passage.ids[first : first + room], SEP],
        first=len(head),
        characters=characters,
        short_answers=_short_answers(example.answers, characters, len(head)),
        sentences=[_sentence_at(spans, start) for start, _ in characters],
        answering=[any(_overlap(span, answer) for answer in example.answers) for span in spans],
        missed=sorted(1 + place for place in missed),
    )


def _short_answers(answers: Sequence[Range], characters: list[Range], shift: int) -> list[Range]:
    """Places of the answers that lie in the window as a whole and are short."""
    if not characters:
        return []
    begin, end = characters[0][0], characters[-1][1]
    tokens = [_tokens_inside(characters, a) for a in answers if begin <= a[0] and a[1] <= end]
    return [
        (shift + inside[0], shift + inside[-1])
        for inside in tokens
        if inside and len(inside) <= SHORT_ANSWER_TOKENS
    ]


def _tokens_inside(offsets: list[Range], span: Range) -> list[int]:
    return [place for place, token in enumerate(offsets) if _overlap(token, span)]


def _sentence_at(spans: list[Range], character: int) -> int:
    number = bisect_right(spans, character, key=lambda span: span[0]) - 1
    return number if number >= 0 and character < spans[number][1] else NO_SENTENCE


def _overlap(one: Range, other: Range) -> bool:
    return one[0] < other[1] and other[0] < one[1]
