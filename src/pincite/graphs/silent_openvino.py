"""Imports OpenVINO without its telemetry.

`import openvino` sends a usage event to an outside server, by way of the package
`openvino_telemetry`, unless the user has opted out. Nothing may leave this machine. OpenVINO has a
stub of its own for when that package is not installed; a None in `sys.modules` makes it use that.
"""

from __future__ import annotations

import sys
from typing import Any

_TELEMETRY = "openvino_telemetry"


def import_openvino() -> Any:
    """The module `openvino`. Raises ImportError where it is not installed."""
    sys.modules[_TELEMETRY] = None  # type: ignore[assignment]  # the documented way to block a module
    import openvino

    return openvino
