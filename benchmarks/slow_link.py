"""A link to a server that can be slow, fall silent or be cut: a relay of TCP connections."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_CHUNK_BYTES = 65_536


class SlowLink:
    """Passes on what comes to a port, to a server's socket."""

    def __init__(self, target: str | tuple[str, int], *, host: str = "127.0.0.1") -> None:
        """`target`: the path of a Unix socket, or host and port."""
        self._target = target
        self.delay_seconds = 0.0
        """Of every piece, in each direction."""
        self._flows = threading.Event()
        self._flows.set()
        self._is_up = True
        self._pairs: list[socket.socket] = []
        self._listening = socket.create_server((host, 0))
        self.port = int(self._listening.getsockname()[1])
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @classmethod
    @contextmanager
    def to(cls, target: str | tuple[str, int], *, host: str = "127.0.0.1") -> Iterator[SlowLink]:
        """A link while the block runs."""
        link = cls(target, host=host)
        try:
            yield link
        finally:
            link._end()

    def fall_silent(self) -> None:
        """Hold every connection up and pass nothing on, as a proxy does whose own way is cut."""
        self._flows.clear()

    def cut(self) -> None:
        """End every connection, and each new one at once."""
        self._is_up = False
        self._flows.set()
        pairs, self._pairs = self._pairs, []
        for end in pairs:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def heal(self) -> None:
        """Be a link again."""
        self._is_up = True
        self._flows.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                if self._is_up:
                    self._join(near)
                else:
                    near.close()

    def _end(self) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)  # Wakes the thread that accepts.
        self._threads[0].join()
        self.cut()
        for thread in self._threads:
            thread.join()
        self._listening.close()

    def _join(self, near: socket.socket) -> None:
        kind = socket.AF_UNIX if isinstance(self._target, str) else socket.AF_INET
        far = socket.socket(kind, socket.SOCK_STREAM)
        try:
            far.connect(self._target)
        except OSError:
            near.close()
            far.close()
            return
        self._pairs += [near, far]
        self._threads.append(threading.Thread(target=self._serve, args=(near, far), daemon=True))
        self._threads[-1].start()

    def _serve(self, near: socket.socket, far: socket.socket) -> None:
        back = threading.Thread(target=self._pass_on, args=(far, near), daemon=True)
        back.start()
        self._pass_on(near, far)
        back.join()
        for end in (near, far):
            end.close()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while piece := one.recv(_CHUNK_BYTES):
                self._flows.wait()
                time.sleep(self.delay_seconds)
                other.sendall(piece)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
