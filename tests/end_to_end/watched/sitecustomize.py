"""Loaded by Python at its start when this folder is on PYTHONPATH: refuses and notes all network use.

An audit hook also sees what libraries do behind our back, and child processes that are forked.
"""

import os
import sys
from typing import Any

_WATCHED = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto")
_HERE = ("localhost", "127.0.0.1", "::1", None)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event not in _WATCHED:
        return
    target = arguments[1] if event in ("socket.connect", "socket.sendto") else arguments[0]
    host = target[0] if isinstance(target, tuple) else target
    if host in _HERE or (event == "socket.connect" and not isinstance(target, tuple)):
        return
    if log := os.environ.get("NETWORK_LOG"):
        with open(log, "a", encoding="utf-8") as file:
            file.write(f"{event} {target}\n")
    raise OSError(f"no network here: {event} {target}")


sys.addaudithook(_refuse)
