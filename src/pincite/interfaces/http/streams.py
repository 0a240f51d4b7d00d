"""Answers as server-sent events: from the retrieval over quotes and statements to the whole answer."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import signal
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from http import HTTPStatus
from types import FrameType
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from fastapi import Request
from fastapi.sse import KEEPALIVE_COMMENT, EventSourceResponse, format_sse_event

from pincite.interfaces.http.problems import Refused, problem_of
from pincite.interfaces.http.telling import Names
from pincite.records.flow import Mode
from pincite.verify.receipts.permalinks import links_of
from pincite.verify.receipts.receipt import citation_form

if TYPE_CHECKING:
    from pincite.records.flow import Hit, Preview

Send = Callable[[str, Mapping[str, Any]], None]
"""Sends an event, given its name and data."""

_SILENT_SECONDS = 10.0
"""After this, a comment is sent so that no proxy closes the connection as idle."""
_LOOK_SECONDS = 0.5


class Ending:
    """Whether the server is shutting down: streams then end with an error that says so."""

    def __init__(self) -> None:
        self.has_begun = False

    def listen(self) -> None:
        """Watch for the signals that end a server, and call their earlier handlers."""
        for number in (signal.SIGTERM, signal.SIGINT):
            before = signal.getsignal(number)
            # Only the main thread may set handlers; tests run an app in another thread.
            with contextlib.suppress(ValueError):
                signal.signal(number, self._noticed(before))

    def _noticed(self, before: Any) -> Callable[[int, FrameType | None], None]:
        def handle(number: int, frame: FrameType | None) -> None:
            self.has_begun = True
            if callable(before):
                before(number, frame)

        return handle


class Progress:
    """Turns the progress of a question into events, one for each statement."""

    def __init__(self, send: Send, names: Names) -> None:
        self._send = send
        self._names = names
        self._is_retrieved = False
        self._began = time.perf_counter()
        self._shown: list[Mapping[str, Any]] = []
        self._cited: list[Mapping[str, Any]] = []

    def found(self, hits: Sequence[Hit]) -> None:
        """Send how much was found."""
        documents = {hit.passage.span.document_id for hit in hits}
        self._retrieved(len(hits), len(documents))

    def watch(self, preview: Preview) -> None:
        """Send the quotes before a language model writes, then its statements checked so far."""
        cited = [self._names.hidden(citation_form(one)) for one in preview.citations]
        claims = [{"text": c.text, "citations": list(c.citations)} for c in preview.claims]
        if preview.mode is Mode.EXTRACTIVE:
            if not cited:
                return
            links = links_of(cited)
            self._send("quotes", {"claims": claims, "citations": cited, "links": links})
            return
        self._evidence(cited)
        self._deltas(claims)

    def done(self, form: Mapping[str, Any]) -> None:
        """Send the answer, with a new event for everything that differs from an earlier one."""
        cited = form["citations"]
        self._retrieved(len(cited), len({one["document"] for one in cited}))
        self._evidence(cited)
        self._deltas(form["claims"])
        verdict = {name: form[name] for name in ("status", "confidence", "reasons")}
        self._send("verdict", {**verdict, "claims": len(form["claims"])})
        self._send("done", form)

    def _retrieved(self, passages: int, documents: int) -> None:
        if not self._is_retrieved:
            ms = round((time.perf_counter() - self._began) * 1000, 3)
            self._send("retrieval", {"passages": passages, "documents": documents, "ms": ms})
        self._is_retrieved = True

    def _evidence(self, cited: Sequence[Mapping[str, Any]]) -> None:
        if cited and [*cited] != self._cited:
            self._cited = [*cited]
            links = links_of(cited)
            self._send("evidence", {"citations": self._cited, "links": links})

    def _deltas(self, claims: Sequence[Mapping[str, Any]]) -> None:
        """Send each statement that is new or has changed."""
        for number, claim in enumerate(claims):
            delta = {"text": claim["text"], "citations": claim["citations"], "claim": number}
            if self._shown[number : number + 1] != [delta]:
                self._shown[number : number + 1] = [delta]
                self._send("delta", delta)


async def stream(
    request: Request, work: Callable[[Send], None], ending: Ending
) -> EventSourceResponse:
    """Run `work` in a thread and stream the events it sends.

    An error before the first event is raised, so that the reply gets a proper status.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()

    def put(name: str, data: Any) -> None:
        # The loop is closed if the server has ended meanwhile.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(queue.put_nowait, (name, data))

    def run() -> None:
        try:
            work(put)
        except Exception as error:  # noqa: BLE001  (it is sent to the client and logged)
            put("", error)
        put("", None)

    task = asyncio.ensure_future(anyio.to_thread.run_sync(run, abandon_on_cancel=True))
    first = await queue.get()
    if isinstance(first[1], Exception):
        raise first[1]
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    return EventSourceResponse(_events(request, first, queue, task, ending), headers=headers)


async def _events(
    request: Request,
    first: tuple[str, Any],
    queue: asyncio.Queue[tuple[str, Any]],
    task: asyncio.Future[None],
    ending: Ending,
) -> AsyncIterator[bytes]:
    name, data = first
    silent = 0.0
    try:
        while data is not None:
            if isinstance(data, Exception):
                if not isinstance(data, Refused):
                    logging.getLogger("pincite.server").error("while streaming", exc_info=data)
                yield event("error", problem_of(request, data))
                return
            if name:
                yield event(name, data)
            try:
                name, data = await asyncio.wait_for(queue.get(), _LOOK_SECONDS)
                silent = 0.0
            except TimeoutError:
                name, data, silent = "", {}, silent + _LOOK_SECONDS
                if ending.has_begun:
                    data = Refused(
                        HTTPStatus.SERVICE_UNAVAILABLE,
                        "the server is shutting down; ask again in a moment",
                    )
                elif silent >= _SILENT_SECONDS:
                    silent = 0.0
                    yield KEEPALIVE_COMMENT
    finally:
        task.cancel()


def event(name: str, data: Mapping[str, Any]) -> bytes:
    """One event; its data is formatted like every reply."""
    return format_sse_event(event=name, data_str=rendered(data).decode())


def rendered(form: Mapping[str, Any]) -> bytes:
    """JSON for replies, streamed or not."""
    return json.dumps(form, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
