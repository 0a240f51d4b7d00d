#!/usr/bin/env python3
"""Writes docs/reference/licences.md: the licence of every package that Pincite needs, by extra.

    .venv/bin/python scripts/licences.py

Follows the requirements of this tree through the packages that are installed here, for this system and this
Python, and reads what each package says of itself. What is not installed here is named as such.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.message import Message
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "licences.md"
COPYLEFT = re.compile(r"\b[AL]?GPL|GNU|copyleft|\bEUPL|\bOSL|CC-BY-SA", re.IGNORECASE)
OF_FILES = re.compile(r"\bMPL|Mozilla|\bEPL|\bCDDL", re.IGNORECASE)
"""Copyleft of single files: who changes them and passes them on must publish these changes."""
NOT_SHIPPED = ("test", "benchmark")
"""Extras for those who work on Pincite."""
_SHORT = 60
_SPDX = (
    ("Apache Software License", "Apache-2.0"),
    ("Apache License 2.0", "Apache-2.0"),
    ("Apache License, Version 2.0", "Apache-2.0"),
    ("Apache 2.0", "Apache-2.0"),
    ("MIT License", "MIT"),
    ("BSD License", "BSD"),
    ("Mozilla Public License 2.0 (MPL 2.0)", "MPL-2.0"),
    ("Python Software Foundation License", "PSF-2.0"),
    ("ISC License (ISCL)", "ISC"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A package, and what it says of its licence."""

    name: str
    licence: str

    @property
    def is_copyleft(self) -> bool:
        """Whether it asks for the same licence of a work that it is a part of."""
        return self._every_choice(COPYLEFT)

    @property
    def is_copyleft_of_files(self) -> bool:
        """Whether it asks for that of its own files alone."""
        return self._every_choice(OF_FILES)

    def _every_choice(self, kind: re.Pattern[str]) -> bool:
        return all(kind.search(one) for one in re.split(r"\s+OR\s+", self.licence))


def needed(extras: Sequence[str] = ()) -> tuple[list[Package], list[str]]:
    """Everything that is installed with these extras, in order of names, and what is not here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = list(project["dependencies"])
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    found: dict[str, Distribution] = {}
    missing: set[str] = set()
    waiting = [Requirement(one) for one in wanted]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        key = (name, frozenset(one.extras))
        if key in seen or (one.marker and not one.marker.evaluate({"extra": ""})):
            continue
        seen.add(key)
        if name == "pincite":
            waiting += [
                Requirement(part)
                for extra in one.extras
                for part in project["optional-dependencies"][extra]
            ]
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            missing.add(name)
            continue
        waiting += _asked_for(found[name], one.extras)
    return [Package(name=name, licence=licence(found[name])) for name in sorted(found)], sorted(
        missing
    )


def _asked_for(package: Distribution, extras: set[str]) -> Iterator[Requirement]:
    for written in package.requires or ():
        one = Requirement(written)
        if one.marker is None or any(
            one.marker.evaluate({"extra": extra}) for extra in (extras or {""})
        ):
            one.marker = None
            yield one


def licence(package: Distribution) -> str:
    """As an SPDX expression where the package has one, else in its own words, shortened."""
    told: Message[str, str] = package.metadata
    if told["License-Expression"]:
        return str(told["License-Expression"])
    classified = [
        one.rpartition(" :: ")[2]
        for one in told.get_all("Classifier") or []
        if one.startswith("License ::") and one != "License :: OSI Approved"
    ]
    first = (told["License"] or "").strip().split("\n")[0][:_SHORT]
    words = " AND ".join(classified) or first or _of_file(package)
    for long, short in _SPDX:
        words = words.replace(long, short)
    return words or "not told"


def _of_file(package: Distribution) -> str:
    """The first line of a licence file that is not blank."""
    for file in package.files or ():
        if re.search(r"(^|/)(LICEN[CS]E|COPYING)[^/]*$", str(file), re.IGNORECASE):
            lines = (
                Path(str(file.locate())).read_text(encoding="utf-8", errors="replace").split("\n")
            )
            return next((line.strip()[:_SHORT] for line in lines if line.strip()), "")
    return ""


def page() -> str:
    """The page."""
    base, missing = needed()
    project: Any = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    parts = [
        "# Licences",
        "",
        "Written by `scripts/licences.py` on Linux with Python 3.11; a test compares it with what is installed, and fails",
        "where a package of the base is under the GPL or a licence like it. Pincite itself is under Apache-2.0.",
        "",
        f"Packages of the base under MPL-2.0: {', '.join(one.name for one in base if one.is_copyleft_of_files)}. That licence concerns",
        "changes to their own files, which Pincite does not make.",
        "",
        "Licences are what the packages say of themselves. A wheel may hold further works; its own licence files name them.",
        "A bundle's SBOM (`pincite bundle create`) has the licence of every file in it.",
        "",
        f"## The base: {len(base)} packages",
        "",
        *_table(base),
    ]
    known = {one.name for one in base}
    for extra in project["optional-dependencies"]:
        if extra in NOT_SHIPPED:
            continue
        packages, absent = needed([extra])
        added = [one for one in packages if one.name not in known]
        parts += ["", f"## `pincite[{extra}]`: {len(added)} more", ""]
        parts += _table(added) if added else []
        if left := sorted(set(absent) - set(missing)):
            parts += ["", f"Not installed where this was written: {', '.join(left)}."]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)) + "\n"


def _table(packages: Sequence[Package]) -> list[str]:
    rows = [f"| {one.name} | {one.licence.replace('|', '/')}{_remark(one)} |" for one in packages]
    return ["| package | licence |", "|---|---|", *rows]


def _remark(one: Package) -> str:
    return (
        " (copyleft)" if one.is_copyleft else " (of its files)" if one.is_copyleft_of_files else ""
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
