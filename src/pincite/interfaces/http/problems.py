"""Errors as problem objects (RFC 9457): what was found, what was expected, what to do next."""

from __future__ import annotations

import errno
import re
import uuid
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from pincite.errors import (
    DocumentGone,
    LibraryBusy,
    LibraryDamaged,
    LibraryError,
    LibraryReadOnly,
    ModelError,
    PinciteError,
    ReceiptError,
    UsageError,
)

MEDIA_TYPE = "application/problem+json"
_RETRY_SECONDS = "5"
_SHOWN_CHARS = 200

_OF_OPENAI = re.compile(
    "/v1/(?:models|chat|responses|completions|embeddings|files|uploads|images|audio|moderations|batches|"
    "assistants|threads|vector_stores|fine_tuning|realtime)(?:/|$)"
)
"""Addresses of OpenAI's API, those that are not here among them: its clients read one format only."""
_WITH_MODEL = re.compile("/v1/(?:models/.+|chat/completions|responses)")
_CODES: Mapping[int, str] = {
    HTTPStatus.UNAUTHORIZED: "invalid_api_key",
    HTTPStatus.NOT_FOUND: "unknown_url",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_exceeded",
}

_STATUSES: tuple[tuple[type[PinciteError], HTTPStatus], ...] = (
    (UsageError, HTTPStatus.BAD_REQUEST),
    (ReceiptError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (DocumentGone, HTTPStatus.CONFLICT),
    (LibraryBusy, HTTPStatus.SERVICE_UNAVAILABLE),
    (LibraryReadOnly, HTTPStatus.SERVICE_UNAVAILABLE),
    (LibraryError, HTTPStatus.SERVICE_UNAVAILABLE),
    (ModelError, HTTPStatus.SERVICE_UNAVAILABLE),
)
"""The first match applies; other errors are bugs in Pincite."""


class Refused(Exception):
    """Ends a request with a problem object."""

    def __init__(
        self, status: HTTPStatus, detail: str, *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})


def not_found(detail: str) -> Refused:
    """The error for something that does not exist, or not for this client."""
    return Refused(HTTPStatus.NOT_FOUND, detail)


def problem(
    request: Request, status: int, detail: str, *, problems: list[dict[str, str]] | None = None
) -> dict[str, Any]:
    """The problem object."""
    kind = HTTPStatus(status)
    return {
        "type": f"urn:pincite:problem:{kind.name.lower().replace('_', '-')}",
        "title": kind.phrase,
        "status": int(status),
        "detail": detail,
        "instance": request.url.path,
        "request_id": request_id(request),
        **({"problems": problems} if problems else {}),
    }


def problem_of(request: Request, error: Exception) -> dict[str, Any]:
    """The problem object for an error; for an unexpected one it gives only the error's class."""
    if isinstance(error, Refused):
        return problem(request, error.status, error.detail)
    if isinstance(error, PinciteError):
        return problem(request, _status(error), _without_paths(request, str(error)))
    return problem(
        request,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        f"unexpected {type(error).__name__}: this is a bug in Pincite; see the server's log for this "
        "request id",
    )


def request_id(request: Request) -> str:
    """The request's id in logs; created here if no middleware did."""
    if not hasattr(request.state, "request_id"):
        request.state.request_id = uuid.uuid4().hex
    return str(request.state.request_id)


