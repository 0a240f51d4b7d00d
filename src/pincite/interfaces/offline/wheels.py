"""Collects the wheels that an installation needs, and reads their metadata."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from email.parser import BytesParser
from importlib.metadata import distributions
from pathlib import Path

from pincite.errors import BundleError
from pincite.records.files import open_regular

_SHOWN_CHARS = 600
_MOST_METADATA_BYTES = 4 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """A wheel and its metadata."""

    path: Path
    name: str
    version: str
    licence: str
    python: str
    platform: str


def build(tree: Path, folder: Path, made_at: int) -> Path:
    """Build the wheel of Pincite's source tree. The build tool is downloaded."""
    arguments = ["wheel", "--no-deps", "--wheel-dir", str(folder), str(tree)]
    _pip(arguments, SOURCE_DATE_EPOCH=str(made_at))
    (built,) = folder.glob("pincite-*.whl")
    return built


def download(
    own: Path,
    folder: Path,
    *,
    extras: Sequence[str],
    constraints: Path,
    platforms: Sequence[str],
    python: str,
) -> None:
    """Download this wheel of Pincite and all wheels it needs, at the pinned versions."""
    wanted = f"pincite[{','.join(extras)}] @ {own.absolute().as_uri()}"
    target = [part for name in platforms for part in ("--platform", name)]
    target += ["--python-version", python] if python else []
    _pip(
        [
            *("download", "--only-binary", ":all:", "--dest", str(folder)),
            *("--constraint", str(constraints), *target, wanted),
        ]
    )


def pins_of_this_environment() -> str:
    """The versions installed here, as constraints."""
    found = {one.name: one.version for one in distributions() if one.name.lower() != "pincite"}
    return "".join(f"{name}=={found[name]}\n" for name in sorted(found))


def described(path: Path) -> Wheel:
    """A wheel's metadata. Raises BundleError if the file is not a readable wheel."""
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as wheel:
            (listed,) = [
                info
                for info in wheel.infolist()
                if re.fullmatch(r"[^/]+\.dist-info/METADATA", info.filename)
            ]
            if listed.file_size > _MOST_METADATA_BYTES:
                raise ValueError("its metadata is too large")
            metadata = BytesParser().parsebytes(wheel.read(listed))
        python, _, platform = path.stem.split("-")[-3:]
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise BundleError(f"{path}: is not a readable wheel ({error})") from error
    licence = str(metadata["License-Expression"] or "") or _classified(
        metadata.get_all("Classifier") or []
    )
    return Wheel(
        path=path,
        name=str(metadata["Name"]),
        version=str(metadata["Version"]),
        licence=licence or _first_line(str(metadata["License"] or "")) or "unknown",
        python=python,
        platform=platform,
    )


def requirements(wheels: Sequence[tuple[Wheel, str]]) -> str:
    """Each wheel with its version and SHA-256, in the format of pip's `--require-hashes`."""
    return "".join(
        f"{wheel.name}=={wheel.version} --hash=sha256:{sha256}\n" for wheel, sha256 in wheels
    )


def _classified(classifiers: Sequence[str]) -> str:
    licences = [one.rpartition(" :: ")[2] for one in classifiers if one.startswith("License ::")]
    return " AND ".join(licences)


def _first_line(text: str) -> str:
    return text.strip().split("\n")[0][:100]


def _pip(arguments: list[str], **environment: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        output = done.stderr.strip()[-_SHOWN_CHARS:]
        raise BundleError(f"pip {arguments[0]} failed, so no bundle was made: {output}")
