"""The process of the trial: runs all stages once without a network.

Run as `python -m pincite.interfaces.offline.trial`.
The network is isolated before anything else is imported, so that imports are covered too.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any

_NEW_USER_AND_NETWORK = 0x1000_0000 | 0x4000_0000
_CALLS = {"socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo"} | {
    "socket.gethostbyname",
    "socket.gethostbyaddr",
}
_HERE = ("127.", "::1", "localhost")


class Watch:
    """Records every address that Python code connects to; without isolation, it also refuses them."""

    def __init__(self, *, refuses: bool) -> None:
        self._refuses = refuses
        self.elsewhere: list[str] = []
        self.here: list[str] = []
        sys.addaudithook(self._noted)

    def _noted(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event not in _CALLS:
            return
        address = arguments[0] if event.startswith("socket.get") else arguments[-1]
        if address is None or not isinstance(address, (tuple, str)):
            return  # a Unix socket (its name as bytes), or a socket already connected
        host = str(address[0]) if isinstance(address, tuple) else address
        if host.startswith(("/", "\0")):
            return
        call = f"{event} {address}"
        if host.startswith(_HERE):
            self.here.append(call)
            return
        self.elsewhere.append(call)
        if self._refuses:
            raise PermissionError(f"connections are not allowed in this trial: {call}")


def fence() -> str:
    """Move to a new, empty network namespace; returns why that failed, empty on success."""
    if not sys.platform.startswith("linux"):
        return f"no network namespaces on {sys.platform}"
    user, group = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_USER_AND_NETWORK):
        return f"no network namespace: {os.strerror(ctypes.get_errno())}"
    # Map the user to itself, so that files keep their owner.
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
    return ""


def unroutable() -> int:
    """How many IPv4 packets processes in this namespace tried to send to other hosts."""
    lines = [
        line.split()
        for line in Path("/proc/net/snmp").read_text(encoding="ascii").splitlines()
        if line.startswith("Ip:")
    ]
    names, values = lines
    return int(dict(zip(names, values, strict=True))["OutNoRoutes"])


def main(folder: str, library: str, profile: str) -> None:
    """Run the trial in an empty folder and print its result as JSON."""
    not_fenced = fence()
    watch = Watch(refuses=bool(not_fenced))
    from pincite.interfaces.offline.stages import run

    found = run(Path(folder), Path(library) if library else None, profile)
    form = {
        **found,
        "not_fenced": not_fenced,
        "elsewhere": sorted(set(watch.elsewhere)),
        "on_this_machine": sorted(set(watch.here)),
        "unroutable_packets": None if not_fenced else unroutable(),
    }
    sys.stdout.write(json.dumps(form) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