def respond(body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> JSONResponse:
    """A reply with a problem object; in OpenAI's format at an address of that API."""
    if _OF_OPENAI.match(path := str(body["instance"])):
        status = int(body["status"])
        is_no_model = status == HTTPStatus.NOT_FOUND and _WITH_MODEL.fullmatch(path)
        code = "model_not_found" if is_no_model else _CODES.get(status)
        return openai_error(status, body["detail"], code=code, headers=headers)
    return JSONResponse(
        dict(body), status_code=int(body["status"]), media_type=MEDIA_TYPE, headers=headers
    )


def openai_error(
    status: int,
    message: str,
    *,
    param: str | None = None,
    code: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """A reply with an error in OpenAI's format."""
    is_ours = status >= HTTPStatus.INTERNAL_SERVER_ERROR
    kind = "server_error" if is_ours else "invalid_request_error"
    form = {"message": message, "type": kind, "param": param, "code": code}
    return JSONResponse({"error": form}, status_code=int(status), headers=headers)


def add_problem_handlers(
    app: FastAPI, nowhere: Callable[[Request], Response | None] = lambda _: None
) -> None:
    """Turn every error of an app into a problem object.

    `nowhere` may give another reply to a client at an unknown address.
    """
    app.state.nowhere = nowhere
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(PinciteError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(OSError, _of_disk)
    app.add_exception_handler(Exception, _unexpected)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return respond(problem_of(request, error), error.headers)


async def _ours(request: Request, error: Exception) -> Response:
    body = problem_of(request, error)
    if isinstance(error, LibraryDamaged):
        request.app.state.damage = body["detail"]
    is_later = body["status"] == HTTPStatus.SERVICE_UNAVAILABLE
    return respond(body, {"Retry-After": _RETRY_SECONDS} if is_later else None)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail = str(error.detail)
    if error.status_code == HTTPStatus.NOT_FOUND and detail == HTTPStatus.NOT_FOUND.phrase:
        page: Response | None = request.app.state.nowhere(request)
        if page is not None:
            return page
        detail = "there is nothing at this address; see /openapi.json for all addresses"
    headers = dict(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(_methods_at(request))
    return respond(problem(request, error.status_code, detail), headers)


def _methods_at(request: Request) -> list[str]:
    """All methods of an address; each of its routes knows only its own."""
    path = re.sub(r"%[0-9A-Fa-f]{2}", "x", request.url.path)
    described = request.app.openapi()["paths"]
    return sorted(
        {
            method.upper()
            for address, methods in described.items()
            if re.fullmatch(re.sub(r"\{[^{}]*\}", "[^/]+", address), path)
            for method in methods
        }
    )


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    if _OF_OPENAI.match(request.url.path):
        # For a value of a union type, the most deeply nested error is the most specific.
        first = max(error.errors(), key=lambda one: len(one["loc"]))
        where = ".".join(str(part) for part in first["loc"][1:])
        message = f"{where}: {first['msg']}" if where else str(first["msg"])
        return openai_error(HTTPStatus.BAD_REQUEST, message, param=where or None)
    problems = [
        {"where": ".".join(map(str, one["loc"])), "problem": one["msg"]} for one in error.errors()
    ]
    detail = "; ".join(f"{one['where']}: {one['problem']}" for one in problems)
    body = problem(
        request, HTTPStatus.UNPROCESSABLE_ENTITY, detail[: _SHOWN_CHARS * 5], problems=problems[:20]
    )
    return respond(body)


async def _of_disk(request: Request, error: Exception) -> Response:
    """A full or read-only disk is neither a client error nor a bug, and may be temporary."""
    assert isinstance(error, OSError)
    if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES):
        raise error
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    status = HTTPStatus.INSUFFICIENT_STORAGE if is_full else HTTPStatus.SERVICE_UNAVAILABLE
    detail = f"the server could not write: {error.strerror}; nothing of this request was saved"
    return respond(problem(request, status, detail), {"Retry-After": _RETRY_SECONDS})


async def _unexpected(request: Request, error: Exception) -> Response:
    return respond(problem_of(request, error))


def _status(error: PinciteError) -> HTTPStatus:
    found = (status for kind, status in _STATUSES if isinstance(error, kind))
    return next(found, HTTPStatus.INTERNAL_SERVER_ERROR)


def _without_paths(request: Request, message: str) -> str:
    """The message with names that this client may know in place of paths."""
    served = getattr(request.app.state, "served", None)
    if served is None:
        return message
    allowed: frozenset[str] | None = getattr(request.state, "allowed", frozenset())
    return str(served.telling.to(allowed).message(message))


def describe_problems(described: dict[str, Any]) -> dict[str, Any]:
    """Add the problem object to every operation of an OpenAPI description."""
    schemas = described.setdefault("components", {}).setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Problem"] = _PROBLEM
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for operations in described["paths"].values():
        for operation in operations.values():
            operation["responses"].pop("422", None)
            # The OpenAI API has its own error format.
            own = {"application/json": {}} if "openai" in operation.get("tags", ()) else content
            operation["responses"]["default"] = {"description": "a problem", "content": own}
    return described


_PROBLEM: dict[str, Any] = {
    "type": "object",
    "description": "what went wrong (RFC 9457)",
    "required": ["type", "title", "status", "detail", "instance", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "instance": {"type": "string"},
        "request_id": {"type": "string"},
        "problems": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"where": {"type": "string"}, "problem": {"type": "string"}},
            },
        },
    },
}
