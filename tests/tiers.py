"""How often tests repeat what depends on chance: seldom by default, often with `make test-full`."""

from __future__ import annotations

import os
from typing import TypeVar

IS_FULL = os.environ.get("PINCITE_TESTS") == "full"

_Any = TypeVar("_Any")


def often(full: _Any, usual: _Any) -> _Any:
    """The first of these when everything is tested, else the second."""
    return full if IS_FULL else usual
