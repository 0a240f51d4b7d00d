"""Request and reply formats of the OpenAI API: completions, chunks, responses and their events."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from pincite.errors import UsageError
from pincite.interfaces.linked_text import LinkedText, Marker
from pincite.models.llm.output import estimated_tokens
from pincite.verify.receipts.permalinks import Permalink

Form = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Reply:
    """An answer, ready to be formatted.

    `evidence` is the object of `/v1/query` with absolute links. `asked` is all the text that the client
    sent, for counting tokens.
    """

    model: str
    linked: LinkedText
    evidence: Mapping[str, Any]
    asked: str
    metadata: Mapping[str, str] = field(default_factory=dict)
    is_cut: bool = False
    """Whether statements are missing, for the client's limit of tokens."""
    created: int = field(default_factory=lambda: int(time.time()))
    name: str = field(default_factory=lambda: uuid.uuid4().hex)

    @cached_property
    def tokens(self) -> tuple[int, int]:
        """Estimated numbers of tokens sent and received; no model reads or writes them."""
        return estimated_tokens(self.asked), estimated_tokens(self.linked.text)


def within(linked: LinkedText, limits: Limits) -> tuple[LinkedText, bool]:
    """A text as a client wants it: up to what is to stop it, and so many whole statements.

    The second value is whether statements are missing for the number of tokens. A quote is not cut in
    the middle for that.
    """
    text = linked.text
    ends = [place for stop in limits.stops if stop and (place := text.find(stop)) >= 0]
    linked = linked.up_to(min(ends, default=len(text)))
    whole, tokens = 0, 0
    for piece in linked.pieces:
        tokens += estimated_tokens(piece)
        if limits.most_tokens is not None and tokens > limits.most_tokens:
            return linked.up_to(whole), True
        whole += len(piece)
    return linked, False


# --- Chat completions ---------------------------------------------------------------------------


def completion(reply: Reply) -> Form:
    """The object `chat.completion`."""
    message = {
        "role": "assistant",
        "content": reply.linked.text,
        "refusal": None,
        "annotations": _nested_annotations(reply),
    }
    reason = _finish_reason(reply)
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
    return {
        **_completion_head(reply, "chat.completion"),
        "choices": [choice],
        "usage": _chat_usage(reply),
        "evidence": reply.evidence,
    }


def chunks(reply: Reply, *, with_usage: bool, with_events: bool) -> Iterator[Form]:
    """The same as a stream: a chunk for each statement.

    Annotations and evidence are in the chunk with `finish_reason`. `with_events` adds the sources in
    Open WebUI's format.
    """
    head = _completion_head(reply, "chat.completion.chunk")
    head |= {"usage": None} if with_usage else {}
    yield {**head, "choices": [_delta({"role": "assistant", "content": ""})]}
    for piece in reply.linked.pieces:
        yield {**head, "choices": [_delta({"content": piece})]}
    if with_events:
        for event in _source_events(reply):
            yield {**head, "choices": [], "event": event}
    last = _delta({"annotations": _nested_annotations(reply)}, _finish_reason(reply))
    yield {**head, "choices": [last], "evidence": reply.evidence}
    if with_usage:
        yield {**head, "choices": [], "usage": _chat_usage(reply)}


def _completion_head(reply: Reply, kind: str) -> Form:
    return {
        "id": f"chatcmpl-{reply.name}",
        "object": kind,
        "created": reply.created,
        "model": reply.model,
        "system_fingerprint": f"corpus_{reply.evidence['corpus_version'][:16]}",
    }


def _delta(delta: Form, finish_reason: str | None = None) -> Form:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}


def _finish_reason(reply: Reply) -> str:
    return "length" if reply.is_cut else "stop"


def _nested_annotations(reply: Reply) -> list[Form]:
    return [
        {"type": "url_citation", "url_citation": _url_citation(marker)}
        for marker in reply.linked.markers
    ]


def _url_citation(marker: Marker) -> Form:
    """`start_index` and `end_index` give the link's position in the text, as a Python slice."""
    return {
        "start_index": marker.start,
        "end_index": marker.end,
        "title": marker.title,
        "url": marker.url,
    }


