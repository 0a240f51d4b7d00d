"""Packs a question and the part of a passage around a quote into the tokens that the reader sees.

`[CLS] question [SEP] heading [SEP] window [SEP]`, without the heading and its separator where there is
none; the window and the last separator are segment 1. The reader was taught in this form
(`training/windows.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pincite.stages import ToRead
from pincite.text.as_read import whole_characters

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

CLS, SEP = 101, 102
QUESTION_TOKENS, HEADING_TOKENS, PASSAGE_TOKENS = 48, 24, 160
"""Read at most of each; the last is the longest that the reader was taught with."""

_LONGEST_CHARS = 200_000
"""Looked at, at most, of one text: a passage of 200 pages means that something went wrong before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Tokens (2, tokens), below each 0 or 1 for its segment; `first` is the passage's first.

    `offsets` (passage tokens, 2) are the characters of each of the passage's tokens in its text.
    """

    ids: NDArray[np.int64]
    first: int
    offsets: NDArray[np.int64]

    def tokens_of(self, sentence: tuple[int, int]) -> NDArray[Any]:
        """Which of the window's passage tokens begin inside these characters: (passage tokens,)."""
        starts = self.offsets[:, 0]
        inside: NDArray[Any] = (starts >= sentence[0]) & (starts < sentence[1])
        return inside


def windows(tokenizer: Tokenizer, question: str, passages: list[ToRead]) -> list[Window]:
    """One window of each passage, around what is to be quoted of it."""
    texts = [question]
    for passage in passages:
        texts += [passage.heading, passage.text]
    clean = [whole_characters(text[:_LONGEST_CHARS]) for text in texts]
    asked, *rest = tokenizer.encode_batch(clean, add_special_tokens=False)
    return [
        _window(asked, heading, text, passage.focus)
        for passage, heading, text in zip(passages, rest[::2], rest[1::2], strict=True)
    ]


def _window(
    question: Encoding, heading: Encoding, text: Encoding, focus: tuple[int, int]
) -> Window:
    head = [CLS, *question.ids[:QUESTION_TOKENS], SEP]
    if heading.ids:
        head += [*heading.ids[:HEADING_TOKENS], SEP]
    offsets = np.array(text.offsets, dtype=np.int64).reshape(-1, 2)
    begin = _begin(offsets, focus)
    tokens = text.ids[begin : begin + PASSAGE_TOKENS]
    ids = np.zeros((2, len(head) + len(tokens) + 1), dtype=np.int64)
    ids[0] = [*head, *tokens, SEP]
    ids[1, len(head) :] = 1
    return Window(ids=ids, first=len(head), offsets=offsets[begin : begin + PASSAGE_TOKENS])


def _begin(offsets: NDArray[np.int64], focus: tuple[int, int]) -> int:
    """Where a window begins that has the focus in its middle, or its beginning if it is longer."""
    if len(offsets) <= PASSAGE_TOKENS:
        return 0
    first, end = np.searchsorted(offsets[:, 0], focus)
    spare = max(0, PASSAGE_TOKENS - int(end - first))
    return max(0, min(int(first) - spare // 2, len(offsets) - PASSAGE_TOKENS))
