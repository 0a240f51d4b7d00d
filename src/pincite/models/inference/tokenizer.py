"""Opens a model's tokenizer so that it reads words as a person does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.errors import ModelError
from pincite.records.files import MEBIBYTE, read_regular
from pincite.text.as_read import INVISIBLE, LIGATURES, LINE_HYPHEN

if TYPE_CHECKING:
    from tokenizers import Tokenizer


_MOST_BYTES = 256 * MEBIBYTE


def tokenizer_bytes(path: Path) -> bytes:
    """A tokenizer file. Raises ModelError when it cannot be read."""
    try:
        return read_regular(path, most_bytes=_MOST_BYTES)
    except OSError as error:
        told = error.strerror or error
        raise ModelError(f"{path}: cannot be read: {told}; expected a tokenizer.json") from error


def open_tokenizer(path: Path) -> Tokenizer:
    """A tokenizer file, read so that words are taken as a person does: see `reading_words`.

    Raises ModelError when it is not one.
    """
    from tokenizers import Tokenizer

    try:
        content = tokenizer_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise ModelError(f"{path}: cannot be read: {error}; expected a tokenizer.json") from error
    try:
        return reading_words(Tokenizer.from_str(content))
    except Exception as error:  # The library raises plain Exception, and nothing below it.
        raise ModelError(f"{path}: is no tokenizer file: {error}; fetch it again") from error


def reading_words(tokenizer: Tokenizer) -> Tokenizer:
    """The tokenizer, reading words as a person does: broken ones joined, ligatures as letters.

    Offsets still count characters of the text that was given.
    """
    from tokenizers import Regex
    from tokenizers.normalizers import Replace, Sequence

    # Published files pad every text to 128 tokens and cut at 128, or at another length.
    tokenizer.no_padding()
    tokenizer.no_truncation()
    broken = rf"(?<=\p{{L}}){re.escape(LINE_HYPHEN)}(?=\p{{Ll}})"
    tokenizer.normalizer = Sequence(
        [
            Replace(Regex(broken), ""),
            Replace(Regex(f"[{INVISIBLE}]"), ""),
            *(Replace(sign, letters) for sign, letters in LIGATURES.items()),
            *([tokenizer.normalizer] if tokenizer.normalizer else []),
        ]
    )
    return tokenizer


def special_tokens(tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """What the tokenizer puts before a text and after it, such as [CLS] and [SEP]."""
    plain = tokenizer.encode("a", add_special_tokens=False).ids
    whole = tokenizer.encode("a").ids
    for start in range(len(whole) - len(plain) + 1):
        if whole[start : start + len(plain)] == plain:
            return whole[:start], whole[start + len(plain) :]
    raise ModelError(
        "the tokenizer changes a text when it adds its marks; expected marks around it"
    )
