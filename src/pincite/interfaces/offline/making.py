"""Makes a bundle on a machine with a network."""

from __future__ import annotations

import json
import os
import platform as this_machine
import tempfile
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import pincite
from pincite.errors import BundleError
from pincite.interfaces.offline import wheels
from pincite.interfaces.offline.archive import Entry, Manifest, entry_of, require_names, write
from pincite.interfaces.offline.wheels import Wheel

_EARLIEST = 315_532_800
"""1980: wheels are zip files, which cannot store earlier dates."""
_INSTALLERS = ("install.sh", "install.ps1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The contents of a bundle. `wheel` and `constraints` default to those of the source tree."""

    extras: tuple[str, ...] = ()
    models: tuple[tuple[Path, str], ...] = ()
    """Model files with their licences."""
    platforms: tuple[str, ...] = ()
    python: str = ""
    wheel: Path | None = None
    constraints: Path | None = None


@dataclass(slots=True)
class _Collected:
    entries: list[Entry] = field(default_factory=list)
    sources: dict[str, Path] = field(default_factory=dict)

    def add(self, name: str, path: Path, **tags: str) -> Entry:
        entry = entry_of(name, path, **tags)
        if name in self.sources:
            raise BundleError(f"two files would be {name} in the bundle; rename {path}")
        self.entries.append(entry)
        self.sources[name] = path
        return entry


def make(target: Path, wanted: Wanted) -> tuple[Manifest, str]:
    """Fetch the contents and write the bundle; returns its manifest and SHA-256."""
    made_at = _made_at()
    with tempfile.TemporaryDirectory(prefix="pincite-bundle-") as temporary:
        folder = Path(temporary)
        collected = _Collected()
        packages = _add_wheels(collected, folder, wanted, made_at)
        models = [
            collected.add(f"models/{path.name}", path, kind="model", licence=licence)
            for path, licence in wanted.models
        ]
        _add_documents(collected)
        version = next(one.version for one, _ in packages if one.name == "pincite")
        texts = {
            "requirements.txt": wheels.requirements(packages),
            "sbom.cdx.json": sbom(version, made_at, packages, models),
        }
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
            collected.add(name, folder / name, kind="list")
        manifest = Manifest(
            made_at=made_at,
            version=version,
            python=wanted.python or ".".join(this_machine.python_version_tuple()[:2]),
            platforms=wanted.platforms or (f"{this_machine.system()} {this_machine.machine()}",),
            entries=tuple(sorted(collected.entries, key=lambda entry: entry.name)),
        )
        try:
            require_names([entry.name for entry in manifest.entries])
        except ValueError as error:
            raise BundleError(f"{error}; allowed are letters, digits and . _ + -") from error
        return manifest, write(target, manifest, collected.sources)


def _add_wheels(
    collected: _Collected, folder: Path, wanted: Wanted, made_at: int
) -> Sequence[tuple[wheels.Wheel, str]]:
    own = wanted.wheel or wheels.build(_tree("--wheel"), _made(folder / "own"), made_at)
    fetched = _made(folder / "wheels")
    wheels.download(
        own,
        fetched,
        extras=wanted.extras,
        constraints=wanted.constraints or _pins(folder),
        platforms=wanted.platforms,
        python=wanted.python,
    )
    found = []
    for path in sorted(fetched.iterdir()):
        wheel = wheels.described(path)
        entry = collected.add(
            f"wheels/{path.name}",
            path,
            kind="wheel",
            licence=wheel.licence,
            platform=wheel.platform,
            python=wheel.python,
        )
        found.append((wheel, entry.sha256))
    return found


def _add_documents(collected: _Collected) -> None:
    """Add the installers and, from a source tree, its documentation and licence."""
    here = Path(str(files("pincite.interfaces.offline")))
    for name in _INSTALLERS:
        collected.add(name, here / name, kind="installer", licence="Apache-2.0")
    tree = _source_tree()
    if tree is None:
        return
    named = [tree / name for name in ("README.md", "CHANGELOG.md", "LICENSE", "NOTICE")]
    documents = [path for path in (tree / "docs").rglob("*") if path.is_file()]
    for path in sorted(named + documents):
        name = f"documentation/{path.relative_to(tree).as_posix()}"
        collected.add(name, path, kind="documentation", licence="Apache-2.0")


def _pins(folder: Path) -> Path:
    tree = _source_tree()
    if tree is not None:
        return tree / "constraints.txt"
    pins = folder / "constraints.txt"
    pins.write_text(wheels.pins_of_this_environment(), encoding="utf-8")
    return pins


def _source_tree() -> Path | None:
    tree = Path(pincite.__file__).resolve().parents[2]
    return tree if (tree / "pyproject.toml").is_file() and (tree / "src").is_dir() else None


def _tree(option: str) -> Path:
    tree = _source_tree()
    if tree is None:
        raise BundleError(
            f"Pincite does not run from a source tree here; name its wheel with {option}"
        )
    return tree


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _made_at() -> int:
    """`SOURCE_DATE_EPOCH`, or the same date for every bundle."""
    given = os.environ.get("SOURCE_DATE_EPOCH", str(_EARLIEST))
    if not given.isdigit() or not _EARLIEST <= int(given) < 1 << 32:
        raise BundleError(
            f"SOURCE_DATE_EPOCH is '{given}'; expected seconds since 1970, after 1980"
        )
    return int(given)


# The bill of materials of a bundle, in the CycloneDX 1.6 format.


def sbom(
    version: str, made_at: int, wheels: Sequence[tuple[Wheel, str]], models: Sequence[Entry]
) -> str:
    """The list as JSON. It is reproducible: the serial number is derived from the checksums."""
    components = [_package(wheel, sha256) for wheel, sha256 in wheels]
    components += [_model(model) for model in models]
    seed = " ".join(one["hashes"][0]["content"] for one in components)
    form = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, seed)}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(made_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {"type": "application", "name": "pincite", "version": version},
        },
        "components": components,
    }
    return json.dumps(form, indent=1, sort_keys=True) + "\n"


def _package(wheel: Wheel, sha256: str) -> dict[str, Any]:
    address = f"pkg:pypi/{wheel.name.lower().replace('_', '-')}@{wheel.version}"
    return {
        "type": "library",
        "bom-ref": address,
        "name": wheel.name,
        "version": wheel.version,
        "purl": address,
        "hashes": [{"alg": "SHA-256", "content": sha256}],
        "licenses": [{"license": {"name": wheel.licence}}],
    }


def _model(model: Entry) -> dict[str, Any]:
    return {
        "type": "machine-learning-model",
        "bom-ref": f"model:{model.name}",
        "name": model.name,
        "hashes": [{"alg": "SHA-256", "content": model.sha256}],
        "licenses": [{"license": {"name": model.licence}}],
    }
