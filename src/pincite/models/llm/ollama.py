"""Language models served by Ollama, through `/api/chat` or `/api/generate`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

from pincite.errors import ModelError
from pincite.models.llm.output import (
    LIKELY_TOKENS,
    Ending,
    Output,
    Pieces,
    estimated_tokens,
    message_forms,
    share_of_yes,
)
from pincite.models.servers import ServerClient
from pincite.records.flow import Prompt


class OllamaModel:
    """A model served by Ollama, with streamed output. Tokens are estimated: Ollama cannot count them.

    A prompt that is too long is an error; otherwise Ollama would silently drop its beginning.
    """

    def __init__(
        self,
        client: ServerClient,
        model: str,
        *,
        context_tokens: int,
        seed: int = 0,
        endpoint: Literal["chat", "generate"] = "chat",
        server: str = "",
    ) -> None:
        self._server = server
        self._client = client
        self._model = model
        self._seed = seed
        self._endpoint = endpoint
        self.name = f"ollama:{model}"
        self.context_tokens = context_tokens

    def count_tokens(self, text: str) -> int:
        """An upper estimate: see `estimated_tokens`."""
        return estimated_tokens(text)

    def write(self, prompt: Prompt) -> Output:
        """The output in pieces. Raises ModelError if the server fails."""
        lines = self._client.lines(f"/api/{self._endpoint}", self._body(prompt))
        return Output(
            self.name, self._pieces(lines), max_tokens=prompt.max_tokens, server=self._server
        )

    def likelihood_of_yes(self, prompt: Prompt) -> float | None:
        """The probability of yes; None if this version of Ollama does not tell likely tokens."""
        body = self._body(replace(prompt, max_tokens=1, temperature=0.0))
        body |= {"stream": False, "logprobs": True, "top_logprobs": LIKELY_TOKENS}
        try:
            told = self._client.post(f"/api/{self._endpoint}", body)["logprobs"]
            return share_of_yes(told[0]["top_logprobs"])
        except (KeyError, TypeError, ValueError, IndexError):
            return None

    def _body(self, prompt: Prompt) -> dict[str, Any]:
        options: dict[str, Any] = {
            "temperature": prompt.temperature,
            "num_predict": prompt.max_tokens,
            "num_ctx": self.context_tokens,
            "seed": self._seed,
        }
        if prompt.stop:
            options["stop"] = list(prompt.stop)
        body = {"model": self._model, "stream": True, "options": options}
        body |= {"truncate": False, "shift": False}
        if prompt.schema is not None:
            body["format"] = dict(prompt.schema)
        messages = message_forms(prompt.messages)
        if self._endpoint == "chat":
            return body | {"messages": messages}
        instructions = [m["content"] for m in messages if m["role"] == "system"]
        asked = [m["content"] for m in messages if m["role"] != "system"]
        return body | {"system": "\n\n".join(instructions), "prompt": "\n\n".join(asked)}

    def _pieces(self, lines: Iterator[str]) -> Pieces:
        for line in lines:
            if not line.strip():
                continue
            chunk = self._client.object_of(line, called="a line")
            piece = self._piece(chunk)
            if piece:
                yield piece
            if chunk.get("done"):
                return Ending(
                    is_cut=chunk.get("done_reason") == "length",
                    prompt_tokens=chunk.get("prompt_eval_count"),
                    output_tokens=chunk.get("eval_count"),
                )
        raise ModelError(
            f"{self._client.name}: its answer ended too early; ask again, or see its log"
        )

    def _piece(self, chunk: dict[str, Any]) -> str:
        found = chunk.get("message") if self._endpoint == "chat" else chunk
        piece = (
            found.get("content" if self._endpoint == "chat" else "response", "")
            if isinstance(found, dict)
            else None
        )
        if not isinstance(piece, str):
            raise ModelError(
                f"{self._client.name}: sent a line that is not in the ollama protocol: is this the "
                "right address?"
            )
        return piece
