"""Reads EPUB books: the chapters in reading order, each under its title."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urldefrag

from lxml import etree

from pincite.errors import ReadError
from pincite.ingest.assembly import Place, TextAssembly, choose_title, clean_heading
from pincite.ingest.html.charset import decode_page
from pincite.ingest.html.nodes import parse_page
from pincite.ingest.html.reader import add_page
from pincite.ingest.office.package import Package, PackageLimits
from pincite.ingest.reading import content_remarks
from pincite.records.document import Document, document_id

_MEDIA_TYPE = "application/epub+zip"
_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
# Many free books have obfuscated fonts, which do not affect the text.
_FONT_SCRAMBLING = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """A file in the book."""

    part: str
    media_type: str
    properties: str


class EpubReader:
    """Reads `.epub` files without copy protection; never runs scripts or fetches anything."""

    def __init__(self, *, limits: PackageLimits | None = None) -> None:
        self._limits = limits

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError when they are not a readable book."""
        book = _Book(Package(content, kind="e-book", limits=self._limits))
        assembly, gaps = TextAssembly(), list[str]()
        _add_chapters(book, assembly, gaps)
        remarks = content_remarks("book", has_text=bool(assembly.blocks), pictures=book.pictures)
        identifier, sha256 = document_id(content)
        return Document(
            id=identifier,
            sha256=sha256,
            title=choose_title(path, book.title),
            media_type=_MEDIA_TYPE,
            text=assembly.text(),
            blocks=tuple(assembly.blocks),
            gaps=(*gaps, *remarks.gaps),
            warnings=remarks.warnings,
            flags=tuple(assembly.flags),
        )


def _add_chapters(book: _Book, assembly: TextAssembly, gaps: list[str]) -> None:
    for number, item in enumerate(book.spine, start=1):
        if item is None or item.part not in book.package.names:
            gaps.append(f"chapter {number} is listed in the book but missing from the file")
            continue
        if item.media_type not in _PAGES:
            gaps.append(f"chapter {number} is not text ({item.media_type}); it is not read")
            continue
        title = book.titles.get(item.part) or f"chapter {number}"
        try:
            page = decode_page(book.package.part(item.part))
        except ReadError as error:
            gaps.append(f"{title} is not read: {error}")
            continue
        if page.doubt:
            gaps.append(f"{title}: {page.doubt}")
        _add_chapter(page.text, title, assembly, has_name=item.part in book.titles)


def _add_chapter(page: str, title: str, assembly: TextAssembly, *, has_name: bool) -> None:
    assembly.outline.leave()
    assembly.place = Place(words=title)
    tree = parse_page(page)
    first = tree.css_first("h1, h2, h3")
    heading = clean_heading(first.text(deep=True)) if first is not None else ""
    # Most chapters begin with their title as a heading, which should not appear twice.
    if has_name and heading.casefold() != title.casefold():
        assembly.outline.enter(0, title)
    add_page(page, assembly, whole=True)
    assembly.place = Place()


class _Book:
    """The contents of a book's package document."""

    def __init__(self, package: Package) -> None:
        self.package = package
        _refuse_protection(package)
        self._opf = _package_document(package)
        root = package.xml(self._opf)
        items = {node.get("id") or "": self._item(node) for node in _all(root, "item")}
        self.spine = [items.get(node.get("idref") or "") for node in _all(root, "itemref")]
        if not self.spine:
            raise ReadError("the e-book has no chapters; open it in its program and save it again")
        self.pictures = sum(item.media_type.startswith("image/") for item in items.values())
        self.title = next((node.text for node in _all(root, "title") if node.text), None)
        self.titles = dict(self._titles(items))

    def _item(self, node: etree._Element) -> _Item:
        return _Item(
            part=_resolved(self._opf, node.get("href") or ""),
            media_type=node.get("media-type") or "",
            properties=node.get("properties") or "",
        )

    def _titles(self, items: dict[str, _Item]) -> Iterator[tuple[str, str]]:
        """Chapter titles by part, from the book's table of contents."""
        for item in items.values():
            if item.part not in self.package.names:
                continue
            try:
                if item.media_type == "application/x-dtbncx+xml":
                    yield from self._ncx_titles(item)
                elif "nav" in item.properties.split():
                    yield from self._nav_titles(item)
            except ReadError:
                continue  # a damaged table of contents loses chapter titles, not text

    def _ncx_titles(self, item: _Item) -> Iterator[tuple[str, str]]:
        for point in reversed(list(_all(self.package.xml(item.part), "navPoint"))):
            label = next((n.text for n in _all(point, "text") if n.text), "")
            target = next((n.get("src") for n in _all(point, "content")), "")
            if label and target:
                yield _resolved(item.part, target), clean_heading(label)

    def _nav_titles(self, item: _Item) -> Iterator[tuple[str, str]]:
        page = parse_page(decode_page(self.package.part(item.part)).text)
        # In reverse, so that the first entry for a chapter wins.
        for link in reversed(page.css("nav a[href]")):
            label = clean_heading(link.text(deep=True))
            if label:
                yield _resolved(item.part, link.attributes.get("href") or ""), label


def _refuse_protection(package: Package) -> None:
    if _ENCRYPTION not in package.names:
        return
    methods = {node.get("Algorithm") for node in _all(package.xml(_ENCRYPTION), "EncryptionMethod")}
    if methods - set(_FONT_SCRAMBLING):
        raise ReadError(
            "the e-book is locked by copy protection (DRM), so its text cannot be read; "
            "get a copy without it"
        )


def _package_document(package: Package) -> str:
    for node in _all(package.xml(_CONTAINER), "rootfile"):
        part = posixpath.normpath(unquote(node.get("full-path") or "")).lstrip("/")
        if part in package.names:
            return part
    raise ReadError("the e-book does not say where its chapters are; get a complete copy")


def _resolved(base: str, href: str) -> str:
    """The name of the part that a link in `base` points to."""
    folder = posixpath.dirname(base)
    target = unquote(urldefrag(href).url)
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")


def _all(root: etree._Element, name: str) -> Iterator[etree._Element]:
    """Every element of this name in any namespace, since versions of the standard differ."""
    yield from root.iter(f"{{*}}{name}")
