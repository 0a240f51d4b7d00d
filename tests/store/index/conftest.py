"""A catalog to index, and a folder for the indexes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.store.catalog.catalog import Catalog


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    opened = Catalog(tmp_path / "catalog")
    yield opened
    opened.close()
