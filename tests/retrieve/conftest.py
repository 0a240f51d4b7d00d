from __future__ import annotations

from pathlib import Path

import pytest

from pincite.store.catalog.catalog import Catalog
from pincite.store.index.indexes import Indexes, IndexFolder
from pincite.testing.fakes import FakeEncoder


@pytest.fixture
def indexes(catalog: Catalog, tmp_path: Path) -> Indexes:
    """Those of what the test's own `catalog` holds."""
    encoder = FakeEncoder()
    (tmp_path / "index").mkdir()
    folder = IndexFolder(tmp_path / "index", model=encoder.name, dimensions=encoder.dimensions)
    return folder.rebuild(catalog)
