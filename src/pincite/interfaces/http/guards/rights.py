"""Checks what a key may do. Closed by default: a path that no rule lists needs the scope `admin`.

The collections that a key may see are set on `request.state.allowed` (None: all) and apply before any
search.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie

from starlette._utils import get_route_path
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pincite.errors import SettingsError
from pincite.interfaces.http.guards.keys import ApiKey, Keys
from pincite.interfaces.http.guards.rates import Buckets, address_of
from pincite.interfaces.http.guards.sizes import refuse

PUBLIC = ""
KEY_COOKIE = "pincite_key"

_SAFE = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The scope that a path needs. A path that ends with / includes all paths below it.

    `works`: the request costs as much time and memory as an answer, so few run at once.
    """

    path: str
    scope: str
    methods: frozenset[str] | None = None
    works: bool = False

    def fits(self, method: str, path: str) -> bool:
        """Whether the rule applies to a request."""
        is_below = self.path.endswith("/") and len(self.path) > 1 and path.startswith(self.path)
        return (path == self.path or is_below) and (self.methods is None or method in self.methods)


def _open(path: str) -> Rule:
    return Rule(path=path, scope=PUBLIC, methods=_SAFE)


def _asks(path: str) -> Rule:
    return Rule(path=path, scope="ask", works=True)


def _reads(path: str) -> Rule:
    return Rule(path=path, scope="ask")


VIEWS = (
    *("/", "/library", "/check", "/compare", "/compare/{document}", "/dates", "/dates/{document}"),
    *("/brief/{document}", "/reports", "/table", "/c/{identity}", "/conversations/{number}"),
)
"""The addresses of the page."""

RULES: tuple[Rule, ...] = (
    # The page itself contains no user data; it loads data with the user's key.
    *(_open(view.partition("{")[0]) for view in VIEWS),
    *map(_open, ("/page/", "/health", "/favicon.ico")),
    *map(
        _asks,
        ("/v1/query", "/v1/search", "/v1/count", "/v1/check", "/v1/timeline", "/v1/brief"),
    ),
    *map(_asks, ("/v1/compare", "/v1/verify", "/v1/reports", "/v1/reports/", "/v1/exports")),
    _asks("/v1/tables"),
    *map(_asks, ("/v1/chat/completions", "/v1/responses", "/api/search", "/answer")),
    Rule(path="/v1/documents/", scope="delete", methods=frozenset({"DELETE"})),
    *map(
        _reads, ("/v1/documents", "/v1/documents/", "/v1/citations/", "/v1/problems", "/v1/session")
    ),
    *map(
        _reads,
        ("/v1/conversations", "/v1/conversations/", "/v1/feedback", "/v1/stats", "/api/stats"),
    ),
    *map(_reads, ("/v1/models", "/v1/models/", "/openapi.json", "/docs", "/docs/")),
    # A tool call is a question; a stream that only waits is not.
    Rule(path="/mcp", scope="ask", methods=frozenset({"POST"}), works=True),
    _reads("/mcp"),
    Rule(path="/v1/config", scope="ask", methods=_SAFE),
    Rule(path="/v1/ingest", scope="ingest", works=True),
    *(Rule(path=path, scope="ingest") for path in ("/v1/jobs", "/v1/jobs/")),
    *(Rule(path=path, scope="metrics", methods=_SAFE) for path in ("/metrics", "/v1/metrics")),
)
"""The first match applies."""

_OTHERWISE = Rule(path="", scope="admin")


def rule_of(scope: Scope) -> Rule:
    """The rule for a request."""
    path, method = get_route_path(scope), scope["method"]
    return next((rule for rule in RULES if rule.fits(method, path)), _OTHERWISE)


class KeyCheck:
    """Lets requests with a suitable key pass; sets the key's rights on the request's state."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        keys: Keys,
        buckets: Buckets,
        failures_per_minute: int,
        needs_key: bool,
        record: Callable[..., None],
    ) -> None:
        """`needs_key`: require a key even if none exists yet. `record` writes to the audit log."""
        self._app = app
        self._keys = keys
        self._buckets = buckets
        self._failures = failures_per_minute
        self._needs_key = needs_key
        self._record = record

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        rule, written = rule_of(scope), written_key(scope)
        state = scope.setdefault("state", {})
        state.update(allowed=frozenset(), scopes=frozenset(), key_id="")
        try:
            is_open = not self._needs_key and not self._keys
            key = None if is_open or not written else await self._key(scope, written)
        except _TooManyWrong as refused:
            detail = f"too many wrong keys from this address; try again in {refused.seconds:.0f} s"
            await refuse(scope, receive, send, 429, detail, retry_seconds=refused.seconds)
            return
        except SettingsError as error:
            self._record("keys cannot be read", problem=str(error))
            await refuse(scope, receive, send, 503, "the server cannot read its keys; see its log")
            return
        if is_open:
            state.update(allowed=None, scopes=frozenset({"admin"}))
        elif key is not None:
            state.update(allowed=key.collections, scopes=key.scopes, key_id=key.id)
        elif rule.scope != PUBLIC:
            detail = (
                "unknown key; expected one made with 'pincite access add'"
                if written
                else "a key is required: Authorization: Bearer pk_..."
            )
            await refuse(scope, receive, send, 401, detail, headers={"WWW-Authenticate": "Bearer"})
            return
        if key is not None and rule.scope != PUBLIC and not key.may(rule.scope):
            detail = f"this key may not do that; it needs the scope '{rule.scope}'"
            await run_in_threadpool(
                self._record,
                f"scope refused: {scope['method']} {get_route_path(scope)[:200]}",
                needs=rule.scope,
                key=key.id,
                address=address_of(scope),
            )
            await refuse(scope, receive, send, 403, detail)
            return
        await self._app(scope, receive, send)

    async def _key(self, scope: Scope, written: str) -> ApiKey | None:
        """The key, None if unknown. Raises _TooManyWrong, before checking, for too many wrong keys."""
        name = f"wrong keys of {address_of(scope)}"
        rate = {"per_minute": float(self._failures), "burst": float(self._failures)}
        seconds = self._buckets.wait(name, **rate)
        if seconds:
            raise _TooManyWrong(seconds)
        key = self._keys.of(written)
        if key is None:
            self._buckets.take(name, **rate)
            self._record("key refused", address=address_of(scope), path=scope["path"][:200])
        return key


class Recorded:
    """Records in the audit log who changed, deleted or was refused what, and with which status."""

    def __init__(self, app: ASGIApp, *, record: Callable[..., None]) -> None:
        self._app = app
        self._record = record

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        changes = rule_of(scope).scope in ("ingest", "delete", "admin")
        changes = scope["method"] == "DELETE" or (changes and scope["method"] not in _SAFE)
        status = 500

        async def with_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, with_status)
        finally:
            if changes or status == HTTPStatus.FORBIDDEN:
                await run_in_threadpool(
                    self._record,
                    f"{scope['method']} {get_route_path(scope)[:200]}",
                    status=status,
                    key=scope["state"].get("key_id", ""),
                    address=address_of(scope),
                    request_id=scope["state"].get("request_id", ""),
                )


class _TooManyWrong(Exception):
    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def written_key(scope: Scope) -> str:
    """The key from the request: a bearer token, X-API-Key, or the page's cookie."""
    headers = Headers(scope=scope)
    kind, _, token = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and token.strip():
        return token.strip()
    return headers.get("x-api-key", "") or _in_cookie(headers.get("cookie", ""))


def _in_cookie(written: str) -> str:
    try:
        found = SimpleCookie(written).get(KEY_COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""
