"""Language models on a server with OpenAI's chat protocol."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from pincite.errors import ModelError
from pincite.models.llm.output import (
    LIKELY_TOKENS,
    Ending,
    Output,
    Pieces,
    estimated_tokens,
    message_forms,
    sendable,
    share_of_yes,
)
from pincite.models.servers import ServerClient
from pincite.records.flow import Prompt

_COUNTS_KEPT = 4096
_END = "[DONE]"


class OpenAiModel:
    """A model at `/v1/chat/completions`, with streamed output; `extra` fields go into each request.

    Tokens are counted by the server if it has `/tokenize` (llama.cpp, vLLM), otherwise estimated.
    """

    def __init__(
        self,
        client: ServerClient,
        model: str,
        *,
        name: str,
        context_tokens: int,
        extra: Mapping[str, Any] | None = None,
        server: str = "",
    ) -> None:
        """`server` is the address shown in answers; empty for a server in this process."""
        self._server = server
        self._client = client
        self._model = model
        self._extra = dict(extra or {})
        self._counts_itself = True
        self.name = name
        self.context_tokens = context_tokens
        self.count_tokens = lru_cache(maxsize=_COUNTS_KEPT)(self._count_tokens)

    def write(self, prompt: Prompt) -> Output:
        """The output in pieces. Raises ModelError if the server fails."""
        body = {
            "model": self._model,
            "messages": message_forms(prompt.messages),
            "max_tokens": prompt.max_tokens,
            "temperature": prompt.temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
            **self._extra,
        }
        if prompt.stop:
            body["stop"] = list(prompt.stop)
        if prompt.schema is not None:
            schema = {"name": "answer", "schema": dict(prompt.schema), "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        lines = self._client.lines("/v1/chat/completions", body)
        return Output(
            self.name, self._pieces(lines), max_tokens=prompt.max_tokens, server=self._server
        )

    def likelihood_of_yes(self, prompt: Prompt) -> float | None:
        """The probability of yes; None if the server does not tell its likeliest tokens."""
        body = {
            "model": self._model,
            "messages": message_forms(prompt.messages),
            "max_tokens": 1,
            "temperature": 0.0,
            "logprobs": True,
            "top_logprobs": LIKELY_TOKENS,
            **self._extra,
        }
        try:
            (choice,) = self._client.post("/v1/chat/completions", body)["choices"]
            return share_of_yes(choice["logprobs"]["content"][0]["top_logprobs"])
        except (KeyError, TypeError, ValueError, IndexError):
            return None

    def _pieces(self, lines: Iterator[str]) -> Pieces:
        reason, anything = None, False
        usage: dict[str, Any] = {}
        for content in events(lines):
            if content == _END:
                break
            chunk = self._read(content)
            anything = True
            usage = chunk.get("usage") or usage
            for choice in chunk.get("choices") or ():
                reason = choice.get("finish_reason") or reason
                piece = (choice.get("delta") or {}).get("content")
                if piece:
                    yield piece
        if reason is None:
            what = "its answer ended too early" if anything else "it sent no stream of events"
            raise ModelError(f"{self._client.name}: {what}: is this the right address?")
        return Ending(
            is_cut=reason == "length",
            prompt_tokens=usage.get("prompt_tokens"),
            output_tokens=usage.get("completion_tokens"),
            cached_tokens=(usage.get("prompt_tokens_details") or {}).get("cached_tokens"),
        )

    def _read(self, content: str) -> dict[str, Any]:
        """One event of the stream. Raises ModelError for anything not in the protocol."""
        chunk = self._client.object_of(content, called="an event")
        if not _has_the_form(chunk):
            raise ModelError(
                f"{self._client.name}: sent an event that is not in the openai protocol; "
                "expected choices with a delta: is this the right address?"
            )
        return chunk

    def _count_tokens(self, text: str) -> int:
        if not text:
            return 0
        if self._counts_itself:
            clean = sendable(text)
            # llama.cpp reads `content`, vLLM reads `prompt`.
            body = {
                "content": clean,
                "prompt": clean,
                "model": self._model,
                "add_special": False,
                "add_special_tokens": False,
            }
            try:
                answer = self._client.post("/tokenize", body)
                return len(answer["tokens"])
            except (ModelError, KeyError, TypeError):
                self._counts_itself = False  # It has no `/tokenize`; few servers do.
        return estimated_tokens(text)


def events(lines: Iterable[str]) -> Iterator[str]:
    """The data of a stream's events; lines of one event are joined, comments are skipped.

    Errors, which llama.cpp sends as a separate field, are returned as events too.
    """
    data: list[str] = []
    for line in lines:
        field, _, content = line.partition(":")
        if field == "data":
            data.append(content.removeprefix(" "))
        elif field == "error":
            data.append(json.dumps({"error": content.strip()}))
        elif not line and data:
            yield "\n".join(data)
            data = []
    if data:
        yield "\n".join(data)


def _has_the_form(chunk: Mapping[str, Any]) -> bool:
    choices, usage = chunk.get("choices") or [], chunk.get("usage") or {}
    return (
        isinstance(choices, list)
        and isinstance(usage, dict)
        and all(isinstance(choice, dict) for choice in choices)
        and all(isinstance(choice.get("delta") or {}, dict) for choice in choices)
        and all(isinstance(_content(choice) or "", str) for choice in choices)
    )


def _content(choice: Mapping[str, Any]) -> Any:
    return (choice.get("delta") or {}).get("content")
