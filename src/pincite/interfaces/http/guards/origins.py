"""Checks the Host header against DNS rebinding and the Origin header against forged requests.

A page whose own domain points to 127.0.0.1 calls the server by that domain. Any page can send a form
here with the user's cookie, but the browser states the page's origin.
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
    """Refuses unknown host names (421) and changes requested by foreign pages (403)."""

    def __init__(
        self, app: ASGIApp, *, host: str, hosts: Sequence[str], origins: Sequence[str]
    ) -> None:
        """`host` is the address the server listens on; `hosts` and `origins` are also allowed."""
        self._app = app
        self._hosts = {*_LOCAL, host.lower(), *(name.lower() for name in hosts)}
        self._origins = {origin.lower().rstrip("/") for origin in origins}
        self._by_address = host in ("0.0.0.0", "::")  # noqa: S104  (a comparison)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.getlist("host")
        if len(given) != 1 or not self._is_ours(host_name(given[0])):
            detail = "the Host header is not a name of this server; add it to server.allowed_hosts"
            await refuse(scope, receive, send, 421, detail)
        elif scope["method"] not in _SAFE and self._is_foreign(headers, scope["scheme"], given[0]):
            detail = (
                "pages from other origins may not make changes; add the page's origin to "
                "server.allowed_origins"
            )
            await refuse(scope, receive, send, 403, detail)
        else:
            await self._app(scope, receive, send)

    def _is_ours(self, name: str) -> bool:
        # A server on all addresses may be called by any address; a rebound name is not an address.
        return name in self._hosts or (self._by_address and _is_address(name))

    def _is_foreign(self, headers: Headers, scheme: str, host: str) -> bool:
        origin = headers.get("origin")
        if origin is None:
            # Without Origin, Sec-Fetch-Site still shows whether a foreign page sent the request.
            return headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
        origin = origin.lower().rstrip("/")
        return origin != f"{scheme}://{host.lower()}" and origin not in self._origins


def host_name(written: str) -> str:
    """The name in a Host header, without its port; empty if the header is invalid."""
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
    """Whether an address to listen on is reachable only from this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


# Headers that restrict what a browser does with replies.

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
    """Sets the security headers on every reply; routes cannot remove them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_ALWAYS)
                for name, value in _defaults(scope):
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, with_headers)


def _defaults(scope: Scope) -> Iterator[tuple[str, str]]:
    # Replies are private, and valid only as long as the files are unchanged.
    yield "Cache-Control", "no-store"
    if scope["scheme"] == "https":
        yield "Strict-Transport-Security", "max-age=31536000"
