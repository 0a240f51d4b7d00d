from __future__ import annotations

from end_to_end.conftest import sample

__all__ = ["sample"]
