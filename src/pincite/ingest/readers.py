"""Reads a file of any supported format: opens it, detects its format and calls its reader."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from pincite.errors import PluginError, ReadError
from pincite.ingest.detect import PARSERS, added_parser, detect
from pincite.ingest.discover import special_file
from pincite.ingest.reading import ReadingOptions, recogniser_name
from pincite.ingest.safety.deceptive_text import with_flags
from pincite.records import formats
from pincite.records.document import READING_VERSION, Document, document_id
from pincite.records.formats import BY_SUFFIX, FileFormat, Gives
from pincite.settings.plugins import Plugin

MEBIBYTE = 1 << 20
_DEEPEST_ATTACHMENT = 3


class FormatReader(Protocol):
    """Reads the bytes of one format."""

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes; `path` is used only for the title. Raises ReadError."""
        ...


@contextlib.contextmanager
def opened(path: Path, max_file_bytes: int) -> Iterator[BinaryIO]:
    """The open file. Raises ReadError if it is not a regular file, or too large."""
    try:
        # Opening a pipe would block forever, and a device has no end.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        if path.is_dir():
            raise IsADirectoryError
        if not path.is_file() and path.exists():
            raise ReadError(f"{special_file(path)}; save its contents as a file")
        file = os.fdopen(os.open(path, flags), "rb")
    except FileNotFoundError as error:
        raise ReadError("there is no such file; check the name") from error
    except PermissionError as error:
        raise ReadError("permission denied; allow this user to read it") from error
    except IsADirectoryError as error:
        raise ReadError("it is a folder, not a file; give the files in it") from error
    except OSError as error:
        raise ReadError(f"it cannot be opened ({error.strerror or error})") from error
    with file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):  # swapped in after the check above
            raise ReadError("it is not a regular file; save its contents as a file")
        if found.st_size > max_file_bytes:
            limit = max_file_bytes // MEBIBYTE
            raise ReadError(
                f"its size is {found.st_size // MEBIBYTE} MB and the limit is {limit} MB; "
                "split it or raise the file size limit"
            )
        yield file


def load_reader(name: str) -> None:
    """Load the reader for files of this name in advance. Their content may need another one."""
    suffix = Path(name).suffix
    if (plugin := added_parser(suffix)) is not None:
        plugin.load()
    found = BY_SUFFIX.get(suffix.lower())
    if found is not None:
        PARSERS.built_in(found.name)
    if found is formats.PDF:
        recogniser_name()


class FileReader:
    """Reads any supported file in the current process."""

    def __init__(
        self, *, max_file_bytes: int = 512 * MEBIBYTE, options: ReadingOptions | None = None
    ) -> None:
        self._max_file_bytes = max_file_bytes
        self._options = options or ReadingOptions()
        self._depth = 0
        self._readers: dict[FileFormat, FormatReader] = {}

    def read(self, path: Path) -> Document:
        """Read one file. Raises ReadError with a reason for the user."""
        with opened(path, self._max_file_bytes) as file:
            try:
                content = file.read()
            except OSError as error:
                raise ReadError(f"it cannot be read ({error.strerror or error})") from error
        return self.read_content(path, content)

    def read_content(self, path: Path, content: bytes) -> Document:
        """Read a file's bytes; `path` is used only for its name. Raises ReadError."""
        # By now the text includes the files inside this one.
        return replace(with_flags(self._read(path, content)), reading=READING_VERSION)

    def read_attachment(self, path: Path, content: bytes) -> Document:
        """Read a file embedded in another one. Raises ReadError, also if nested too deep."""
        if self._depth >= _DEEPEST_ATTACHMENT:
            raise ReadError(
                f"it is nested more than {_DEEPEST_ATTACHMENT} messages deep; save it as a file"
            )
        self._depth += 1
        try:
            return self._read(path, content)
        finally:
            self._depth -= 1

    def _read(self, path: Path, content: bytes) -> Document:
        if (plugin := added_parser(path.suffix)) is not None:
            return _read_by(plugin, path, content)
        found = detect(path, content)
        document = replace(self._reader(found).read(path, content), name=path.name)
        if BY_SUFFIX.get(path.suffix.lower()) is found:
            return document
        named = f"named {path.suffix}" if path.suffix else "named without an extension"
        kind = found.name.upper()
        warning = f"it is {named} but is a {kind} file; it was read as {kind}"
        return replace(document, warnings=(warning, *document.warnings))

    def _reader(self, found: FileFormat) -> FormatReader:
        if found not in self._readers:
            make = PARSERS.built_in(found.name)
            given = {Gives.OPTIONS: (self._options,), Gives.FILES: (self.read_attachment,)}
            made = make(*given.get(found.gives, ()))
            self._readers[found] = cast("FormatReader", made)
        return self._readers[found]


def _read_by(plugin: Plugin, path: Path, content: bytes) -> Document:
    """The document a plugin returns, with the file's identity set by Pincite."""
    try:
        document = plugin.made().read(path, content)
    except PluginError as error:
        raise ReadError(str(error)) from error
    if not isinstance(document, Document):
        raise ReadError(f"{plugin} returned {type(document).__name__}; expected a pincite Document")
    identifier, sha256 = document_id(content)
    return replace(document, id=identifier, sha256=sha256, name=path.name)
