from __future__ import annotations

from end_to_end.conftest import new_library, sample

__all__ = ["new_library", "sample"]
