"""MaxSim between the token states of question and passage (Khattab and Zaharia, SIGIR 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.records import Hit, Question
from pincite.rerank.order import Cut, final_score, reorder
from pincite.stages import Encoder, Sources, TermWeights, TokenStates
from pincite.text.terms import terms
from pincite.vectors import normalised, pool_spans, tokens_inside

_LEAST_WEIGHT = 0.2
"""Added to a word's rarity (0..1), so that stop words count a little; the root of the sum is the
weight of the word's tokens: the rarest words count 2.4 times as much as stop words."""

_SENTENCE_BEFORE = 0.8
_HEADINGS = 0.9
"""What a match in the sentence before, or in the headings above, counts beside one in the sentence.
A sentence such as "It closes within three seconds" says little without them."""

_PASSAGE_SHARE = 1 / 3
"""How much of a sentence's score is its passage's."""


class LateInteractionReranker:
    """Compares each question token with its most similar passage token.

    A passage's score is the mean of two values: MaxSim over the whole passage, and over its best
    sentence. Question tokens count by how rare their word is in this library. The states come from
    the encoder that made the index; no second model is needed. All values are in 0..1.
    docs/decisions/0003-late-interaction.md has what each part contributes.
    """

    def __init__(
        self,
        encoder: Encoder,
        sources: Sources,
        weights: TermWeights,
        cut: Cut,
    ) -> None:
        self._encoder = encoder
        self._sources = sources
        self._weights = weights
        self._cut = cut

    def rerank(self, question: Question, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """The first candidates with new scores in a new order, then the rest as they were."""
        first, rest = self._cut.split(hits)
        asked = self._encoder.encode_question(question.asked)
        importance = self._token_weights(question.asked, asked)
        texts = [hit.passage.with_context(self._sources.text_of(hit.passage.span)) for hit in first]
        scored = [
            self._score(hit, asked, importance, states)
            for hit, states in zip(first, self._encoder.encode(texts), strict=True)
        ]
        return reorder(scored, rest, stage="late_interaction", cut=self._cut)

    def _token_weights(self, text: str, asked: TokenStates) -> NDArray[Any]:
        """One weight for each question token, with sum 1."""
        language = self._weights.language(text)
        words = [_word_around(text, int(start), int(end)) for start, end in asked.offsets]
        rarity = [
            max(map(self._weights.weight, terms(word, language)), default=0.0) for word in words
        ]
        importance = np.sqrt(np.array(rarity) + _LEAST_WEIGHT)
        scaled: NDArray[Any] = importance / importance.sum()
        return scaled

    def _score(
        self, hit: Hit, asked: TokenStates, importance: NDArray[Any], states: TokenStates
    ) -> Hit:
        similarity = normalised(asked.states) @ normalised(states.states).T
        ranges = hit.passage.sentence_ranges()
        sentences = _sentence_scores(similarity, importance, states, ranges)
        passage = (_weighted(_best(similarity), importance) + max(sentences, default=0.0)) / 2
        scored = replace(hit, scores={**hit.scores, "late_interaction": passage})
        total = final_score(scored, stage="late_interaction", cut=self._cut)
        return replace(
            scored,
            sentence_scores=tuple(
                (1 - _PASSAGE_SHARE) * score + _PASSAGE_SHARE * total for score in sentences
            ),
            sentence_vectors=pool_spans(states, ranges),
        )


def _sentence_scores(
    similarity: NDArray[Any],
    importance: NDArray[Any],
    states: TokenStates,
    ranges: Sequence[tuple[int, int]],
) -> list[float]:
    """MaxSim of each sentence, read in its surroundings."""
    start_of_text = ranges[0][0] if ranges else 0
    headings = _best(similarity[:, tokens_inside(states, 0, start_of_text)])
    before = np.zeros_like(headings)
    scores = []
    for start, end in ranges:
        own = _best(similarity[:, tokens_inside(states, start, end)])
        around = np.maximum(_SENTENCE_BEFORE * before, _HEADINGS * headings)
        scores.append(_weighted(np.maximum(own, around), importance))
        before = own
    return scores


def _best(similarity: NDArray[Any]) -> NDArray[Any]:
    """For each question token (rows) its best text token (columns), in 0..1."""
    if similarity.shape[1] == 0:
        return np.zeros(len(similarity))
    best: NDArray[Any] = np.clip(similarity.max(axis=1), 0.0, 1.0)
    return best


def _weighted(best: NDArray[Any], importance: NDArray[Any]) -> float:
    return float(best @ importance)


def _word_around(text: str, start: int, end: int) -> str:
    while start > 0 and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return text[start:end]
