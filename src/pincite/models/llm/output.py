"""The output of a language model, as a stream with notices."""

from __future__ import annotations

import math
import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pincite.records.flow import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How an output ended. Counts come from the backend; None if it does not report them."""

    is_cut: bool = False
    """Whether it was cut off by the token limit."""
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    """How many of the prompt's tokens came from the cache."""


LIKELY_TOKENS = 10
"""Asked for where a backend tells the likeliest first tokens."""
_LEAST_OF_BOTH = 0.5

Pieces: TypeAlias = Generator[str, None, Ending]


class Output:
    """Pieces of text from one model; `ending` and `notices` are complete at the end."""

    def __init__(self, model: str, pieces: Pieces, *, max_tokens: int, server: str = "") -> None:
        self._model = model
        self.server = server
        self._pieces = pieces
        self._max_tokens = max_tokens
        self.ending: Ending | None = None
        self.owner: object = None
        """An object to keep alive until the output is complete."""

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._model

    @property
    def notices(self) -> tuple[str, ...]:
        """A notice if it was cut off."""
        if self.ending is None or not self.ending.is_cut:
            return ()
        return (f"{self._model} was cut off after {self._max_tokens} tokens",)

    @property
    def is_cut(self) -> bool:
        """Whether it was cut off by the token limit."""
        return self.ending is not None and self.ending.is_cut

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        try:
            return next(self._pieces)
        except StopIteration as end:
            self.ending = end.value or self.ending or Ending()
            raise StopIteration from None


def share_of_yes(likely: object) -> float | None:
    """The probability of yes against no among the likely first tokens; None if both are unlikely.

    `likely` are objects with a `token` and its `logprob`, as OpenAI's protocol and Ollama's have them.
    """
    shares = {"yes": 0.0, "no": 0.0}
    for one in likely if isinstance(likely, list) else ():
        word = str(one["token"]).strip().lower()
        if word in shares:
            shares[word] += math.exp(float(one["logprob"]))
    total = sum(shares.values())
    return shares["yes"] / total if total >= _LEAST_OF_BOTH else None


def message_forms(messages: Sequence[Message]) -> list[dict[str, str]]:
    """Messages in the format common to chat protocols; lone surrogates are replaced."""
    return [{"role": message.role, "content": sendable(message.content)} for message in messages]


def sendable(text: str) -> str:
    """The text with characters that UTF-8 cannot encode replaced by question marks."""
    return text.encode("utf-8", "replace").decode()


# An upper estimate of a text's tokens if the model's own tokenizer is not available.

_DIGIT_OR_SIGN = re.compile(r"[\d_]|[^\w\s]", re.ASCII)
_LETTERS_PER_TOKEN = 3
_FOREIGN_BYTES_PER_TOKEN = 1.25


def estimated_tokens(text: str) -> int:
    """An upper estimate: one token for each digit, each sign and every three letters of the rest.

    Byte-pair tokenizers have about four letters of English per token, split numbers into digits or
    groups of digits, and need up to two tokens for a Chinese character, which has three bytes.
    """
    plain = text.encode("ascii", "ignore").decode()
    foreign_bytes = len(text.encode("utf-8", "replace")) - len(plain)
    signs = len(_DIGIT_OR_SIGN.findall(plain))
    letters = (len(plain) - signs) / _LETTERS_PER_TOKEN
    return signs + math.ceil(letters) + math.ceil(foreign_bytes / _FOREIGN_BYTES_PER_TOKEN)
