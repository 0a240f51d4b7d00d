"""The bundle format: a tar file with exactly one valid encoding; anything else is refused.

The checksums come first, then the manifest, then the files by name. The manifest determines every byte
that follows, including headers and padding. Only the size and date of the two lists are read from
headers, which must otherwise be exactly as written here: no header can name a link or another path.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import secrets
import tarfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import IO, Any

from pincite.errors import BundleError
from pincite.records.files import open_regular, strict_json

FOLDER = "pincite-bundle"
SUMS, MANIFEST = "SHA256SUMS", "manifest.json"
FORMAT = "pincite-bundle 1"
INSTALLATION, LIBRARY = "installation", "library"
_BLOCK, _RECORD, _READ_BYTES = 512, 10_240, 1 << 20
_MOST_LISTED_BYTES = 16 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*(/[A-Za-z0-9_][A-Za-z0-9._+-]*)*")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A file of a bundle. `platform` and `python` are a wheel's tags, `any` for other files."""

    name: str
    sha256: str
    size_bytes: int
    kind: str
    licence: str = ""
    platform: str = "any"
    python: str = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A bundle's contents, creation time (seconds since 1970) and Python version.

    `holds` is `installation` or `library`; a library is for any Python.
    """

    made_at: int
    version: str
    python: str
    platforms: tuple[str, ...]
    holds: str = INSTALLATION
    entries: tuple[Entry, ...]


def write(target: Path, manifest: Manifest, sources: dict[str, Path]) -> str:
    """Write a bundle and return its SHA-256. The file appears only when it is complete."""
    part = target.with_name(f".{target.name}-{secrets.token_hex(4)}.part")
    digest, size = hashlib.sha256(), 0
    try:
        with part.open("xb") as file:
            for block in _blocks(manifest, sources):
                file.write(block)
                digest.update(block)
                size += len(block)
            end = _end(size)
            file.write(end)
            digest.update(end)
            os.fsync(file.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return digest.hexdigest()


def verify(
    path: Path, take: Callable[[Entry], IO[bytes] | None] = lambda _: None
) -> tuple[Manifest, str]:
    """A bundle's manifest and SHA-256. Raises BundleError if any byte is wrong.

    `take` gives the file to write an entry's content to, or None; it is closed here. The written files
    are valid only if nothing is raised.
    """
    with open_regular(path) as file:
        reader = _Reader(file, path)
        sums = reader.listed(SUMS, made_at=None)
        written = reader.listed(MANIFEST, made_at=reader.made_at)
        manifest = _read_manifest(written, path)
        if manifest.made_at != reader.made_at or sums != _sums(manifest, written):
            raise BundleError(f"{path}: {SUMS} and {MANIFEST} do not match; {_REFUSED}")
        for entry in manifest.entries:
            reader.expect(_header(entry.name, entry.size_bytes, manifest.made_at), entry.name)
            reader.content(entry, take(entry))
        reader.expect(_end(reader.position), "the end of the bundle")
        if file.read(1):
            raise BundleError(f"{path}: there is data after the end of the bundle; {_REFUSED}")
        return manifest, reader.digest.hexdigest()


_REFUSED = "it is damaged or was modified: copy it again from where it was made"


class _Reader:
    """Reads a bundle once, from start to end; the digest covers every byte."""

    def __init__(self, file: IO[bytes], path: Path) -> None:
        self._file, self._path = file, path
        self.digest, self.position, self.made_at = hashlib.sha256(), 0, 0

    def listed(self, name: str, *, made_at: int | None) -> bytes:
        """The content of one of the two lists, whose size is known only from its header."""
        header = self._read(_BLOCK)
        try:
            info = tarfile.TarInfo.frombuf(header, "ascii", "strict")
        except (tarfile.TarError, UnicodeError) as error:
            raise BundleError(f"{self._path}: is not a Pincite bundle ({error})") from error
        self.made_at = int(info.mtime) if made_at is None else made_at
        size = info.size
        if not 0 < size <= _MOST_LISTED_BYTES or header != _header(name, size, self.made_at):
            raise BundleError(f"{self._path}: {name} is not at its place; {_REFUSED}")
        content = self._read(size)
        self.expect(_padding(size), name)
        return content

    def expect(self, wanted: bytes, where: str) -> None:
        """Read these bytes. Raises BundleError for any others."""
        if self._read(len(wanted)) != wanted:
            raise BundleError(f"{self._path}: {where}: unexpected bytes; {_REFUSED}")

    def content(self, entry: Entry, target: IO[bytes] | None) -> None:
        """Read a file's content and compare its checksum."""
        digest, left = hashlib.sha256(), entry.size_bytes
        with target or nullcontext():
            while left:
                block = self._read(min(left, _READ_BYTES))
                digest.update(block)
                left -= len(block)
                if target is not None:
                    target.write(block)
        if digest.hexdigest() != entry.sha256:
            raise BundleError(
                f"{self._path}: {entry.name}: its SHA-256 is {digest.hexdigest()}, expected "
                f"{entry.sha256}; {_REFUSED}"
            )
        self.expect(_padding(entry.size_bytes), entry.name)

    def _read(self, size: int) -> bytes:
        block = self._file.read(size)
        if len(block) != size:
            raise BundleError(f"{self._path}: it ends after {self.position} bytes; {_REFUSED}")
        self.digest.update(block)
        self.position += size
        return block


