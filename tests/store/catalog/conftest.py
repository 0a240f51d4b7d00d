from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.store.catalog.places import NewPlace, Place, databases, files


@pytest.fixture(params=["sqlite", "postgresql"])
def new_place(request: pytest.FixtureRequest) -> Iterator[NewPlace]:
    """Every test of a catalog that takes this runs on both databases."""
    is_file = request.param == "sqlite"
    found = files() if is_file else databases(request.getfixturevalue("postgres_server"))
    with found as new:
        yield new


@pytest.fixture
def place(new_place: NewPlace) -> Place:
    return new_place("catalog")
