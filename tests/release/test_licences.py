"""The licence of every package is known, and none of the base binds what is built on it."""

from __future__ import annotations

import pytest
from documentation import DOCS, script, text_of

licences = script("licences.py")
Package = licences.Package

UNDER_MPL = {"certifi", "pathspec", "tqdm"}
"""These licences concern changes to the packages' own files. Another one is a decision."""


def test_nothing_in_the_base_is_copyleft() -> None:
    base, missing = licences.needed()
    assert not missing
    assert not [one for one in base if one.is_copyleft]
    assert {one.name for one in base if one.is_copyleft_of_files} <= UNDER_MPL
    assert not [one for one in base if one.licence == "not told"]


def test_the_page_names_every_package_of_the_base_with_its_licence() -> None:
    written = text_of(DOCS / "reference" / "licences.md")
    base, _ = licences.needed()
    absent = [one.name for one in base if f"\n| {one.name} | " not in written]
    assert not absent, "run scripts/licences.py"


@pytest.mark.parametrize(
    ("licence", "is_copyleft", "of_files"),
    [
        ("GPL-3.0-only", True, False),
        ("GNU Lesser General Public License v3 (LGPLv3)", True, False),
        ("AGPL-3.0-or-later", True, False),
        ("MIT OR GPL-2.0-only", False, False),
        ("MPL-2.0", False, True),
        ("MPL-2.0 AND MIT", False, True),
        ("BSD-3-Clause AND MIT", False, False),
    ],
)
def test_licences_that_bind_are_told_from_others(
    licence: str, is_copyleft: bool, of_files: bool
) -> None:
    one = Package(name="x", licence=licence)
    assert (one.is_copyleft, one.is_copyleft_of_files) == (is_copyleft, of_files)
