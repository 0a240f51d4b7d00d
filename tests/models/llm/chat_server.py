"""A small server that speaks Ollama's published protocol, with any language model behind it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler
from typing import Any

from pincite.errors import ModelError
from pincite.records.flow import Message, Prompt
from pincite.stages import LanguageModel
from tests.local_server import Fault, JsonHandler, LocalServer, running


class ChatServer(LocalServer):
    """`faults` are used up first, one for each request.

    A fault is {"status": ..., "body": ..., "headers": ...}, {"seconds": ...} to answer late,
    {"lines": [...]} to send these lines and close, or {"drip": seconds} to wait before each line. With
    lines, "code" is another status, and "packed" the Content-Encoding they are said to have.
    """

    def __init__(self, model: LanguageModel) -> None:
        super().__init__(_Handler)
        self.model = model


class _Handler(JsonHandler, BaseHTTPRequestHandler):
    server: ChatServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._note({})
        listed = {
            "/api/tags": {"models": [{"name": "small:latest"}, {"name": "other:1b"}]},
            "/v1/models": {"data": [{"id": "small"}]},
        }
        self._answer(200 if self.path in listed else 404, listed.get(self.path, {}))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._note(body)
        fault = self.server.faults.pop(0) if self.server.faults else {}
        time.sleep(fault.get("seconds", 0))
        if "status" in fault:
            self._answer(fault["status"], fault.get("body", {}), fault.get("headers", {}))
        elif "lines" in fault:
            self._stream(fault["lines"], fault.get("drip", 0), fault)
        elif self.path in ("/api/chat", "/api/generate"):
            self._write(body)
        else:
            self._answer(404, {"error": "not found"})

    def _note(self, body: Any) -> None:
        self.server.requests.append(
            {"path": self.path, "body": body, "headers": dict(self.headers.items())}
        )

    def _write(self, body: dict[str, Any]) -> None:
        options = body["options"]
        writing = self.server.model.write(
            Prompt(
                messages=tuple(_messages(body)),
                max_tokens=options["num_predict"],
                temperature=options["temperature"],
                stop=tuple(options.get("stop", ())),
                schema=body.get("format"),
            )
        )
        try:
            pieces = [next(writing)]
        except ModelError as error:
            self._answer(400, {"error": str(error)})
            return
        except StopIteration:
            pieces = []
        self._stream(self._lines(body, pieces, writing), 0)

    def _lines(self, body: dict[str, Any], first: list[str], writing: Any) -> Iterator[str]:
        is_chat = self.path == "/api/chat"
        for piece in (*first, *writing):
            content = {"message": {"role": "assistant", "content": piece}}
            yield json.dumps({"model": body["model"], "done": False}
                             | (content if is_chat else {"response": piece}))  # fmt: skip
        last = {"message": {"role": "assistant", "content": ""}} if is_chat else {"response": ""}
        reason = "length" if writing.notices else "stop"
        yield json.dumps(last | {"done": True, "done_reason": reason, "eval_count": 7})

    def _stream(self, lines: Any, drip: float, fault: Fault | None = None) -> None:
        told = fault or {}
        self.send_response(told.get("code", 200))
        if told.get("packed"):
            self.send_header("Content-Encoding", told["packed"])
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for line in lines:
            time.sleep(drip)
            content = line if isinstance(line, bytes) else (line + "\n").encode()
            if content == BREAK:
                self.close_connection = True
                return
            self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")


BREAK = b"(the connection breaks)"
"""As one of the lines of a fault: nothing more comes, not even the end of the answer."""


def _messages(body: dict[str, Any]) -> Iterator[Message]:
    for message in body.get("messages", ()):
        yield Message(**message)
    if body.get("system"):
        yield Message(role="system", content=body["system"])
    if "prompt" in body:
        yield Message(role="user", content=body["prompt"])


def serving(model: LanguageModel) -> AbstractContextManager[ChatServer]:
    """A server on a free port of this machine."""
    return running(ChatServer(model))
