"""Selects the files that a question is asked about."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_SHARED = Path(os.environ.get("PINCITE_SHARED", Path(__file__).resolve().parents[2] / "shared"))
_DEBIAN = (
    "doc/git-doc/*.html",
    "doc/git-doc/howto/*.html",
    # The guides are there as text too: one source in two forms.
    "doc/git-doc/git[a-z]*.txt",
    "doc/git-doc/user-manual.txt",
    "doc/debian-policy/policy.html/*.html",
    "doc/debian-policy/policy.epub",
    "doc/debian-policy/copyright-format-1.0.html",
    "doc/debian-policy/debconf_specification.html",
    "doc/debian-policy/fhs/fhs-3.0.html",
    "doc/debian/FAQ/*.en.html",
    "developers-reference/*.html",
    "developers-reference/developers-reference.pdf",
)
_NO_TEXT_OF_THEIR_OWN = ("genindex.html", "search.html", "developers-reference.html")
_PACKAGES = "git-doc debian-policy debian-faq developers-reference"


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Files below a root that make one library; with `patterns`, only those that match one."""

    name: str
    root: Path
    patterns: tuple[str, ...] = ()
    needs: tuple[str, ...] = (".",)
    """What must be there, relative to the root."""
    how: str = "set PINCITE_SHARED to the folder of the shared documents"

    def absent(self) -> str:
        """Why the collection cannot be used; empty where it can."""
        missing = [name for name in self.needs if not (self.root / name).exists()]
        return f"{self.root / missing[0]} is not there; {self.how}" if missing else ""

    def paths(self) -> list[Path]:
        """What is handed to ingest: the root, or the files that match."""
        if not self.patterns:
            return [self.root]
        found = {path for pattern in self.patterns for path in self.root.glob(pattern)}
        return sorted(path for path in found if path.name not in _NO_TEXT_OF_THEIR_OWN)


COLLECTIONS = {
    one.name: one
    for one in (
        Collection(name="handbook", root=_SHARED / "documents" / "bulk-18f-handbook"),
        Collection(name="reports", root=_SHARED / "documents" / "pdfqa-open"),
        Collection(name="mixed", root=_SHARED / "documents" / "open"),
        Collection(name="systems", root=_SHARED / "reference"),
        Collection(
            name="debian",
            root=Path("/usr/share"),
            patterns=_DEBIAN,
            needs=("doc/git-doc", "doc/debian-policy", "doc/debian/FAQ", "developers-reference"),
            how=f"apt-get install --no-install-recommends {_PACKAGES}",
        ),
    )
}
