"""Writes and checks the files of an index folder, described by its manifest."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePath
from typing import Any, BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np

from pincite.records.files import MEBIBYTE, open_regular, read_json
from pincite.text.document_names import NameTable
from pincite.text.vocabulary import Vocabulary

FORMAT = 4
MANIFEST = "manifest.json"
_DRAFT = ".draft-"
MOST_BYTES = 1024 * MEBIBYTE
"""Largest index file that is read whole. A vocabulary of a million words takes 20 million bytes."""
_MOST = 2**63


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Describes the index files. Written last: files without a matching manifest are ignored."""

    library_id: str
    generation: int
    model: str
    """Name of the encoder; "none" when there are no vectors."""
    dimensions: int
    max_key: int
    lexical_folder: str
    lexical_engine: str = ""
    """The engine and settings of the lexical scores; others require a rebuild."""
    analyser: int = 0
    """Version of the analyser that made the terms."""
    languages: dict[str, int] = field(default_factory=dict)
    """Number of passages by language."""
    dense_name: str = "dense.faiss"
    """The file of the vectors; for Chroma, a folder that Chroma manages."""
    engine: dict[str, str | int] = field(default_factory=dict)
    """The fields of the dense index's `pincite.store.index.dense_engine.Engine`."""
    format: int = FORMAT
    checksums: dict[str, str] = field(default_factory=dict)
    """SHA-256 of every file, by its path inside the index folder."""


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest atomically."""
    content = json.dumps(asdict(manifest), indent=1, sort_keys=True)
    write_atomically(folder / MANIFEST, lambda file: file.write(content.encode()))


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest; None if it is missing or invalid."""
    try:
        found = Manifest(**read_json(folder / MANIFEST, most_bytes=MOST_BYTES))
    except (OSError, ValueError, TypeError):
        return None
    return found if _is_ours(found) else None


def _is_ours(manifest: Manifest) -> bool:
    """Whether every field has the right type, and no name leads out of the index folder."""
    numbers = (manifest.generation, manifest.dimensions, manifest.max_key)
    numbers += (manifest.format, manifest.analyser, *_values(manifest.languages))
    words = (manifest.library_id, manifest.model, manifest.lexical_engine)
    words += (*_values(manifest.checksums),)
    names = (manifest.lexical_folder, manifest.dense_name, *_values(manifest.checksums, of=0))
    return (
        all(type(number) is int and abs(number) < _MOST for number in numbers)
        and all(isinstance(word, str) for word in words)
        and all(isinstance(name, str) and _is_inside(name) for name in names)
        and isinstance(manifest.engine, dict)
        and all(isinstance(value, str | int) for value in manifest.engine.values())
    )


def _values(table: Any, *, of: int = 1) -> tuple[Any, ...]:
    """The values of a dict (`of=1`), or its keys (`of=0`); (None,), an invalid value, for others."""
    return tuple(item[of] for item in table.items()) if isinstance(table, dict) else (None,)


def _is_inside(name: str) -> bool:
    parts = PurePath(name).parts
    return (
        bool(parts) and not PurePath(name).is_absolute() and ".." not in parts and "\0" not in name
    )


def damaged_files(folder: Path, manifest: Manifest) -> list[str]:
    """Files that are missing or do not match their checksum."""
    found = checksums(folder, manifest.checksums)
    return [name for name, digest in manifest.checksums.items() if found.get(name) != digest]


def checksums(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """SHA-256 of the named files that exist."""
    found = {}
    for name in sorted(names):
        path = folder / name
        if path.is_file():
            with open_regular(path) as file:
                found[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def write_atomically(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a draft next to the file, flush it to disk, and rename it: never a half-written file."""
    draft = path.with_name(f"{_DRAFT}{path.name}.{os.getpid()}")
    try:
        with draft.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def copy_with_links(folder: Path, copy: Path) -> None:
    """Hard-link a folder's files, except locks, into a new folder.

    Safe because files in either folder are replaced, never changed in place.
    """
    copy.mkdir()
    for path in folder.iterdir():
        if path.name.endswith(".lock"):
            continue
        try:
            os.link(path, copy / path.name)
        except OSError:  # The file system has no hard links.
            shutil.copyfile(path, copy / path.name)


def remove_drafts(folder: Path) -> None:
    """Remove half-written files of killed processes. The caller holds the write lock."""
    for draft in folder.glob(f"{_DRAFT}*"):
        draft.unlink(missing_ok=True)


# The library's vocabulary, stored with its lexical index.

VOCABULARY_FILE = "vocabulary.json"


def write_vocabulary(folder: Path, vocabulary: Vocabulary) -> None:
    """Write the vocabulary into the index's folder."""
    content = {"words": vocabulary.words, "explained": vocabulary.explained}
    written = json.dumps(content).encode()
    write_atomically(folder / VOCABULARY_FILE, lambda file: file.write(written))


def read_vocabulary(folder: Path) -> Vocabulary:
    """Read the vocabulary. Raises OSError or ValueError if it is missing or damaged."""
    content = read_json(folder / VOCABULARY_FILE, most_bytes=MOST_BYTES)
    try:
        words, explained = content["words"], content["explained"]
        if not (_are_counts(words) and all(map(_are_counts, explained.values()))):
            raise TypeError("expected words with their counts")
        return Vocabulary(words=words, explained=explained)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{VOCABULARY_FILE} is damaged: {error}") from error


def _are_counts(found: object) -> bool:
    return isinstance(found, dict) and all(type(count) is int for count in found.values())


# The words of documents' names, stored with the lexical index.

NAME_TABLE_FILE = "names.npz"

_ARRAYS = ("files", "called", "owners", "words", "kinds")


def write_name_table(folder: Path, table: NameTable) -> None:
    """Write the name table into the index's folder; the same table gives the same bytes."""
    arrays = {name: getattr(table, name) for name in _ARRAYS}
    arrays["documents"] = np.frombuffer("\n".join(table.documents).encode(), dtype=np.uint8)

    def write(file: BinaryIO) -> None:
        # Like numpy.savez, but without timestamps.
        with ZipFile(file, "w") as archive:
            for name, array in arrays.items():
                with archive.open(ZipInfo(f"{name}.npy"), "w", force_zip64=True) as part:
                    np.lib.format.write_array(part, array, allow_pickle=False)

    write_atomically(folder / NAME_TABLE_FILE, write)


def read_name_table(folder: Path) -> NameTable:
    """Read the name table. Raises OSError or ValueError if it is missing or damaged."""
    try:
        with (
            open_regular(folder / NAME_TABLE_FILE) as file,
            np.load(file, allow_pickle=False) as stored,
        ):
            documents = stored["documents"].tobytes().decode().split("\n")
            arrays = {name: stored[name] for name in _ARRAYS}
    except (BadZipFile, EOFError, KeyError, ValueError) as error:
        raise ValueError(f"{NAME_TABLE_FILE} is damaged: {error}") from error
    return NameTable(documents=documents if len(arrays["files"]) else [], **arrays)
