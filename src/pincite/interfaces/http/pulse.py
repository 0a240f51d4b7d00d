"""Looks every second whether questions can be answered, so that a probe waits for nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

SECONDS = 1.0
_LAST_SECONDS = 5.0


class Pulse:
    """The last state that was looked up, and the thread that looks.

    A probe that looked itself would wait wherever it gives up the interpreter: for its thread, and
    for each file.
    """

    def __init__(self, look: Callable[[], dict[str, Any]]) -> None:
        self._look = look
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._go_on, name="pulse", daemon=True)
        self.state = self._looked_up()

    def begin(self) -> None:
        """Start the thread."""
        self._thread.start()

    def end(self) -> None:
        """Stop it. A look that hangs, at a dead disk, is not waited for."""
        self._ends.set()
        self._thread.join(_LAST_SECONDS)

    def _go_on(self) -> None:
        while not self._ends.wait(SECONDS):
            self.state = self._looked_up()

    def _looked_up(self) -> dict[str, Any]:
        try:
            return self._look()
        except Exception as error:  # noqa: BLE001  (a probe must not go on hearing "ok")
            problem = f"the state cannot be looked up: {type(error).__name__}"
            return {"status": "failing", "problems": [problem], "notices": []}
