"""Counts tokens and knows words with the default encoder's tokenizer."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache

from pincite.embed.weights import find_tokenizer
from pincite.errors import ModelError
from pincite.graphs.tokenizer import open_tokenizer

_PIECES_OF_A_RARE_WORD = 3


def token_counter() -> Callable[[str], int]:
    """Counts the encoder's tokens in a text. Raises ModelError without the tokenizer file."""
    tokenizer = open_tokenizer(find_tokenizer())
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def is_known_word(word: str) -> bool:
    """Whether the encoder knows a word whole, as it does the most frequent ones of English."""
    return word in _whole_words()


def is_rare_word(word: str) -> bool:
    """Whether the encoder cuts a word into three pieces or more, as it does rare ones of English."""
    try:
        return _counter()(word) >= _PIECES_OF_A_RARE_WORD
    except ModelError:
        return False


@cache
def _counter() -> Callable[[str], int]:
    return token_counter()


@cache
def _whole_words() -> frozenset[str]:
    try:
        tokenizer = json.loads(find_tokenizer().read_bytes())
    except ModelError:
        return frozenset()
    return frozenset(word for word in tokenizer["model"]["vocab"] if word.isalpha())