def _chat_usage(reply: Reply) -> Form:
    sent, received = reply.tokens
    return {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}


def _source_events(reply: Reply) -> Iterator[Form]:
    """One event for each linked citation."""
    for marker in {marker.number: marker for marker in reply.linked.markers}.values():
        citation = reply.evidence["citations"][marker.number - 1]
        metadata = {"source": marker.url, "name": marker.title, "page": citation["page"]}
        data = {
            "source": {"id": marker.url, "name": marker.title, "url": marker.url},
            "document": [citation["cited_text"]],
            "metadata": [{name: value for name, value in metadata.items() if value is not None}],
        }
        yield {"type": "source", "data": data}


# --- Responses ----------------------------------------------------------------------------------


def response(reply: Reply) -> Form:
    """The complete object `response`."""
    ended = {"incomplete_details": {"reason": "max_output_tokens"}} if reply.is_cut else {}
    return {
        **_response_head(reply, "incomplete" if reply.is_cut else "completed"),
        **ended,
        "completed_at": None if reply.is_cut else int(time.time()),
        "output": [_item(reply)],
        "usage": _response_usage(reply),
        "evidence": reply.evidence,
    }


def events(reply: Reply) -> Iterator[Form]:
    """The same as a stream of events, numbered from 0."""
    for number, event in enumerate(_events(reply)):
        yield {**event, "sequence_number": number}


def _events(reply: Reply) -> Iterator[Form]:
    begun = {**_response_head(reply, "in_progress"), "output": [], "usage": None}
    item = _item(reply)
    part = item["content"][0]
    here = {"item_id": item["id"], "output_index": 0, "content_index": 0}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    empty = {**item, "status": "in_progress", "content": []}
    yield {"type": "response.output_item.added", "output_index": 0, "item": empty}
    blank = {**part, "text": "", "annotations": []}
    yield {"type": "response.content_part.added", **here, "part": blank}
    for piece in reply.linked.pieces:
        yield {"type": "response.output_text.delta", **here, "delta": piece, "logprobs": []}
    for place, annotation in enumerate(part["annotations"]):
        yield {
            "type": "response.output_text.annotation.added",
            **here,
            "annotation_index": place,
            "annotation": annotation,
        }
    yield {"type": "response.output_text.done", **here, "text": part["text"], "logprobs": []}
    yield {"type": "response.content_part.done", **here, "part": part}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    ended = "incomplete" if reply.is_cut else "completed"
    yield {"type": f"response.{ended}", "response": response(reply)}


def _response_head(reply: Reply, status: str) -> Form:
    return {
        "id": f"resp_{reply.name}",
        "object": "response",
        "created_at": reply.created,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "model": reply.model,
        "metadata": dict(reply.metadata),
        "parallel_tool_calls": False,
        "previous_response_id": None,
        "store": False,
        "temperature": None,
        "text": {"format": {"type": "text"}},
        "tool_choice": "none",
        "tools": [],
        "top_p": None,
        "truncation": "disabled",
    }


def _item(reply: Reply) -> Form:
    annotations = [
        annotation
        for marker in reply.linked.markers
        for annotation in (
            {"type": "url_citation", **_url_citation(marker)},
            _file_citation(marker, reply),
        )
    ]
    part = {
        "type": "output_text",
        "text": reply.linked.text,
        "annotations": annotations,
        "logprobs": [],
    }
    return {
        "id": f"msg_{reply.name}",
        "type": "message",
        "role": "assistant",
        "status": "incomplete" if reply.is_cut else "completed",
        "content": [part],
    }


def _file_citation(marker: Marker, reply: Reply) -> Form:
    """The cited file; `index` is where the link stands in the text."""
    citation = reply.evidence["citations"][marker.number - 1]
    return {
        "type": "file_citation",
        "file_id": citation["document"],
        "filename": PurePath(citation["source"]).name,
        "index": marker.start,
    }


def _response_usage(reply: Reply) -> Form:
    sent, received = reply.tokens
    return {
        "input_tokens": sent,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": received,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": sent + received,
    }


