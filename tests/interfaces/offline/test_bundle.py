"""A bundle is one file, the same for the same parts, and nothing in it can change unseen."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from end_to_end.running import run_cli

from pincite.errors import BundleError
from pincite.interfaces.offline.archive import verify
from pincite.interfaces.offline.making import Wanted, make

needs_sh = pytest.mark.skipif(shutil.which("sh") is None, reason="install.sh needs a POSIX shell")
METADATA = "Metadata-Version: 2.1\nName: pincite\nVersion: 9.9\nLicense-Expression: Apache-2.0\n"
FILES = {
    "pincite/__init__.py": '__version__ = "9.9"\n',
    "pincite-9.9.dist-info/METADATA": METADATA,
    "pincite-9.9.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel that needs no other, so that nothing is fetched."""
    made = tmp_path_factory.mktemp("wheel") / "pincite-9.9-py3-none-any.whl"
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
        record = "".join(f"{name},,\n" for name in FILES)
        archive.writestr("pincite-9.9.dist-info/RECORD", record)
    return made


@pytest.fixture(scope="session")
def bundle(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("bundle") / "pincite.tar"
    make(made, Wanted(wheel=wheel))
    return made


@pytest.fixture
def unpacked(bundle: Path, tmp_path: Path) -> Path:
    """As an administrator would: with tar."""
    with tarfile.open(bundle) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "pincite-bundle"


def installed(folder: Path, target: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "PYTHON": sys.executable}
    return subprocess.run(
        ["sh", str(folder / "install.sh"), str(target)],
        env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip


def test_the_same_parts_give_the_same_bytes(wheel: Path, bundle: Path, tmp_path: Path) -> None:
    manifest, digest = make(tmp_path / "again.tar", Wanted(wheel=wheel))
    assert (tmp_path / "again.tar").read_bytes() == bundle.read_bytes()
    assert verify(bundle) == (manifest, digest)


def test_the_date_is_that_of_the_sources(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    manifest, _ = make(tmp_path / "dated.tar", Wanted(wheel=wheel))
    assert manifest.made_at == 1_700_000_000
    with tarfile.open(tmp_path / "dated.tar") as archive:
        assert {member.mtime for member in archive} == {1_700_000_000}
        assert {(member.uid, member.gid, member.uname) for member in archive} == {(0, 0, "")}
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(BundleError, match="expected seconds since 1970"):
        make(tmp_path / "odd.tar", Wanted(wheel=wheel))


def test_it_lists_its_parts_with_licences_as_cyclonedx(unpacked: Path) -> None:
    listed = json.loads((unpacked / "sbom.cdx.json").read_text())
    assert (listed["bomFormat"], listed["specVersion"]) == ("CycloneDX", "1.6")
    (part,) = listed["components"]
    assert part["purl"] == "pkg:pypi/pincite@9.9"
    assert part["licenses"] == [{"license": {"name": "Apache-2.0"}}]


def test_a_model_comes_with_its_licence(wheel: Path, tmp_path: Path) -> None:
    model = tmp_path / "small.gguf"
    model.write_bytes(b"GGUF" + bytes(100))
    manifest, _ = make(tmp_path / "b.tar", Wanted(wheel=wheel, models=((model, "Apache-2.0"),)))
    (entry,) = [one for one in manifest.entries if one.kind == "model"]
    assert (entry.name, entry.licence) == ("models/small.gguf", "Apache-2.0")


def test_no_byte_can_be_changed_unseen(bundle: Path, tmp_path: Path) -> None:
    content = bytearray(bundle.read_bytes())
    chance = random.Random(22)
    changed = tmp_path / "changed.tar"
    for place in chance.sample(range(len(content)), 100):
        was = content[place]
        content[place] ^= 1 << chance.randrange(8)
        changed.write_bytes(content)
        with pytest.raises(BundleError):
            verify(changed)
        content[place] = was


@pytest.mark.parametrize("size", [0, 1, 511, 512, 20_000])
def test_a_bundle_that_was_cut_off_is_refused(size: int, bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.tar").write_bytes(bundle.read_bytes()[:size])
    with pytest.raises(BundleError):
        verify(tmp_path / "cut.tar")


def test_nothing_may_follow_its_end(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "longer.tar").write_bytes(bundle.read_bytes() + b"\0")
    with pytest.raises(BundleError, match="data after the end"):
        verify(tmp_path / "longer.tar")


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "pincite-bundle/../../outside"])
def test_an_archive_with_a_path_that_leads_outside_is_refused(name: str, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "odd.tar", "w") as archive:
        archive.addfile(tarfile.TarInfo(name), io.BytesIO())
    with pytest.raises(BundleError):
        verify(tmp_path / "odd.tar")


def test_the_command_tells_what_is_inside_and_refuses_what_was_changed(
    bundle: Path, tmp_path: Path
) -> None:
    told = json.loads(run_cli("bundle", "verify", bundle, "--json").stdout)
    assert told["sha256"] == verify(bundle)[1]
    content = bytearray(bundle.read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "changed.tar").write_bytes(content)
    refused = run_cli("bundle", "verify", tmp_path / "changed.tar")
    assert refused.returncode == 4
    assert "damaged or was modified: copy it again" in refused.stderr


@needs_sh
@pytest.mark.slow
def test_it_installs_without_a_network(unpacked: Path, tmp_path: Path) -> None:
    done = installed(unpacked, tmp_path / "env")
    assert done.returncode == 0, done.stderr
    told = subprocess.run(
        [tmp_path / "env" / "bin" / "python", "-I", "-c", "import pincite as p; print(p.__version__)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert told.stdout == "9.9\n"
    again = installed(unpacked, tmp_path / "env")
    assert again.returncode == 1
    assert "exists already; name another folder; nothing was installed" in again.stderr


@needs_sh
def test_the_installer_refuses_any_change_before_anything_runs(
    unpacked: Path, tmp_path: Path
) -> None:
    chance = random.Random(22)
    kept = {path: path.read_bytes() for path in unpacked.rglob("*") if path.is_file()}
    files = [path for path, content in kept.items() if content and path.name != "install.sh"]
    for path in chance.sample(files, 20):
        content = bytearray(kept[path])
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        path.write_bytes(content)
        done = installed(unpacked, tmp_path / "env")
        assert (done.returncode, done.stdout) == (1, ""), path
        assert "nothing was installed" in done.stderr
        path.write_bytes(kept[path])
    assert not (tmp_path / "env").exists()


@needs_sh
@pytest.mark.parametrize("name", ["wheels/added-1-py3-none-any.whl", ".hidden", "documentation/-x"])
def test_the_installer_refuses_a_file_that_was_added(
    name: str, unpacked: Path, tmp_path: Path
) -> None:
    (unpacked / name).write_bytes(b"")
    done = installed(unpacked, tmp_path / "env")
    assert done.returncode == 1
    assert "some are missing or were added; nothing was installed" in done.stderr


@needs_sh
def test_the_installer_refuses_links_and_missing_files(unpacked: Path, tmp_path: Path) -> None:
    requirements = unpacked / "requirements.txt"
    requirements.rename(tmp_path / "requirements.txt")
    assert "some are missing" in installed(unpacked, tmp_path / "env").stderr
    requirements.symlink_to(tmp_path / "requirements.txt")
    assert "there is a link" in installed(unpacked, tmp_path / "env").stderr


@needs_sh
def test_the_installer_needs_the_python_that_the_wheels_are_for(
    wheel: Path, tmp_path: Path
) -> None:
    make(tmp_path / "b.tar", Wanted(wheel=wheel, python="3.99", platforms=("any",)))
    with tarfile.open(tmp_path / "b.tar") as archive:
        archive.extractall(tmp_path, filter="data")
    done = installed(tmp_path / "pincite-bundle", tmp_path / "env")
    assert done.returncode == 1
    assert "this bundle is for Python 3.99" in done.stderr


def test_what_is_no_wheel_is_told(tmp_path: Path) -> None:
    odd = tmp_path / "pincite-9.9-py3-none-any.whl"
    odd.write_bytes(b"no zip")
    with pytest.raises(BundleError):
        make(tmp_path / "b.tar", Wanted(wheel=odd))
    assert not (tmp_path / "b.tar").exists()
