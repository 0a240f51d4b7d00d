"""Which wheels does an installation need, and what do they say of themselves?"""

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

_SAID_BY_PIP = 600
_MOST_METADATA_BYTES = 4 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """A wheel and what its metadata tells."""

    path: Path
    name: str
    version: str
    licence: str
    python: str
    platform: str


def build(tree: Path, folder: Path, made_at: int) -> Path:
    """The wheel of Pincite's source tree. Its build tool comes over the network."""
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
    """Fetch all wheels that this wheel of Pincite needs, itself included, at the pinned versions."""
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
    """The versions that are installed here, as constraints."""
    found = {one.name: one.version for one in distributions() if one.name.lower() != "pincite"}
    return "".join(f"{name}=={found[name]}\n" for name in sorted(found))


def described(path: Path) -> Wheel:
    """Raises BundleError for what is no wheel."""
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as wheel:
            (listed,) = [
                info
                for info in wheel.infolist()
                if re.fullmatch(r"[^/]+\.dist-info/METADATA", info.filename)
            ]
            if listed.file_size > _MOST_METADATA_BYTES:
                raise ValueError("its metadata is too large")
            told = BytesParser().parsebytes(wheel.read(listed))
        python, _, platform = path.stem.split("-")[-3:]
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise BundleError(f"{path}: is no wheel that can be read ({error})") from error
    licence = str(told["License-Expression"] or "") or _classified(told.get_all("Classifier") or [])
    return Wheel(
        path=path,
        name=str(told["Name"]),
        version=str(told["Version"]),
        licence=licence or _first_line(str(told["License"] or "")) or "not told",
        python=python,
        platform=platform,
    )


def requirements(wheels: Sequence[tuple[Wheel, str]]) -> str:
    """Each wheel at its version with its SHA-256, as pip requires it with `--require-hashes`."""
    return "".join(
        f"{wheel.name}=={wheel.version} --hash=sha256:{sha256}\n" for wheel, sha256 in wheels
    )


def _classified(classifiers: Sequence[str]) -> str:
    told = [one.rpartition(" :: ")[2] for one in classifiers if one.startswith("License ::")]
    return " AND ".join(told)


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
        said = done.stderr.strip()[-_SAID_BY_PIP:]
        raise BundleError(f"pip {arguments[0]} failed, so no bundle was made: {said}")
