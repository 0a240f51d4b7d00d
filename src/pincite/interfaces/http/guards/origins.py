"""Which pages may use the server? Checks Host against DNS rebinding, Origin against forged requests.

A page that has its own name point to 127.0.0.1 is of another origin, but calls us by its own name; a
page of anybody may send a form here with the user's cookie, but its browser says where it comes from.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pincite.interfaces.http.guards.sizes import refuse

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


class Origins:
    """Refuses foreign names of this server (421) and changes asked for by foreign pages (403)."""

    def __init__(
        self, app: ASGIApp, *, host: str, hosts: Sequence[str], origins: Sequence[str]
    ) -> None:
        """`host` is what the server listens on, `hosts` and `origins` what is allowed besides."""
        self._app = app
        self._hosts = {*_LOCAL, host.lower(), *(name.lower() for name in hosts)}
        self._origins = {origin.lower().rstrip("/") for origin in origins}
        self._by_address = host in ("0.0.0.0", "::")  # noqa: S104  (a comparison)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.getlist("host")
        if len(given) != 1 or not self._is_ours(host_name(given[0])):
            told = "this server does not go by that name; allow it with server.allowed_hosts"
            await refuse(scope, receive, send, 421, told)
        elif scope["method"] not in _SAFE and self._is_foreign(headers, scope["scheme"], given[0]):
            told = "a foreign page may change nothing here; allow it with server.allowed_origins"
            await refuse(scope, receive, send, 403, told)
        else:
            await self._app(scope, receive, send)

    def _is_ours(self, name: str) -> bool:
        # On all addresses it is called by any of them; a name that was rebound is no address.
        return name in self._hosts or (self._by_address and _is_address(name))

    def _is_foreign(self, headers: Headers, scheme: str, host: str) -> bool:
        origin = headers.get("origin")
        if origin is None:
            # Browsers that send no Origin say at least that a page of somebody else is at work.
            return headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
        origin = origin.lower().rstrip("/")
        return origin != f"{scheme}://{host.lower()}" and origin not in self._origins


def host_name(written: str) -> str:
    """The name in a Host header, without its port; empty for what is none."""
    try:
        parts = urlsplit(f"//{written}")
        _ = parts.port
        bare = parts.netloc == written and not parts.username and "@" not in written
        return (parts.hostname or "") if bare else ""
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address to listen on."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


# What a browser may do with our replies.

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)

_ALWAYS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class SecurityHeaders:
    """Puts them on every reply; a route cannot take them off."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_ALWAYS)
                for name, value in _unless_said(scope):
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, with_headers)


def _unless_said(scope: Scope) -> Iterator[tuple[str, str]]:
    # Answers and documents are for who asked, and hold for as long as the files do.
    yield "Cache-Control", "no-store"
    if scope["scheme"] == "https":
        yield "Strict-Transport-Security", "max-age=31536000"
