"""Opens zipped documents (Office, OpenDocument, EPUB) after checking that they are safe to unpack."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast
from urllib.parse import unquote
from xml.parsers import expat

from lxml import etree

from pincite.errors import ReadError
from pincite.ingest.reading import NeedsPassword
from pincite.records.document import Flag, FlagKind

# Rejects archives that no document program writes, before anything is unpacked.

MEBIBYTE = 1 << 20
# Office XML rarely compresses more than 50 times; a zip bomb compresses 1,000 times.
_LARGEST_RATIO = 200
_RATIO_MATTERS_FROM_BYTES = 16 * MEBIBYTE


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageLimits:
    """Limits on the contents of one archive."""

    unpacked_bytes: int = 256 * MEBIBYTE
    parts: int = 20_000


def reject_unsafe(entries: list[zipfile.ZipInfo], limits: PackageLimits) -> None:
    """Raise ReadError for too many parts, passwords, deceptive part names and zip bombs."""
    if len(entries) > limits.parts:
        raise ReadError(
            f"its archive has {len(entries):,} parts and the limit is {limits.parts:,}; split it"
        )
    if any(entry.flag_bits & 1 for entry in entries):
        raise NeedsPassword("its archive is password-protected; save it without a password")
    names = [entry.filename for entry in entries]
    for name in names:
        if name.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", name) or ":" in name[:3]:
            raise ReadError(
                f"its archive contains a part named {name[:100]!r}, which points outside the archive; "
                "no real document does this, so it was not opened"
            )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ReadError(
            f"its archive contains the part {twice[:100]!r} twice, so programs may read it "
            "differently; open it in its own program and save it again"
        )
    _refuse_bomb(entries, limits)


def _refuse_bomb(entries: list[zipfile.ZipInfo], limits: PackageLimits) -> None:
    """Check the sizes that the archive declares; zipfile enforces them when unpacking."""
    unpacked = sum(entry.file_size for entry in entries)
    packed = sum(entry.compress_size for entry in entries)
    if unpacked > limits.unpacked_bytes:
        raise ReadError(
            f"it unpacks to {unpacked // MEBIBYTE} MB and the limit is "
            f"{limits.unpacked_bytes // MEBIBYTE} MB; remove pictures or split it"
        )
    if unpacked > _RATIO_MATTERS_FROM_BYTES and unpacked > _LARGEST_RATIO * max(packed, 1):
        raise ReadError(
            f"it unpacks to {unpacked // max(packed, 1)} times its size, which no real document does; "
            "it was not opened, to protect this machine"
        )


_XML_SUFFIXES = (".xml", ".rels", ".vml", ".opf", ".ncx")
_HEAD_BYTES = 64 * 1024
_BEFORE_XML = b"\xef\xbb\xbf\xff\xfe \t\r\n"
_PROLOG = re.compile(rb"<\?.*?(?:\?>|\Z)|<!--.*?(?:-->|\Z)", re.DOTALL)
_ROOT = re.compile(rb"<[A-Za-z_]")
_NESTED_ARCHIVE = re.compile(r"\.(zip|docx|xlsx|xlsb|pptx|docm|xlsm|pptm|jar|7z|rar|gz)$", re.I)
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,  # a compression method that Python does not support
    EOFError,
    ValueError,
    OSError,
    RuntimeError,  # encrypted members
)
# Exceptions besides their own that libraries raise when a sound archive contains damaged parts: they
# look up missing names, convert words to numbers, and call methods of missing objects. XML parsers
# (lxml, ElementTree) raise subclasses of SyntaxError.
_LEAKS: tuple[type[Exception], ...] = (
    *_DAMAGE,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    SyntaxError,
)
# Files saved as "Strict Open XML" use different names for the same things.
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_TRANSITIONAL = b"http://schemas.openxmlformats.org/"
# No entity expansion, no network access, no unlimited growth.
_SAFE_XML = {
    "resolve_entities": False,
    "no_network": True,
    "huge_tree": False,
    "load_dtd": False,
}
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A relationship between parts; `kind` is the last segment of its type (`footnotes`)."""

    id: str
    kind: str
    target: str
    external: bool


