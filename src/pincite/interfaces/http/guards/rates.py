"""Rate limits for each client: token buckets shared by all processes of a server.

A bucket is one number: the time at which it will be full again (the generic cell rate algorithm,
ITU-T I.371, a token bucket without a counter). All are in one memory-mapped file.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import secrets
import struct
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

from pincite.errors import SettingsError
from pincite.interfaces.http.guards.sizes import refuse

try:
    import fcntl
except ImportError:  # Windows: each process counts on its own.
    fcntl = None  # type: ignore[assignment]

RATES_FILE = "rates.bin"
BURST_SECONDS = 6.0
"""A burst may be as large as the allowance for this time."""

_SLOTS = 1 << 16
_NUMBER = struct.Struct("<d")
_SALT_BYTES = 16
_LONGEST_SECONDS = 120.0


class Buckets:
    """Token buckets by name.

    Two names share a bucket with probability 1/65,536; the salt prevents deliberate collisions.
    """

    def __init__(self, file: Path, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` must be common to all processes of this machine. Raises SettingsError."""
        self._clock = clock
        self._here = threading.Lock()
        size = _SALT_BYTES + _SLOTS * _NUMBER.size
        try:
            self._opened = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
            # The file is closed when the app that owns the guards is collected.
            self.close = weakref.finalize(self, os.close, self._opened)
            with self._alone():
                if os.fstat(self._opened).st_size != size:
                    os.ftruncate(self._opened, 0)
                    os.ftruncate(self._opened, size)
                    os.pwrite(self._opened, secrets.token_bytes(_SALT_BYTES), 0)
            self._map = mmap.mmap(self._opened, size)
        except OSError as error:
            raise SettingsError(
                f"{file}: cannot be written ({error.strerror}); check its permissions"
            ) from error
        self._salt = self._map[:_SALT_BYTES]

    def take(self, name: str, *, per_minute: float, burst: float = 0.0) -> float:
        """Take one token; returns 0, or the seconds until there is one.

        `burst` is the bucket's size; 0 means the allowance for six seconds, at least one token.
        """
        return self._asked(name, per_minute, burst, takes=True)

    def wait(self, name: str, *, per_minute: float, burst: float = 0.0) -> float:
        """The same without taking a token."""
        return self._asked(name, per_minute, burst, takes=False)

    def _asked(self, name: str, per_minute: float, burst: float, *, takes: bool) -> float:
        apart = 60.0 / per_minute
        depth = max(burst or per_minute * BURST_SECONDS / 60.0, 1.0) * apart
        place = self._place(name)
        with self._alone():
            now = self._clock()
            (full_at,) = _NUMBER.unpack_from(self._map, place)
            # A time far ahead was written before this machine restarted.
            full_at = max(now, full_at) if full_at <= now + max(depth, _LONGEST_SECONDS) else now
            # Tolerates rounding errors.
            late = full_at + apart - now - depth
            if late > 1e-6:
                return float(late)
            if takes:
                _NUMBER.pack_into(self._map, place, full_at + apart)
        return 0.0

    def _place(self, name: str) -> int:
        digest = hashlib.blake2b(name.encode(), digest_size=8, key=self._salt).digest()
        return _SALT_BYTES + int.from_bytes(digest, "little") % _SLOTS * _NUMBER.size

    def _alone(self) -> _Alone:
        return _Alone(self._here, self._opened)


class _Alone:
    """Excludes other threads and processes."""

    def __init__(self, lock: threading.Lock, descriptor: int) -> None:
        self._lock = lock
        self._descriptor = descriptor

    def __enter__(self) -> None:
        self._lock.acquire()
        if fcntl is not None:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def __exit__(self, *raised: object) -> None:
        if fcntl is not None:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        self._lock.release()


class RateLimit:
    """Refuses clients over the limit (429); `name_of` names the client, empty for no limit."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        buckets: Buckets,
        per_minute: int,
        name_of: Callable[[Scope], str],
    ) -> None:
        self._app = app
        self._buckets = buckets
        self._per_minute = per_minute
        self._name_of = name_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI interface."""
        name = self._name_of(scope) if self._per_minute and scope["type"] == "http" else ""
        seconds = self._buckets.take(name, per_minute=self._per_minute) if name else 0.0
        if not seconds:
            await self._app(scope, receive, send)
            return
        detail = f"more than {self._per_minute} requests a minute; try again in {seconds:.0f} s"
        await refuse(scope, receive, send, 429, detail, retry_seconds=seconds)


def address_of(scope: Scope) -> str:
    """The client's address; for IPv6 its /64 network, which belongs to one client."""
    client = scope.get("client")
    if not client:
        return ""
    address = str(client[0])
    return (
        f"address {':'.join(address.split(':')[:4])}"
        if address.count(":") > 3
        else f"address {address}"
    )


def key_of(scope: Scope) -> str:
    """The client's key, once it has been checked; otherwise empty."""
    found = scope.get("state", {}).get("key_id", "")
    return f"key {found}" if found else ""
