"""Whether a statement says in other words what a quote says.

A statement that is no shortened quote may still be worth reading: its names, numbers, negations and
amounts are those of its quotes, and each of its words has one of like meaning there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from pincite.stages import Encoder, TokenStates
from pincite.verify.statements.deletion import is_same, shared_words, unsafe_cuts
from pincite.verify.statements.wording import Word, words_of

_LEAST_ALIGNED = 0.88
_LEAST_OF_A_WORD = 0.6
"""Of a word that the quote does not have; one other word in a long sentence changes the mean little."""
_LEAST_IN_ORDER = 0.7
_FEWEST_WORDS = 3
_LANGUAGE = "en"

# Words that change how far a sentence goes, but not what it is about; one of a line for another is
# no paraphrase.
_SCOPES = tuple(
    frozenset(line.split())
    for line in """may might could can possible possibly perhaps probably likely alleged allegedly
must should shall required recommended optional optionally
all every each always any entire whole fully completely
some many most mostly few several often usually sometimes rarely
only except unless if until without alone exclusively
more less fewer higher lower better worse larger smaller
best first last largest highest lowest main least
before after during since formerly former previously once""".splitlines()
)


_LEADING = frozenset("by to from of for with against into onto under over via per despite".split())


class Alignment:
    """Matches the words of a statement with those of a quote by an encoder's token states.

    The measure is the precision of BERTScore (Zhang et al., 2020): the mean over the statement's tokens
    of the largest cosine with a token of the quote, in -1..1.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def is_worded_freely(self, claim: str, quotes: Sequence[str], language: str) -> bool:
        """Whether one of the quotes says what the statement says, as far as words can show.

        Only in English: the lists of words that change a statement's scope are English.
        """
        if language != _LANGUAGE:
            return False
        own = words_of(claim, language)
        if sum(word.is_content for word in own) < _FEWEST_WORDS:
            return False
        near = [
            quote
            for quote in quotes
            if _is_alike(own, words_of(quote, language))
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
        nearest = (_directions(said.states) @ _directions(stated.states).T).max(axis=1)
        if nearest.mean() < _LEAST_ALIGNED:
            return False
        keys = {word.key for word in quote}
        new = [word for word in own if word.is_content and not _is_among(word, keys)]
        starts = said.offsets[:, 0]
        of_words = [nearest[(word.start <= starts) & (starts < word.end)] for word in new]
        return all(of_word.size and of_word.mean() >= _LEAST_OF_A_WORD for of_word in of_words)


def _is_among(word: Word, keys: Collection[str]) -> bool:
    return word.key in keys or any(is_same(word.key, key) for key in keys)


def _is_alike(own: Sequence[Word], quote: Sequence[Word]) -> bool:
    """Whether the words of both are in one order, and none changes how far the statement goes."""
    content = [word for word in own if word.is_content]
    there = [word for word in quote if word.is_content]
    held = sum(any(word.key == other.key for other in there) for word in content)
    if held < _FEWEST_WORDS - 1 or len(shared_words(content, there)) < _LEAST_IN_ORDER * held:
        return False
    said, stated = ({word.folded for word in words} for words in (own, quote))
    leading = _led(quote)
    are_led_alike = all(led & leading.get(key, led) for key, led in _led(own).items())
    return are_led_alike and all(scope & said == scope & stated for scope in _SCOPES)


def _led(words: Sequence[Word]) -> dict[str, set[str]]:
    """The words that lead to each content word and say its part: "sold by Weber" and "to Weber"."""
    found: dict[str, set[str]] = {}
    leading = ""
    for word in words:
        if word.folded in _LEADING:
            leading = word.folded
        elif word.is_content:
            found.setdefault(word.key, set()).add(leading)
            leading = ""
    return found


def _directions(states: NDArray[np.float32]) -> NDArray[np.float32]:
    found = states.astype(np.float32)
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    directions: NDArray[np.float32] = found / np.maximum(lengths, np.finfo(np.float32).tiny)
    return directions
