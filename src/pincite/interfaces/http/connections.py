"""Closes connections whose client does not send a complete request head in time."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_LARGEST_HEAD = 64 * 1024
"""Bytes of a request line and its headers; browsers and proxies send a tenth of this."""


class ImpatientProtocol(HttpToolsProtocol):
    """uvicorn's protocol with limits on the time and size of a request's head.

    uvicorn has none: a client that sends a byte now and then could keep its connection forever.
    Bodies have their own limits (`guards/sizes.py`).
    """

    seconds = 20.0
    """`server.client_seconds`; set on the class, since uvicorn creates the connections itself."""

    _head_bytes = 0
    _is_head_read = False
    _at_the_end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first head."""
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Process data, unless the head becomes too large."""
        if not self._is_head_read:
            self._wait_for_head()
            self._head_bytes += len(data)
        super().data_received(data)
        if not self._is_head_read and self._head_bytes > _LARGEST_HEAD:
            self._give_up()

    def on_headers_complete(self) -> None:
        """The head is complete; the body has its own limits."""
        self._stop_waiting()
        self._is_head_read = True
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Expect the next head."""
        self._is_head_read = False
        super().on_message_complete()

    def _wait_for_head(self) -> None:
        if self._at_the_end is None:
            self._at_the_end = self.loop.call_later(self.seconds, self._give_up)

    def _stop_waiting(self) -> None:
        self._head_bytes = 0
        if self._at_the_end is not None:
            self._at_the_end.cancel()
            self._at_the_end = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
