"""Opens a model's tokenizer so that it reads words as people do."""

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
    """The content of a tokenizer file. Raises ModelError if it cannot be read."""
    try:
        return read_regular(path, most_bytes=_MOST_BYTES)
    except OSError as error:
        reason = error.strerror or error
        raise ModelError(f"{path}: cannot be read: {reason}; expected a tokenizer.json") from error


def open_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer in a file, adapted by `reading_words`. Raises ModelError for an invalid file."""
    from tokenizers import Tokenizer

    try:
        content = tokenizer_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise ModelError(f"{path}: cannot be read: {error}; expected a tokenizer.json") from error
    try:
        return reading_words(Tokenizer.from_str(content))
    except Exception as error:  # The library raises only plain Exception.
        raise ModelError(f"{path}: is not a tokenizer file: {error}; fetch it again") from error


def reading_words(tokenizer: Tokenizer) -> Tokenizer:
    """The tokenizer, reading words as people do: hyphenated ones joined, ligatures as letters.

    Offsets still count characters of the original text.
    """
    from tokenizers import Regex
    from tokenizers.normalizers import Replace, Sequence

    # Published files pad and truncate every text to 128 tokens, or to another length.
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
    """The special tokens before and after a text, such as [CLS] and [SEP]. Raises ModelError."""
    plain = tokenizer.encode("a", add_special_tokens=False).ids
    whole = tokenizer.encode("a").ids
    for start in range(len(whole) - len(plain) + 1):
        if whole[start : start + len(plain)] == plain:
            return whole[:start], whole[start + len(plain) :]
    raise ModelError(
        "the tokenizer changes a text when it adds special tokens; expected them only around it"
    )
