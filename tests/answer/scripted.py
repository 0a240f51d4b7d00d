"""A language model that says what a test tells it to, and remembers what it read."""

from __future__ import annotations

from collections.abc import Iterator

from pincite.errors import ModelError
from pincite.records import Prompt


class Says:
    name = "scripted"

    def __init__(self, *outputs: str, context_tokens: int = 4096) -> None:
        self.outputs = list(outputs)
        self.context_tokens = context_tokens
        self.read: list[Prompt] = []

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def write(self, prompt: Prompt) -> Iterator[str]:
        self.read.append(prompt)
        if not self.outputs:
            raise ModelError("the server at 127.0.0.1 refused the connection; start it")
        yield from self.outputs.pop(0)
