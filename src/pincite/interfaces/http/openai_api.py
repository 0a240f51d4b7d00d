"""The OpenAI-compatible API: `/v1/models`, `/v1/chat/completions`, `/v1/responses`.

A model is a collection with a profile. No text is generated: the message consists of checked quotes,
each with a link to its source, or says that the documents do not answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from pincite.chat.conversation import reader_of
from pincite.chat.follow_up import Exchange, follow_up
from pincite.errors import PinciteError, UsageError
from pincite.interfaces.http.asked import Library, MaySee, base_url
from pincite.interfaces.http.observing import record_answer
from pincite.interfaces.http.openai_forms import (
    ChatBody,
    Earlier,
    Reply,
    ResponsesBody,
    asked_in,
    chunks,
    completion,
    events,
    response,
    within,
)
from pincite.interfaces.http.problems import Refused, not_found
from pincite.interfaces.http.served import Allowed, Served
from pincite.interfaces.linked_text import linked_text
from pincite.settings.groups import ServerSettings
from pincite.settings.loading import profile_names
from pincite.verify.receipts.signing import sealed

_ALL = "pincite"
_TURNS_READ = 20
_QUOTES_READ = 10
_BLANK_REPLY: Mapping[str, str] = {}


router = APIRouter(prefix="/v1", tags=["openai"])


@router.get("/models")
def models(served: Library, allowed: MaySee) -> dict[str, Any]:
    """List the models: one for each collection and profile."""
    return {
        "object": "list",
        "data": [_model_form(name) for name in _models(served, allowed)],
    }


@router.get("/models/{name:path}")
def model(name: str, served: Library, allowed: MaySee) -> dict[str, Any]:
    """One model."""
    _model(name, served, allowed)
    return _model_form(name)


@router.post("/chat/completions", response_model=None)
def chat_completions(
    body: ChatBody, request: Request, served: Library, allowed: MaySee
) -> Response:
    """Answer the last message in the context of those before it."""
    reply = _replied(body, request, served, allowed)
    if not body.stream:
        return JSONResponse(completion(reply))
    with_usage = bool(body.stream_options and body.stream_options.include_usage)
    forms = chunks(reply, with_usage=with_usage, with_events=_settings(request).open_webui_events)
    return _stream(_lines(forms))


@router.post("/responses", response_model=None)
def responses(body: ResponsesBody, request: Request, served: Library, allowed: MaySee) -> Response:
    """The same in the format of the Responses API."""
    if body.previous_response_id is not None:
        raise UsageError(
            "previous_response_id: responses are not stored; send the earlier messages in input"
        )
    reply = _replied(body, request, served, allowed, metadata=body.metadata or _BLANK_REPLY)
    return _stream(_named_lines(events(reply))) if body.stream else JSONResponse(response(reply))


# --- Models -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    """The collection and profile that a model name stands for."""

    collection: str | None
    profile: str = ""


def _models(served: Served, allowed: Allowed) -> dict[str, _Model]:
    """Models by name: `pincite`, `pincite/COLLECTION`, each also as `...@PROFILE`."""
    there = sorted(served.status(allowed=allowed)["collections"])
    every = {_ALL: None} if allowed is None or len(there) == 1 else {}
    names: dict[str, str | None] = {**every, **{f"{_ALL}/{name}": name for name in there}}
    return {
        f"{name}@{profile}" if profile else name: _Model(collection=collection, profile=profile)
        for profile in ("", *profile_names())
        for name, collection in names.items()
    }


def _model(name: str, served: Served, allowed: Allowed) -> _Model:
    there_are = _models(served, allowed)
    if name not in there_are:
        shown = ", ".join(one for one in there_are if "@" not in one)
        raise not_found(
            f"there is no model '{name[:80]}'; there are: {shown}, each also as NAME@PROFILE with a "
            f"profile of {', '.join(profile_names())}"
        )
    return there_are[name]


def _model_form(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "pincite"}


# --- Answering ----------------------------------------------------------------------------------


def _replied(
    body: ChatBody | ResponsesBody,
    request: Request,
    served: Served,
    allowed: Allowed,
    *,
    metadata: Mapping[str, str] = _BLANK_REPLY,
) -> Reply:
    chosen = _model(body.model, served, allowed)
    question, earlier = asked_in(body.messages)
    read_as, notices = _read(question, earlier[-_TURNS_READ:], served, allowed)
    answer = served.ask(
        read_as, collection=chosen.collection, profile=chosen.profile, allowed=allowed
    )
    record_answer(request, question, answer)
    base = base_url(request)
    links = [{**link, "href": f"{base}{link['href']}"} for link in answer["links"]]
    is_other = read_as != question
    reading = {"read_as": read_as} if is_other else {}
    evidence = sealed({**answer, "links": links, **reading})
    shown = {**answer, "reasons": [*notices, *answer["reasons"]]}
    linked = linked_text(
        shown, lambda number: str(links[number - 1]["href"]), read_as=read_as if is_other else ""
    )
    kept, is_cut = within(linked, body.limits)
    return Reply(
        model=body.model,
        linked=kept,
        evidence=evidence,
        asked="\n".join(message.text for message in body.messages),
        metadata=metadata,
        is_cut=is_cut,
    )


def _read(
    question: str, earlier: Sequence[Earlier], served: Served, allowed: Allowed
) -> tuple[str, list[str]]:
    """The question resolved against the earlier ones, and notices about how it was read."""
    if not earlier:
        return question, []
    read, problem = reader_of(served.library)
    exchanges: list[Exchange] = []
    for one in earlier:
        exchanges.append(
            Exchange(
                question=follow_up(one.question, exchanges).text,
                quotes=tuple(_quotes(one, served, allowed)),
            )
        )
    reading = read(question, exchanges)
    return reading.text, [*([problem] if problem else []), *reading.notices]


def _quotes(one: Earlier, served: Served, allowed: Allowed) -> Iterator[str]:
    """The linked quotes; links to anything this client may not see are skipped."""
    for link in one.links[:_QUOTES_READ]:
        with suppress(PinciteError, Refused):
            found = served.text(link.document, start=link.start, end=link.end, allowed=allowed)
            if link.is_quote(found["text"]):
                yield " ".join(found["text"].split())


def _settings(request: Request) -> ServerSettings:
    settings: ServerSettings = request.app.state.settings
    return settings


# --- On the wire --------------------------------------------------------------------------------


def _stream(lines: Iterable[str]) -> StreamingResponse:
    return StreamingResponse(
        lines, media_type="text/event-stream", headers={"Cache-Control": "no-cache"}
    )


def _lines(forms: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for form in forms:
        yield f"data: {_json(form)}\n\n"
    yield "data: [DONE]\n\n"


def _named_lines(forms: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for form in forms:
        yield f"event: {form['type']}\ndata: {_json(form)}\n\n"


_json = partial(json.dumps, ensure_ascii=False, separators=(",", ":"))
