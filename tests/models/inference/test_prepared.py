"""Prepared graphs lie in the user's cache, where nobody else can put another model."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pincite.library.library import Library
from pincite.models.inference.prepared import prepared_folder

NO_WINDOWS = pytest.mark.skipif(os.name == "nt", reason="about POSIX permissions")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "pincite" / "prepared"


def test_all_libraries_share_the_users_cache(cache: Path, tmp_path: Path) -> None:
    assert prepared_folder(tmp_path / "one") == prepared_folder(tmp_path / "two") == cache
    assert cache.is_dir()


@NO_WINDOWS
def test_the_cache_is_for_the_user_alone(cache: Path, tmp_path: Path) -> None:
    prepared_folder(tmp_path)
    assert cache.stat().st_mode & 0o777 == 0o700


@NO_WINDOWS
def test_a_cache_that_others_can_write_is_not_used(cache: Path, tmp_path: Path) -> None:
    cache.mkdir(parents=True)
    cache.chmod(0o770)
    assert prepared_folder(tmp_path) == tmp_path / "encoder"


def test_a_cache_that_cannot_be_made_leaves_the_librarys_own_folder(
    cache: Path, tmp_path: Path
) -> None:
    cache.parent.parent.write_text("in the way")
    assert prepared_folder(tmp_path) == tmp_path / "encoder"


def test_a_relative_cache_is_ignored_and_the_homes_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "somewhere")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert prepared_folder(Path("library")) == tmp_path / ".cache" / "pincite" / "prepared"


def test_a_library_of_one_page_holds_no_model(tmp_path: Path) -> None:
    page = tmp_path / "page.txt"
    page.write_text("The valve opens at 6.5 bar.\n")
    folder = tmp_path / "library"
    (folder / "encoder" / "made-by-an-earlier-version").mkdir(parents=True)
    with Library.open(folder) as library:
        library.ingest([page])
        assert library.ask("At which pressure does the valve open?").citations
        assert library.stats().bytes_on_disk < 500_000
    assert not (folder / "encoder").exists()