def _blocks(manifest: Manifest, sources: dict[str, Path]) -> Iterator[bytes]:
    written = _written(manifest)
    for name, content in ((SUMS, _sums(manifest, written)), (MANIFEST, written)):
        yield _header(name, len(content), manifest.made_at)
        yield content + _padding(len(content))
    for entry in manifest.entries:
        yield _header(entry.name, entry.size_bytes, manifest.made_at)
        yield from _same_content(entry, sources[entry.name])
        yield _padding(entry.size_bytes)


def _same_content(entry: Entry, path: Path) -> Iterator[bytes]:
    digest = hashlib.sha256()
    with open_regular(path) as file:
        while block := file.read(_READ_BYTES):
            digest.update(block)
            yield block
    if digest.hexdigest() != entry.sha256:
        raise BundleError(
            f"{path}: the file changed while the bundle was being made; make the bundle again"
        )


def _header(name: str, size: int, made_at: int) -> bytes:
    info = tarfile.TarInfo(f"{FOLDER}/{name}")
    info.size, info.mtime = size, made_at
    info.mode = 0o755 if name == "install.sh" else 0o644
    return info.tobuf(tarfile.GNU_FORMAT, "ascii", "strict")


def _padding(size: int) -> bytes:
    return bytes(-size % _BLOCK)


def _end(position: int) -> bytes:
    return bytes(2 * _BLOCK + -(position + 2 * _BLOCK) % _RECORD)


def _sums(manifest: Manifest, written: bytes) -> bytes:
    """In the format of `sha256sum`, so that the installer needs no other program."""
    lines = [f"{hashlib.sha256(written).hexdigest()}  {MANIFEST}"]
    lines += [f"{entry.sha256}  {entry.name}" for entry in manifest.entries]
    return ("\n".join(lines) + "\n").encode("ascii")


def _written(manifest: Manifest) -> bytes:
    form = {"format": FORMAT, **asdict(manifest)}
    return (json.dumps(form, indent=1, sort_keys=True) + "\n").encode("ascii")


def _read_manifest(written: bytes, path: Path) -> Manifest:
    try:
        form: dict[str, Any] = strict_json(written)
        entries = tuple(Entry(**entry) for entry in form.pop("entries"))
        if form.pop("format") != FORMAT:
            raise ValueError(f"its format is not '{FORMAT}'")
        form["platforms"] = tuple(form["platforms"])
        manifest = Manifest(**form, entries=entries)
        _require_sound(manifest)
        if _written(manifest) != written:
            raise ValueError("its JSON is not formatted as Pincite writes it")
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BundleError(f"{path}: {MANIFEST} cannot be used ({error}); {_REFUSED}") from error
    return manifest


def _require_sound(manifest: Manifest) -> None:
    target = (manifest.version, manifest.python, manifest.holds, *manifest.platforms)
    if type(manifest.made_at) is not int or not all(isinstance(value, str) for value in target):
        raise ValueError("it does not name its purpose")
    require_names([entry.name for entry in manifest.entries])
    for entry in manifest.entries:
        texts = [
            getattr(entry, field.name) for field in fields(entry) if field.name != "size_bytes"
        ]
        if not all(isinstance(value, str) for value in texts) or not _SHA256.fullmatch(
            entry.sha256
        ):
            raise ValueError(f"the entry of {entry.name} is invalid")
        if type(entry.size_bytes) is not int or entry.size_bytes < 0:
            raise ValueError(f"{entry.name} has no valid size")


def require_names(names: Sequence[str]) -> None:
    """Raises ValueError unless the names are relative, sorted and unique on every file system."""
    for name in names:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise ValueError(f"a file name that is not allowed in a bundle: {name!r}")
    if list(names) != sorted(names):
        raise ValueError("files are not sorted")
    if len({SUMS.lower(), MANIFEST, *(name.lower() for name in names)}) != len(names) + 2:
        raise ValueError("two files have the same name")


def entry_of(name: str, path: Path, **tags: str) -> Entry:
    """The entry of a file, with its size and checksum."""
    with open_regular(path) as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        size = file.seek(0, io.SEEK_END)
    return Entry(name=name, sha256=digest, size_bytes=size, **tags)
