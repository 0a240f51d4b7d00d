"""What clients of OpenAI's interface send: a model, messages, and much that means nothing here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from pincite.errors import UsageError
from pincite.interfaces.server.permalinks import Permalink

_LINK = re.compile(r"/c/([0-9a-f]{16}\.\d{1,10}-\d{1,10}\.[0-9a-f]{12})(?![0-9a-z])", re.ASCII)
_TEXT_PARTS = ("text", "input_text", "output_text")


class _Ignoring(BaseModel):
    """Parameters that mean nothing to quotes (temperature, tools, ...) are not looked at."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class Part(_Ignoring):
    """A piece of a message; only text is read."""

    type: str
    text: str = ""


Role: TypeAlias = Literal["system", "developer", "user", "assistant", "tool", "function"]


class Message(_Ignoring):
    """One turn. What a system message orders does not change what the documents say."""

    role: Role
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        """The words of it."""
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        return "\n".join(part.text for part in self.content if part.type in _TEXT_PARTS)


class StreamOptions(_Ignoring):
    """How a stream ends."""

    include_usage: bool | None = None


class ChatBody(_Ignoring):
    """The body of `/v1/chat/completions`."""

    model: str
    messages: list[Message] = Field(min_length=1)
    stream: bool | None = None
    stream_options: StreamOptions | None = None


class Item(_Ignoring):
    """An item of the input of `/v1/responses`; all but messages are left out."""

    type: str = "message"
    role: Role | None = None
    content: str | list[Part] | None = None


class ResponsesBody(_Ignoring):
    """The body of `/v1/responses`. Nothing is stored: earlier messages stand in the input."""

    model: str
    input: str | list[Item]
    stream: bool | None = None
    previous_response_id: str | None = None
    metadata: dict[str, str] | None = None

    @property
    def messages(self) -> list[Message]:
        """The input as messages."""
        if isinstance(self.input, str):
            return [Message(role="user", content=self.input)]
        return [
            Message(role=item.role, content=item.content)
            for item in self.input
            if item.type == "message" and item.role
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """A question of the conversation, and the quotes that its answer showed."""

    question: str
    links: tuple[Permalink, ...] = ()


Asked: TypeAlias = tuple[str, tuple[Earlier, ...]]


def asked_in(messages: Sequence[Message]) -> Asked:
    """The question, which is the last message, and those before it.

    Raises UsageError where there is no question.
    """
    turns: list[Earlier] = []
    for message in messages:
        if message.role == "user":
            turns.append(Earlier(question=message.text))
        elif message.role == "assistant" and turns:
            turns[-1] = Earlier(question=turns[-1].question, links=_links(message.text))
    if not turns or messages[-1].role != "user" or not turns[-1].question.strip():
        raise UsageError(
            "the last message is no question; expected role 'user' and some text in its content"
        )
    return turns[-1].question, tuple(turns[:-1])


def _links(text: str) -> tuple[Permalink, ...]:
    """The citations that an answer linked to, each once."""
    found = dict.fromkeys(_LINK.findall(text))
    parsed = (Permalink.parsed(identity) for identity in found)
    return tuple(link for link in parsed if link is not None)