# Request bodies. Quotes are not sampled: what steers sampling is only checked. What would change the
# form of the reply is done, or refused.

_LINK = re.compile(r"/c/([0-9a-f]{16}\.\d{1,10}-\d{1,10}\.[0-9a-f]{12})(?![0-9a-z])", re.ASCII)
_TEXT_PARTS = ("text", "input_text", "output_text")


class _Ignoring(BaseModel):
    """Ignores what it does not know."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Where a client wants the text to end."""

    stops: tuple[str, ...] = ()
    most_tokens: int | None = None


class Format(_Ignoring):
    """The form of the text; `evidence` of the reply is the same as JSON."""

    type: Literal["text"]


class _Steered(_Ignoring):
    """What both bodies have."""

    model: str
    stream: bool | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, ge=0, le=1)
    tool_choice: Literal["none", "auto"] | None = None


class Part(_Ignoring):
    """A part of a message; only text is read."""

    type: str
    text: str = ""


Role: TypeAlias = Literal["system", "developer", "user", "assistant", "tool", "function"]


class Message(_Ignoring):
    """One turn. Instructions in system messages have no effect on the answer."""

    role: Role
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        """The message's text parts, one a line."""
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        return "\n".join(part.text for part in self.content if part.type in _TEXT_PARTS)


class StreamOptions(_Ignoring):
    """Options of a stream."""

    include_usage: bool | None = None


class ChatBody(_Steered):
    """The body of `/v1/chat/completions`."""

    messages: list[Message] = Field(min_length=1)
    stream_options: StreamOptions | None = None
    n: Literal[1] | None = None
    stop: str | Annotated[list[str], Field(max_length=4)] | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    response_format: Format | None = None
    logprobs: Literal[False] | None = None
    modalities: list[Literal["text"]] | None = None

    @property
    def limits(self) -> Limits:
        """Where the text is to end."""
        stops = [self.stop] if isinstance(self.stop, str) else self.stop or []
        most = [one for one in (self.max_tokens, self.max_completion_tokens) if one is not None]
        return Limits(stops=tuple(stops), most_tokens=min(most, default=None))


class Item(_Ignoring):
    """An item of the input of `/v1/responses`; only messages are used."""

    type: str = "message"
    role: Role | None = None
    content: str | list[Part] | None = None


class Text(_Ignoring):
    """How `/v1/responses` is to write."""

    format: Format | None = None


class ResponsesBody(_Steered):
    """The body of `/v1/responses`. Nothing is stored: the input includes earlier messages."""

    input: str | list[Item]
    max_output_tokens: int | None = Field(default=None, ge=1)
    text: Text | None = None
    background: Literal[False] | None = None
    previous_response_id: str | None = None
    metadata: dict[str, str] | None = None

    @property
    def limits(self) -> Limits:
        """Where the text is to end."""
        return Limits(most_tokens=self.max_output_tokens)

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
    """An earlier question of the conversation, and links to the quotes in its answer."""

    question: str
    links: tuple[Permalink, ...] = ()


Asked: TypeAlias = tuple[str, tuple[Earlier, ...]]


def asked_in(messages: Sequence[Message]) -> Asked:
    """The question, which is the last message, and the earlier ones.

    Raises UsageError if there is no question.
    """
    turns: list[Earlier] = []
    for message in messages:
        if message.role == "user":
            turns.append(Earlier(question=message.text))
        elif message.role == "assistant" and turns:
            turns[-1] = Earlier(question=turns[-1].question, links=_links(message.text))
    if not turns or messages[-1].role != "user" or not turns[-1].question.strip():
        raise UsageError(
            "the last message is not a question; expected role 'user' and some text in its content"
        )
    return turns[-1].question, tuple(turns[:-1])


def _links(text: str) -> tuple[Permalink, ...]:
    """The citations that an answer linked to, each once."""
    found = dict.fromkeys(_LINK.findall(text))
    parsed = (Permalink.parsed(identity) for identity in found)
    return tuple(link for link in parsed if link is not None)
