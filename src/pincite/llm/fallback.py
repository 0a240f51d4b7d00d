"""Another model takes over when the first one cannot be reached."""

from __future__ import annotations

from collections.abc import Iterator

from pincite.errors import ModelUnreachable
from pincite.records import Prompt
from pincite.stages import LanguageModel, Writing


class FallbackModel:
    """Asks `first`, and `second` when the server of the first is not there, too slow or failing.

    Outputs are never mixed: what the first one writes is given on when it is complete, and if that
    breaks off, the second one starts anew. The switch is told in the notices.
    """

    def __init__(self, first: LanguageModel, second: LanguageModel) -> None:
        self._first = first
        self._second = second

    @property
    def name(self) -> str:
        """That of the first model; `Writing.model` tells who wrote."""
        return self._first.name

    @property
    def context_tokens(self) -> int:
        """What fits into both."""
        return min(self._first.context_tokens, self._second.context_tokens)

    def count_tokens(self, text: str) -> int:
        """As the first model counts them."""
        return self._first.count_tokens(text)

    def write(self, prompt: Prompt) -> Writing:
        """The output of one of the two. Raises ModelError when neither can be had."""
        return _Either(self._first, self._second, prompt)


class _Either:
    def __init__(self, first: LanguageModel, second: LanguageModel, prompt: Prompt) -> None:
        self._first, self._second, self._prompt = first, second, prompt
        self._switch: tuple[str, ...] = ()
        self._writing: Writing | None = None
        self._pieces = self._write()

    @property
    def model(self) -> str:
        return self._writing.model if self._writing else self._first.name

    @property
    def server(self) -> str:
        return self._writing.server if self._writing else ""

    @property
    def notices(self) -> tuple[str, ...]:
        return (*self._switch, *(self._writing.notices if self._writing else ()))

    @property
    def is_cut(self) -> bool:
        return self._writing is not None and self._writing.is_cut

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        return next(self._pieces)

    def _write(self) -> Iterator[str]:
        try:
            self._writing = self._first.write(self._prompt)
            complete = list(self._writing)
        except ModelUnreachable as error:
            self._switch = (f"{error}; {self._second.name} wrote instead",)
            self._writing = self._second.write(self._prompt)
            yield from self._writing
        else:
            yield from complete
