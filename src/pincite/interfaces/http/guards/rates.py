"""How often may one client ask? Token buckets that all processes of a server share.

A bucket is one number: the time at which it would be full again (the generic cell rate algorithm,
ITU-T I.371, which is a token bucket without a count). All lie in one file that is mapped into memory.
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
except ImportError:  # Windows: each process counts for itself.
    fcntl = None  # type: ignore[assignment]

RATES_FILE = "rates.bin"
BURST_SECONDS = 6.0
"""What may come at once is what this time gives."""

_SLOTS = 1 << 16
_NUMBER = struct.Struct("<d")
_SALT_BYTES = 16
_LONGEST_SECONDS = 120.0


class Buckets:
    """Token buckets by name. Two names share one by chance once in 65,536 pairs; nobody can aim."""

    def __init__(self, file: Path, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` is one that all processes of this machine share. Raises SettingsError."""
        self._clock = clock
        self._here = threading.Lock()
        size = _SALT_BYTES + _SLOTS * _NUMBER.size
        try:
            self._opened = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
            # The file is given back with the app whose guards these are.
            self.close = weakref.finalize(self, os.close, self._opened)
            with self._alone():
                if os.fstat(self._opened).st_size != size:
                    os.ftruncate(self._opened, 0)
                    os.ftruncate(self._opened, size)
                    os.pwrite(self._opened, secrets.token_bytes(_SALT_BYTES), 0)
            self._map = mmap.mmap(self._opened, size)
        except OSError as error:
            raise SettingsError(f"{file}: cannot be written ({error.strerror})") from error
        self._salt = self._map[:_SALT_BYTES]

    def take(self, name: str, *, per_minute: float, burst: float = 0.0) -> float:
        """Take one token; 0 if there was one, else the seconds until there is.

        `burst` is how many there are at most; 0 for what six seconds give, and one at least.
        """
        return self._asked(name, per_minute, burst, takes=True)

    def wait(self, name: str, *, per_minute: float, burst: float = 0.0) -> float:
        """The same, and take nothing."""
        return self._asked(name, per_minute, burst, takes=False)

    def _asked(self, name: str, per_minute: float, burst: float, *, takes: bool) -> float:
        apart = 60.0 / per_minute
        depth = max(burst or per_minute * BURST_SECONDS / 60.0, 1.0) * apart
        place = self._place(name)
        with self._alone():
            now = self._clock()
            (full_at,) = _NUMBER.unpack_from(self._map, place)
            # A time far ahead is from before this machine was started anew.
            full_at = max(now, full_at) if full_at <= now + max(depth, _LONGEST_SECONDS) else now
            # Sums of such fractions are off in the last digits.
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
    """Neither another thread nor another process is inside."""

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
    """Refuses who asks too often (429), by a name that is read off the request; empty: nobody's."""

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
        """As ASGI has it."""
        name = self._name_of(scope) if self._per_minute and scope["type"] == "http" else ""
        seconds = self._buckets.take(name, per_minute=self._per_minute) if name else 0.0
        if not seconds:
            await self._app(scope, receive, send)
            return
        told = f"more than {self._per_minute} requests a minute; try again in {seconds:.0f} s"
        await refuse(scope, receive, send, 429, told, retry_seconds=seconds)


def address_of(scope: Scope) -> str:
    """Which address asks; of IPv6 the network, which one client has as a whole."""
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
    """Which key asks; set once it was checked."""
    found = scope.get("state", {}).get("key_id", "")
    return f"key {found}" if found else ""