class Package:
    """The parts of one archive, unpacked one at a time and never written to disk."""

    def __init__(self, content: bytes, *, kind: str, limits: PackageLimits | None = None) -> None:
        self._kind = kind
        self._content = content
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(content))
            entries = self._archive.infolist()
            reject_unsafe(entries, limits or PackageLimits())
            self.names = frozenset(entry.filename for entry in entries)
            self._refuse_entities()
        except _DAMAGE as error:
            raise self.damaged(error) from error

    def part(self, name: str) -> bytes:
        """The bytes of one part. Raises ReadError if it is missing or damaged."""
        if name not in self.names:
            raise ReadError(
                f"the {self._kind} has no part {name}; it is damaged or incomplete; "
                "get a complete copy or save it again"
            )
        try:
            return self._archive.read(name)
        except _DAMAGE as error:
            raise self.damaged(error) from error

    def xml(self, name: str) -> etree._Element:
        """The XML root of one part. Raises ReadError if it is missing or not XML."""
        try:
            return parse_xml(self.part(name))
        except etree.XMLSyntaxError as error:
            raise self.damaged(error) from error

    def for_library(self, *, leave_out: frozenset[str] = frozenset()) -> io.BytesIO:
        """The checked archive as a file, in the usual namespaces, without the `leave_out` parts."""
        is_strict = b"purl.oclc.org/ooxml" in self.part(self.main_part())[:_HEAD_BYTES]
        if not (is_strict or leave_out):
            return io.BytesIO(self._content)
        copy = io.BytesIO()
        with zipfile.ZipFile(copy, "w") as archive:
            for name in sorted(self.names - leave_out):
                archive.writestr(name, _with_usual_names(self.part(name)))
        return copy

    @contextmanager
    def read_errors(self, *own: type[Exception]) -> Iterator[None]:
        """Converts exceptions that a library raises at a damaged part, or its `own`, to ReadError."""
        expected = (*own, *_LEAKS)
        try:
            yield
        except expected as error:
            raise self.damaged(error) from error

    def damaged_xml(self) -> frozenset[str]:
        """The parts that should be XML but are not, or cannot be unpacked."""
        return frozenset(filter(self._is_damaged_xml, self.names))

    def unpacked_bytes(self, folder: str) -> int:
        """The total unpacked size of the parts in a folder."""
        entries = self._archive.infolist()
        return sum(entry.file_size for entry in entries if entry.filename.startswith(folder))

    def relations(self, name: str) -> tuple[Relation, ...]:
        """The relationships of one part; the empty name is the package itself."""
        folder, base = posixpath.split(name)
        links = posixpath.join(folder, "_rels", f"{base}.rels")
        if links not in self.names:
            return ()
        return tuple(_relation(node, folder) for node in self.xml(links).iter(_RELATION))

    def main_part(self) -> str:
        """The name of the main document part."""
        for relation in self.relations(""):
            if relation.kind == "officeDocument" and relation.target in self.names:
                return relation.target
        raise ReadError(
            f"the {self._kind} does not name its main part; it is damaged; save it again"
        )

    def title(self) -> str | None:
        """The title in the file's properties, if any."""
        for relation in self.relations(""):
            if relation.kind == "core-properties" and relation.target in self.names:
                try:
                    root = parse_xml(self.part(relation.target))
                except (ReadError, etree.XMLSyntaxError):
                    return None  # damaged properties do not affect the text
                return cast("str | None", root.findtext("{http://purl.org/dc/elements/1.1/}title"))
        return None

    def active_content(self) -> Iterator[Flag]:
        """Flags parts that run, load or embed other things; none of them is run or opened."""
        yield from self._dangerous_parts()
        for name in sorted(name for name in self.names if name.endswith(".rels")):
            yield from self._outside_links(name)

    def _dangerous_parts(self) -> Iterator[Flag]:
        for name in sorted(self.names):
            if name.endswith("vbaProject.bin"):
                yield _active(f"macros ({name}); they are never run")
            elif "/activeX/" in name and name.endswith(".xml") and "/_rels/" not in name:
                yield _active(f"an active control ({name}); it is never run")
            elif _NESTED_ARCHIVE.search(name) or (name.endswith(".bin") and "embeddings" in name):
                detail = f"a file inside the file ({name}); it is not read"
                yield Flag(kind=FlagKind.ATTACHMENT, detail=detail)

    def _outside_links(self, name: str) -> Iterator[Flag]:
        """Flags relationships that load external resources; hyperlinks do not count."""
        try:
            links = self.xml(name)
        except ReadError:
            yield _active(f"a damaged list of links ({name}); none was followed")
            return
        for node in links.iter(_RELATION):
            kind = (node.get("Type") or "").rsplit("/", 1)[-1]
            if node.get("TargetMode") == "External" and kind != "hyperlink":
                target = (node.get("Target") or "")[:200]
                yield _active(f"a link to an external {kind} ({target}); it is never opened")

    def _is_damaged_xml(self, name: str) -> bool:
        if not name.lower().endswith(_XML_SUFFIXES):
            return False
        try:
            with self._archive.open(name) as part:
                # A parser that builds no tree, because a sheet may be large.
                expat.ParserCreate().ParseFile(part)
        except (expat.ExpatError, *_DAMAGE):
            return True
        return False

    def _refuse_entities(self) -> None:
        """Reject DTDs: Office XML may contain none (ECMA-376 part 2), so one is hostile."""
        # In Office files any part may be XML, whatever its name: its type is in a list.
        is_office = "[Content_Types].xml" in self.names
        for name in self.names:
            is_named_xml = name.lower().endswith(_XML_SUFFIXES)
            if not (is_named_xml or is_office):
                continue
            with self._archive.open(name) as part:
                # Zero bytes are removed so that UTF-16 cannot hide a declaration.
                raw = part.read(_HEAD_BYTES).replace(b"\0", b"")
            if is_named_xml or raw.lstrip(_BEFORE_XML).startswith(b"<"):
                self._refuse_declarations(name, _PROLOG.sub(b"", raw))

    def _refuse_declarations(self, name: str, head: bytes) -> None:
        declares = b"<!ENTITY" in head or (b"<!DOCTYPE" in head and not _may_name_dtd(name))
        # A comment longer than the inspected head could precede a declaration.
        hides = len(head) < _HEAD_BYTES <= self._archive.getinfo(name).file_size
        if declares or (hides and not _ROOT.search(head)):
            raise ReadError(
                f"its part {name} declares XML entities or a DTD, which no {self._kind} does; "
                "it was not opened, to protect this machine"
            )

    def damaged(self, error: Exception) -> ReadError:
        """The error for a file that a parser failed on."""
        lines = str(error).strip().splitlines()
        found = f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__
        return ReadError(
            f"the {self._kind} is damaged or was written by an unusual program ({found}); "
            "open it in its own program and save it again"
        )


