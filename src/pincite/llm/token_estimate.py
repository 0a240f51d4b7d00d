"""How many tokens a text has, at most, where the model's own tokenizer cannot be asked."""

from __future__ import annotations

import math
import re

_DIGIT_OR_SIGN = re.compile(r"[\d_]|[^\w\s]", re.ASCII)
_LETTERS_PER_TOKEN = 3
_FOREIGN_BYTES_PER_TOKEN = 1.25


def estimated_tokens(text: str) -> int:
    """Rather too many: each digit and sign counts one, and every three letters of the rest.

    Byte-pair tokenizers take about four letters of English at once, split numbers into digits or
    groups of them, and need up to two tokens for a character of Chinese, which has three bytes.
    """
    plain = text.encode("ascii", "ignore").decode()
    foreign_bytes = len(text.encode("utf-8", "replace")) - len(plain)
    signs = len(_DIGIT_OR_SIGN.findall(plain))
    letters = (len(plain) - signs) / _LETTERS_PER_TOKEN
    return signs + math.ceil(letters) + math.ceil(foreign_bytes / _FOREIGN_BYTES_PER_TOKEN)
