"""MaxSim between the token states of a question and of passages (Khattab and Zaharia, SIGIR 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SENTENCE_BEFORE = 0.8
_HEADINGS = 0.9
"""What a match in the sentence before, or in the headings above, counts beside one in the sentence.
A sentence such as "It closes within three seconds" says little without them. To a row of a table the
rows that head its columns are headings, and the row before it nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageStates:
    """What the comparison needs of one passage.

    `states` (tokens, dimensions) has a row of about length 1 for each token. `parts` (1 + sentences,
    2) are ranges of its rows: first what stands above the sentences (name and headings), then each
    sentence. `sentence_vectors` (sentences, dimensions) have length 1.
    """

    states: NDArray[Any]
    parts: NDArray[np.int32]
    sentence_vectors: NDArray[np.float16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """How well a passage as a whole, and each of its sentences, matches; all in 0..1.

    `whole` (weightings,) and `sentences` (weightings, sentences) have a row for each way to weigh the
    question's tokens.
    """

    whole: NDArray[Any]
    sentences: NDArray[Any]


def compare(
    asked: NDArray[Any],
    importance: NDArray[Any],
    passages: Sequence[PassageStates],
    headers: Sequence[Sequence[Sequence[int]]],
) -> list[Likeness]:
    """The weighted mean, over question tokens, of the similarity to the most similar passage token.

    `asked` (question tokens, dimensions) has rows of length 1 in the axes of the passages' states,
    `importance` (weightings, question tokens) rows with the sum 1. A sentence is read in its
    surroundings; `headers` has for each passage what `Passage.headers` has. All passages are
    compared in one product of matrices, since there are hundreds of sentences in them.
    """
    if not passages:
        return []
    states = np.concatenate([passage.states for passage in passages])
    similarity = asked.astype(np.float32) @ states.T
    ends = np.cumsum([len(passage.states) for passage in passages])
    starts = ends - [len(passage.states) for passage in passages]
    whole = importance @ _maxima(similarity, np.stack([starts, ends], axis=1))
    parts = np.concatenate(
        [passage.parts + start for passage, start in zip(passages, starts, strict=True)]
    )
    counts = [len(passage.parts) for passage in passages]
    firsts = np.cumsum(counts) - counts
    rows_under = _rows_under(headers, firsts)
    sentences = importance @ _in_surroundings(
        _maxima(similarity, parts), firsts, counts, rows_under
    )
    return [
        Likeness(whole=whole[:, row], sentences=sentences[:, first + 1 : first + count])
        for row, (first, count) in enumerate(zip(firsts, counts, strict=True))
    ]


def _maxima(similarity: NDArray[Any], ranges: NDArray[Any]) -> NDArray[Any]:
    """For each question token (rows) the best of each range of columns, in 0..1; 0 for an empty one."""
    # A column of zeros at the end lets a range end with the last token.
    padded = np.pad(similarity, ((0, 0), (0, 1)))
    best = np.maximum.reduceat(padded, ranges.ravel(), axis=1)[:, ::2]
    best[:, ranges[:, 0] >= ranges[:, 1]] = 0.0
    clipped: NDArray[Any] = np.clip(best, 0.0, 1.0)
    return clipped


def _rows_under(headers: Sequence[Sequence[Sequence[int]]], firsts: NDArray[Any]) -> NDArray[Any]:
    """Columns of rows of tables, each beside one of the rows that head it: (2, such pairs)."""
    pairs = [
        (first + 1 + row, first + 1 + header)
        for numbers, first in zip(headers, firsts, strict=True)
        for row, above in enumerate(numbers)
        for header in above
    ]
    return np.array(pairs, dtype=np.intp).reshape(-1, 2).T


def _in_surroundings(
    best: NDArray[Any], firsts: NDArray[Any], counts: Sequence[int], rows_under: NDArray[Any]
) -> NDArray[Any]:
    """Each part's maxima, or those of what stands around it where they are better."""
    headings = np.repeat(best[:, firsts], counts, axis=1)
    before = np.pad(best, ((0, 0), (1, 0)))[:, :-1]
    first_sentences = np.concatenate([firsts, firsts + 1])
    before[:, first_sentences[first_sentences < best.shape[1]]] = 0.0
    rows, header_rows = rows_under
    before[:, rows] = 0.0
    np.maximum.at(headings.T, rows, best.T[header_rows])
    around = np.maximum(_SENTENCE_BEFORE * before, _HEADINGS * headings)
    surrounded: NDArray[Any] = np.maximum(best, around)
    return surrounded
