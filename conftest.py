"""Names that the examples of the README use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _readme_names(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    if isinstance(request.node, pytest.Item) and request.node.name == "README.md":
        namespace: dict[str, Any] = request.getfixturevalue("doctest_namespace")
        namespace["folder"] = tmp_path_factory.mktemp("readme")
        namespace["samples"] = Path(__file__).parent / "src/pincite/interfaces/samples/documents"
