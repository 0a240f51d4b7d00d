"""Whether a statement says in other words what a quote says.

A statement that is no shortened quote may still be worth reading: its names, numbers, negations and
amounts are those of its quotes, and each of its words has one of like meaning there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.models.vectors import normalised
from pincite.stages import Encoder, TokenStates
from pincite.verify.statements.deletion import is_same, shared_words, unsafe_cuts
from pincite.verify.statements.scopes import ScopeWords, led, scope_words
from pincite.verify.statements.wording import Word, words_of

_LEAST_ALIGNED = 0.88
_LEAST_OF_A_WORD = 0.6
"""Of a word that the quote does not have; one other word in a long sentence changes the mean little."""
_LEAST_IN_ORDER = 0.7
_FEWEST_WORDS = 3


class Alignment:
    """Matches the words of a statement with those of a quote by an encoder's token states.

    The measure is the precision of BERTScore (Zhang et al., 2020): the mean over the statement's tokens
    of the largest cosine with a token of the quote, in -1..1.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def is_worded_freely(self, claim: str, quotes: Sequence[str], language: str) -> bool:
        """Whether one of the quotes says what the statement says, as far as words can show.

        False in a language without a list of the words that change how far a statement goes.
        """
        words = scope_words(language)
        if not words.scopes:
            return False
        own = words_of(claim, language)
        if sum(word.is_content for word in own) < _FEWEST_WORDS:
            return False
        near = [
            quote
            for quote in quotes
            if _is_alike(own, words_of(quote, language), words)
            and not unsafe_cuts(own, words_of(quote, language), language)
        ]
        if not near:
            return False
        said, *stated = self._encoder.encode([claim, *near])
        return any(
            self._is_aligned(own, said, words_of(quote, language), states)
            for quote, states in zip(near, stated, strict=True)
        )

    def _is_aligned(
        self, own: Sequence[Word], said: TokenStates, quote: Sequence[Word], stated: TokenStates
    ) -> bool:
        nearest = (_normalised(said) @ _normalised(stated).T).max(axis=1)
        if nearest.mean() < _LEAST_ALIGNED:
            return False
        keys = {word.key for word in quote}
        new = [word for word in own if word.is_content and not _is_among(word, keys)]
        starts = said.offsets[:, 0]
        of_words = [nearest[(word.start <= starts) & (starts < word.end)] for word in new]
        return all(of_word.size and of_word.mean() >= _LEAST_OF_A_WORD for of_word in of_words)


def _is_among(word: Word, keys: Collection[str]) -> bool:
    return word.key in keys or any(is_same(word.key, key) for key in keys)


def _is_alike(own: Sequence[Word], quote: Sequence[Word], words: ScopeWords) -> bool:
    """Whether the words of both are in one order, and none changes how far the statement goes."""
    content = [word for word in own if word.is_content]
    there = [word for word in quote if word.is_content]
    held = sum(any(word.key == other.key for other in there) for word in content)
    if held < _FEWEST_WORDS - 1 or len(shared_words(content, there)) < _LEAST_IN_ORDER * held:
        return False
    said, stated = ({word.folded for word in text} for text in (own, quote))
    parts = led(quote, words.leading)
    are_led_alike = all(by & parts.get(key, by) for key, by in led(own, words.leading).items())
    return are_led_alike and all(scope & said == scope & stated for scope in words.scopes)


def _normalised(text: TokenStates) -> NDArray[Any]:
    return normalised(text.states.astype(np.float32))
