"""How much memory has this process had at most?"""

from __future__ import annotations

import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_MEGABYTE = 1_000_000


def peak_memory_mb() -> float | None:
    """Most resident memory since the process began, in MB of 10^6 bytes; None on Windows.

    Of this process alone: files are parsed in others.
    """
    # Linux hands `ru_maxrss` of a large parent on to what it starts; the own peak stands here.
    if _STATUS.exists():
        for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name == "VmHWM":
                return round(int(value.split()[0]) * 1024 / _MEGABYTE, 1)
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / _MEGABYTE, 1)
