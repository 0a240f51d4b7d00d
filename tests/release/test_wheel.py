"""A release is the same when built twice, holds what it needs and nothing else, and runs alone."""

from __future__ import annotations

import email
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import pincite

ROOT = Path(__file__).parents[2]
DATE = "1764000000"
KINDS = {
    ".py", ".toml", ".json", ".jsonl", ".js", ".css", ".html", ".svg", ".sh", ".ps1", ".typed",
    ".md", ".txt", ".pdf", ".docx", ".onnx", ".npz",
}  # fmt: skip
"""Endings of files in the package; a new one is a decision."""
LEFT_OUT = re.compile(
    r"pincite/interfaces/samples/(build_samples|\w+_layout|sample_text)\.py|pincite/interfaces/samples/content/"
)
LARGEST_BYTES = 28_000_000


def built(tree: Path, target: Path) -> tuple[Path, Path]:
    """The wheel and the sdist of a copy of this tree; the wheel is made of the sdist."""
    for name in ("src", "docs", "tests"):
        shutil.copytree(
            ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
        )
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, tree)
    environment = {**os.environ, "SOURCE_DATE_EPOCH": DATE}
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(target), str(tree)],
        env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,), (sdist,) = target.glob("*.whl"), target.glob("*.tar.gz")
    return wheel, sdist


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    pytest.importorskip("hatchling", reason="the build backend comes with the extra 'test'")
    return built(tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="module")
def names(release: tuple[Path, Path]) -> set[str]:
    with zipfile.ZipFile(release[0]) as wheel:
        return set(wheel.namelist())


def test_built_twice_it_is_the_same(release: tuple[Path, Path], tmp_path: Path) -> None:
    again = built(tmp_path / "somewhere else", tmp_path / "again")
    assert [one.name for one in again] == [one.name for one in release]
    assert [one.read_bytes() for one in again] == [one.read_bytes() for one in release]


def test_the_wheel_holds_the_package_and_nothing_else(names: set[str]) -> None:
    tree = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "pincite").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    wanted = {name for name in tree if not LEFT_OUT.match(name)}
    metadata = {name for name in names if name.startswith("pincite-")}
    assert names - metadata == wanted
    assert {name.partition("/")[2] for name in metadata} == {
        "METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE", "licenses/NOTICE",
    }  # fmt: skip
    assert {Path(name).suffix for name in wanted} <= KINDS
    assert "pincite/py.typed" in names


def test_the_wheel_is_small(release: tuple[Path, Path]) -> None:
    assert release[0].stat().st_size < LARGEST_BYTES


def test_the_version_is_written_in_one_place(release: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(release[0]) as wheel:
        (name,) = [one for one in wheel.namelist() if one.endswith("/METADATA")]
        told = email.message_from_bytes(wheel.read(name))
    assert told["Version"] == pincite.__version__
    assert f"\n## [{pincite.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "\n## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert pincite.__version__ not in project


def test_the_sdist_holds_what_its_tests_need(release: tuple[Path, Path]) -> None:
    with tarfile.open(release[1]) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    for name in (
        "pyproject.toml",
        "tests/conftest.py",
        "docs/README.md",
        "src/pincite/__init__.py",
    ):
        assert name in inside
    assert not [name for name in inside if "__pycache__" in name or name.endswith(".sqlite3")]


def test_the_demo_runs_from_the_wheel_alone(release: tuple[Path, Path], tmp_path: Path) -> None:
    site = tmp_path / "site"
    with zipfile.ZipFile(release[0]) as wheel:
        wheel.extractall(site)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    where = [sys.executable, "-c", "import pincite; print(pincite.__file__)"]
    run = {"env": {**environment, "PYTHONPATH": str(site)}, "cwd": tmp_path, "text": True}
    found = subprocess.run(where, capture_output=True, check=True, **run)  # type: ignore[call-overload]
    assert found.stdout.startswith(str(site))
    shown = subprocess.run(
        [sys.executable, "-m", "pincite", "demo"], capture_output=True, timeout=300, **run
    )  # type: ignore[call-overload]
    assert shown.returncode == 0, shown.stderr
    assert "soil pH of 6.0 to 6.8" in shown.stdout
    assert "No answer in these documents." in shown.stdout
