"""What a language model writes, as one stream with what must be said about it."""

from __future__ import annotations

import math
import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pincite.records.flow import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How an output ended. Counts are the backend's own, None where it does not tell them."""

    is_cut: bool = False
    """Whether it could have gone on, had more tokens been allowed."""
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    """How many of the prompt's tokens did not have to be read again."""


Pieces: TypeAlias = Generator[str, None, Ending]


class Output:
    """Pieces of text from one model; `ending` and `notices` are complete at its end."""

    def __init__(self, model: str, pieces: Pieces, *, max_tokens: int, server: str = "") -> None:
        self._model = model
        self.server = server
        self._pieces = pieces
        self._max_tokens = max_tokens
        self.ending: Ending | None = None
        self.owner: object = None
        """What must not be freed before it is complete."""

    @property
    def model(self) -> str:
        """Who writes it."""
        return self._model

    @property
    def notices(self) -> tuple[str, ...]:
        """That it was cut, if it was."""
        if self.ending is None or not self.ending.is_cut:
            return ()
        return (f"{self._model} was cut off after {self._max_tokens} tokens",)

    @property
    def is_cut(self) -> bool:
        """Whether it could have gone on, had more tokens been allowed."""
        return self.ending is not None and self.ending.is_cut

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        try:
            return next(self._pieces)
        except StopIteration as end:
            self.ending = end.value or self.ending or Ending()
            raise StopIteration from None


def message_forms(messages: Sequence[Message]) -> list[dict[str, str]]:
    """Messages as all chat protocols have them; half characters of bad files are replaced."""
    return [{"role": message.role, "content": sendable(message.content)} for message in messages]


def sendable(text: str) -> str:
    """The text with what UTF-8 cannot say replaced by question marks."""
    return text.encode("utf-8", "replace").decode()


# How many tokens a text has, at most, where the model's own tokenizer cannot be asked.

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
