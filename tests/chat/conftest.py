from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite import Library

GUIDE = """\
# Watering

Cucumbers need 4 litres of water a day. Tomatoes need 2 litres of water a day.

# Storage

Store cucumbers at 12 degrees. Store tomatoes at 15 degrees.
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A library without an encoder, so that it is made in no time."""
    guide = tmp_path / "guide.md"
    guide.write_text(GUIDE)
    place = tmp_path / "library"
    place.mkdir()
    (place / "settings.toml").write_text(
        '[embedding]\nmodel = "none"\n[verification]\nabstain_below = 0.1\n'
    )
    with Library.open(place) as library:
        library.ingest([guide])
    return place


@pytest.fixture
def library(place: Path) -> Iterator[Library]:
    with Library.open(place) as library:
        yield library
