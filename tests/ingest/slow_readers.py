"""Child processes that read slowly, or never come to an end."""

from __future__ import annotations

import pytest

from pincite.ingest.sandbox import children

HANGS = "this file hangs"
"""A file that begins so is read for a minute by `HANGING_READER`."""

HANGING_READER = (
    "import time\n"
    "from pincite.ingest.sandbox import worker\n"
    "as_always = worker.FileReader.read_content\n"
    "def read(self, path, content):\n"
    f"    if content.startswith({HANGS.encode()!r}):\n"
    "        time.sleep(60)\n"
    "    return as_always(self, path, content)\n"
    "worker.FileReader.read_content = read\n"
)

# Takes a moment for every page; the file says how many there are.
SLOW_READER = (
    "import time, sys\n"
    "from pincite.ingest.sandbox import worker\n"
    "as_always = worker.FileReader.read_content\n"
    "def read(self, path, content):\n"
    "    if path.name != 'pages.txt': return as_always(self, path, content)\n"
    "    for _ in range(int(content)):\n"
    "        time.sleep(0.2); self._options.on_page()\n"
    "    raise worker.ReadError('all pages done')\n"
    "worker.FileReader.read_content = read\n"
)


def starting_with(code: str) -> str:
    """What child processes run, this code before they serve."""
    head, tail = children._START.split("from pincite.ingest.sandbox.worker")
    return f"{head}\n{code}\nfrom pincite.ingest.sandbox.worker{tail}"


def start_with(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let child processes run this code before they serve."""
    monkeypatch.setattr(children, "_START", starting_with(code))
