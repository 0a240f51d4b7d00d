"""Three tiers: quick (`make test`), everything (`make test-full`), and with many more repetitions.

PINCITE_TESTS is `all` for everything, `full` to repeat what depends on chance more often, too.
Without it, the tests that `tests/slow_tests.txt` names are left out.
"""

from __future__ import annotations

import os
from typing import TypeVar

IS_QUICK = os.environ.get("PINCITE_TESTS") not in ("all", "full")
IS_FULL = os.environ.get("PINCITE_TESTS") == "full"

_Any = TypeVar("_Any")


def often(full: _Any, usual: _Any) -> _Any:
    """The first of these where much is repeated, else the second."""
    return full if IS_FULL else usual
