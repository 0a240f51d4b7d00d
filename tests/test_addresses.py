from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import UsageError
from pincite.records.addresses import DatabaseAddress, database_address


def test_an_address_is_told_apart_from_a_folder() -> None:
    assert database_address("my-library") is None
    assert database_address("/srv/postgresql") is None
    assert database_address("postgres://host/name") == DatabaseAddress("postgres://host/name")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://anna:s3cret@host:5432/docs",
        "postgresql://anna@host:5432/docs?password=s3cret",
        "postgresql://anna:s3cret@host:5432/docs?sslpassword=s3cret&sslmode=require",
    ],
)
def test_no_password_is_shown(url: str) -> None:
    address = DatabaseAddress(url)
    for told in (str(address), repr(address), f"{address}"):
        assert "s3cret" not in told
    assert str(address).startswith("postgresql://anna@host:5432/docs")
    assert address.has_password()
    assert not DatabaseAddress(str(address)).has_password()
    assert address.without_secrets(f"cannot read {url}: s3cret") == "cannot read ***: ***"


def test_a_password_of_the_environment_is_not_shown_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "hush")
    assert DatabaseAddress("postgresql://h/d").without_secrets("with hush") == "with ***"


def test_a_path_would_lose_a_slash_of_it() -> None:
    with pytest.raises(UsageError, match="not as a Path"):
        database_address(Path("postgresql://anna:s3cret@host/docs"))


@pytest.mark.parametrize(
    "written",
    ["postgresql://", "postgresql://host", "postgresql://a:s3cret@h:port/d", "mysql://x/y"],
)
def test_what_is_no_address_is_refused_without_repeating_it(written: str) -> None:
    with pytest.raises(UsageError, match="postgresql://USER@HOST") as refused:
        database_address(written)
    assert "s3cret" not in str(refused.value)
