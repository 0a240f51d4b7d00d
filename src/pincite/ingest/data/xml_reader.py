"""Reads XML: the text and attributes of its elements in order, with their paths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from pincite.errors import ReadError
from pincite.ingest.assembly import Place, TextAssembly, choose_title
from pincite.ingest.office.package import elements, parse_xml
from pincite.ingest.reading import content_remarks
from pincite.records.document import BlockKind, Document, document_id

MEDIA_TYPE = "application/xml"
_LONGEST_NAME_CHARS = 60


@dataclass(frozen=True, slots=True)
class _Open:
    """An element being walked: its node, its place, the names above it, and its children so far."""

    node: etree._Element
    place: str
    names: tuple[str, ...]
    seen: Counter[str] = field(default_factory=Counter)


class XmlReader:
    """Reads `.xml` files; an element that mixes text and elements is one paragraph."""

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError if they are no XML, or define entities."""
        root = _root(content)
        assembly = TextAssembly()
        name = _name(root)
        # Not recursive, although the parser refuses more than 256 levels.
        waiting = [iter([_Open(root, name, (name,))])]
        while waiting:
            found = next(waiting[-1], None)
            if found is None:
                waiting.pop()
            elif _add(found, assembly):
                waiting.append(_children(found))
        identifier, sha256 = document_id(content)
        remarks = content_remarks("file", has_text=bool(assembly.blocks))
        return Document(
            id=identifier,
            sha256=sha256,
            title=choose_title(path, root.findtext("{*}title")),
            media_type=MEDIA_TYPE,
            text=assembly.text(),
            blocks=tuple(assembly.blocks),
            gaps=remarks.gaps,
            warnings=remarks.warnings,
        )


def _root(content: bytes) -> etree._Element:
    try:
        root = parse_xml(content)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ReadError(
            f"the XML is damaged or nested too deep ({str(error)[:200]}); correct it or get a "
            "complete copy of the file"
        ) from error
    document_type = root.getroottree().docinfo.internalDTD
    # Their values would be missing from the text, and expanding them can take all memory.
    if document_type is not None and any(True for _ in document_type.iterentities()):
        raise ReadError(
            "it defines XML entities, which are not expanded, to protect this machine; save it "
            "without a DTD"
        )
    return root


def _children(outer: _Open) -> Iterator[_Open]:
    for child in elements(outer.node):
        name = _name(child)
        outer.seen[name] += 1
        place = f"{outer.place}/{name}[{outer.seen[name]}]"
        yield _Open(child, place, (*outer.names, name))


def _add(found: _Open, assembly: TextAssembly) -> bool:
    """Add what is in an element itself; returns whether its children are still to be added."""
    assembly.place = Place(words=found.place)
    assembly.outline.leave()
    for level, name in enumerate(found.names, start=1):
        assembly.outline.enter(level, name)
    children = elements(found.node)
    is_mixed = any((child.tail or "").strip() for child in found.node)
    is_text = is_mixed or bool((found.node.text or "").strip())
    for node in found.node.iter("*") if is_text and children else (found.node,):
        assembly.add(_attributes(node), BlockKind.LIST_ITEM)
    if is_text:
        text = "".join(found.node.itertext("*")) if children or is_mixed else found.node.text or ""
        assembly.add(" ".join(text.split()), BlockKind.PARAGRAPH)
    return not is_text and bool(children)


def _attributes(node: etree._Element) -> str:
    """`port: 80; host: a`."""
    return "; ".join(
        f"{etree.QName(key).localname}: {' '.join(value.split())}"
        for key, value in node.items()
        if value.strip()
    )


def _name(node: etree._Element) -> str:
    return str(etree.QName(node).localname)[:_LONGEST_NAME_CHARS]