def parse_xml(content: bytes) -> etree._Element:
    """The XML root of one part; entities are neither resolved nor fetched."""
    return etree.fromstring(_with_usual_names(content), etree.XMLParser(**_SAFE_XML))


def _with_usual_names(content: bytes) -> bytes:
    """The XML of a part, converted to the namespaces that nearly all files use."""
    if b"purl.oclc.org/ooxml" not in content[:_HEAD_BYTES]:
        return content
    return _STRICT.sub(_transitional, content)


def elements(node: etree._Element) -> list[etree._Element]:
    """The child elements, without comments, processing instructions and entities."""
    return [child for child in node if isinstance(child.tag, str)]


def whole_number(text: str | None, otherwise: int) -> int:
    """The integer in an attribute; `otherwise` if it is missing or invalid."""
    return int(text) if text and len(text) < 10 and text.strip().isdecimal() else otherwise


def _transitional(match: re.Match[bytes]) -> bytes:
    family, rest = match[1], match[2]
    return _TRANSITIONAL + family + b"/2006/" + rest


def _may_name_dtd(name: str) -> bool:
    # Web pages, the table of contents of an EPUB, and the manifest in files of old OpenOffice programs
    # may start with a public DTD, which is not fetched.
    is_manifest = name == "META-INF/manifest.xml"
    return is_manifest or name.lower().endswith((".ncx", ".opf", ".htm", ".html", ".xhtml"))


def _relation(node: etree._Element, folder: str) -> Relation:
    external = node.get("TargetMode") == "External"
    target = node.get("Target") or ""
    if not external:
        inside = unquote(target)
        joined = inside if inside.startswith("/") else posixpath.join("/", folder, inside)
        target = posixpath.normpath(joined).lstrip("/")
    return Relation(
        id=node.get("Id") or "",
        kind=(node.get("Type") or "").rsplit("/", 1)[-1],
        target=target,
        external=external,
    )


def _active(detail: str) -> Flag:
    return Flag(kind=FlagKind.ACTIVE_CONTENT, detail=detail)
