"""Opens the encoder's tokenizer, and counts tokens with it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.embed.weights import find_tokenizer
from pincite.errors import ModelError
from pincite.text.search_text import INVISIBLE, LIGATURES, LINE_HYPHEN

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def open_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer, reading words as a person does: broken ones joined, ligatures as letters.

    Offsets still count characters of the text that was given.
    """
    from tokenizers import Regex, Tokenizer
    from tokenizers.normalizers import Replace, Sequence

    tokenizer = Tokenizer.from_file(str(path))
    # The published file pads every text to 128 tokens and cuts at 128.
    tokenizer.no_padding()
    tokenizer.no_truncation()
    broken = rf"(?<=\p{{L}}){re.escape(LINE_HYPHEN)}(?=\p{{Ll}})"
    tokenizer.normalizer = Sequence(
        [
            Replace(Regex(broken), ""),
            Replace(Regex(f"[{INVISIBLE}]"), ""),
            *(Replace(sign, letters) for sign, letters in LIGATURES.items()),
            tokenizer.normalizer,
        ]
    )
    return tokenizer


def token_counter() -> Callable[[str], int]:
    """Counts the encoder's tokens in a text. Raises ModelError without the tokenizer file."""
    tokenizer = open_tokenizer(find_tokenizer())
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def is_known_word(word: str) -> bool:
    """Whether the encoder knows a word whole, as it does the most frequent ones of English."""
    return word in _whole_words()


@cache
def _whole_words() -> frozenset[str]:
    try:
        tokenizer = json.loads(find_tokenizer().read_bytes())
    except ModelError:
        return frozenset()
    return frozenset(word for word in tokenizer["model"]["vocab"] if word.isalpha())
