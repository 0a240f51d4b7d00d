"""Refuses archives that no program for documents writes, before anything is unpacked."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass

from pincite.errors import ReadError
from pincite.ingest.refusals import NeedsPassword

MEBIBYTE = 1 << 20
# Office XML seldom shrinks to less than a fiftieth; a bomb shrinks to a thousandth.
_LARGEST_RATIO = 200
_RATIO_MATTERS_FROM_BYTES = 16 * MEBIBYTE


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageLimits:
    """How much one archive may hold."""

    unpacked_bytes: int = 256 * MEBIBYTE
    parts: int = 20_000


def refuse_tricks(entries: list[zipfile.ZipInfo], limits: PackageLimits) -> None:
    """Raise ReadError for too many parts, passwords, names that deceive, and bombs."""
    if len(entries) > limits.parts:
        raise ReadError(
            f"its archive has {len(entries):,} parts and the limit is {limits.parts:,}; split it"
        )
    if any(entry.flag_bits & 1 for entry in entries):
        raise NeedsPassword("its archive is protected by a password; save it without one")
    names = [entry.filename for entry in entries]
    for name in names:
        if name.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", name) or ":" in name[:3]:
            raise ReadError(
                f"its archive holds a part named {name[:100]!r}, which points outside of it, as "
                "no real document does; it was not opened"
            )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ReadError(
            f"its archive holds the part {twice[:100]!r} twice, so programs disagree about what "
            "it says; open it in its own program and save it anew"
        )
    _refuse_bomb(entries, limits)


def _refuse_bomb(entries: list[zipfile.ZipInfo], limits: PackageLimits) -> None:
    """Compare the sizes the archive declares, which zipfile enforces when it unpacks."""
    unpacked = sum(entry.file_size for entry in entries)
    packed = sum(entry.compress_size for entry in entries)
    if unpacked > limits.unpacked_bytes:
        raise ReadError(
            f"it unpacks to {unpacked // MEBIBYTE} MB and the limit is "
            f"{limits.unpacked_bytes // MEBIBYTE} MB; remove pictures or split it"
        )
    if unpacked > _RATIO_MATTERS_FROM_BYTES and unpacked > _LARGEST_RATIO * max(packed, 1):
        raise ReadError(
            f"it unpacks to {unpacked // max(packed, 1)} times its size, as no real document does; "
            "it was not opened, to protect this machine"
        )
