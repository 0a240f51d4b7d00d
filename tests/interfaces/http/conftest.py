"""One library of the sample documents, served to all tests here; a test that changes one copies it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from end_to_end import running
from fastapi.testclient import TestClient

from interfaces.http.opened import open_settings
from pincite import Library
from pincite.interfaces.http.app import create_app
from pincite.interfaces.http.served import Served


@pytest.fixture(scope="session")
def served_library(sample: running.SampleLibrary) -> Path:
    return sample.path


@pytest.fixture(scope="session")
def served(served_library: Path) -> Iterator[Served]:
    one = Served(Library.open(served_library, create=False))
    yield one
    one.close()


@pytest.fixture(scope="session")
def client(served: Served) -> Iterator[TestClient]:
    app = create_app(served, open_settings())
    with TestClient(app, raise_server_exceptions=False) as one:
        yield one
