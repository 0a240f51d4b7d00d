"""The process of the trial: all stages once, where no network is.

Run as `python -m pincite.interfaces.offline.trial`.
The fence stands before anything else is imported, so that what a package does on import counts too.
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
    """Notes every address that Python code connects to; where there is no fence, it refuses them."""

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
            return  # a socket within this machine (of a file's name in bytes), or one that is connected
        host = str(address[0]) if isinstance(address, tuple) else address
        if host.startswith(("/", "\0")):
            return
        told = f"{event} {address}"
        if host.startswith(_HERE):
            self.here.append(told)
            return
        self.elsewhere.append(told)
        if self._refuses:
            raise PermissionError(f"no connections in this trial: {told}")


def fence() -> str:
    """Go to a network of its own in which there is nothing; why that cannot be, or an empty text."""
    if not sys.platform.startswith("linux"):
        return f"no network namespaces on {sys.platform}"
    user, group = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_USER_AND_NETWORK):
        return f"no network namespace: {os.strerror(ctypes.get_errno())}"
    # Files belong to whom they did before.
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
    return ""


def unroutable() -> int:
    """How often any process of this network wanted to send an IPv4 packet to somewhere else."""
    lines = [
        line.split()
        for line in Path("/proc/net/snmp").read_text(encoding="ascii").splitlines()
        if line.startswith("Ip:")
    ]
    names, values = lines
    return int(dict(zip(names, values, strict=True))["OutNoRoutes"])


def main(folder: str, library: str, profile: str) -> None:
    """Run the trial in an empty folder and print what became of it as JSON."""
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
