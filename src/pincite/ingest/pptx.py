"""Reads presentations: one page per slide, with its titles, bullets, tables and notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from pincite.document import BlockKind, Document, Page, document_id
from pincite.errors import ReadError
from pincite.ingest.assembly import Place, TextAssembly
from pincite.ingest.counting import content_remarks, counted
from pincite.ingest.outline import choose_title
from pincite.ingest.package import Package, PackageLimits, Relation
from pincite.ingest.pptx_slide import P, R, SlideWriter

_MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
_EMU_PER_POINT = 12_700
_USUAL_SIZE = (720.0, 540.0)


class PptxReader:
    """Reads `.pptx` and `.pptm` files; macros are never run and nothing outside is opened."""

    def __init__(self, *, limits: PackageLimits | None = None) -> None:
        self._limits = limits

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError when they are not a readable presentation."""
        package = Package(content, kind="PowerPoint file", limits=self._limits)
        deck = _Deck(package)
        deck.read()
        assembly = deck.assembly
        remarks = content_remarks("presentation", has_text=bool(assembly.blocks))
        identifier, sha256 = document_id(content)
        return Document(
            id=identifier,
            sha256=sha256,
            title=choose_title(path, package.title(), deck.first_title),
            media_type=_MEDIA_TYPE,
            text=assembly.text(),
            blocks=tuple(assembly.blocks),
            pages=tuple(deck.pages),
            gaps=tuple(deck.gaps),
            warnings=(*remarks.warnings, *deck.warnings()),
            flags=(*assembly.flags, *package.dangers()),
        )


class _Deck:
    """The slides of one presentation in order."""

    def __init__(self, package: Package) -> None:
        self.assembly = TextAssembly()
        self.pages: list[Page] = []
        self.gaps: list[str] = []
        self.first_title: str | None = None
        self._package = package
        self._comments = 0
        self._pictures = 0

    def read(self) -> None:
        """Read every slide; one that is damaged is a gap."""
        main = self._package.main_part()
        root = self._package.xml(main)
        relations = {relation.id: relation for relation in self._package.relations(main)}
        size = _slide_size(root)
        for number, node in enumerate(root.iterfind(f"{P}sldIdLst/{P}sldId"), start=1):
            self._slide(number, relations.get(node.get(f"{R}id") or ""), size)

    def warnings(self) -> Iterator[str]:
        """What was left out on purpose, or cannot be read in any presentation."""
        if self._pictures:
            pictures = counted(self._pictures, "picture")
            yield f"{pictures}; text in them is not read"
        if self._comments:
            yield f"{counted(self._comments, 'comment')} of reviewers left out"

    def _slide(self, number: int, relation: Relation | None, size: tuple[float, float]) -> None:
        start = self.assembly.start_of_next(BlockKind.PARAGRAPH)
        before, images, gap = len(self.assembly.blocks), 0, ""
        self.assembly.place = Place(page=number)
        self.assembly.outline.leave()
        try:
            writer = SlideWriter(self._package, self.assembly, relation, number)
            writer.write()
            images = writer.images
            self._comments += writer.comments
            self.first_title = self.first_title or writer.title
        except ReadError as error:
            gap = f"slide {number} could not be read: {error}"
        if images and len(self.assembly.blocks) == before:
            gap = f"slide {number} has no text, only {counted(images, 'picture')}"
        if gap:
            self.gaps.append(gap)
        self._pictures += images
        end = self.assembly.length
        self.pages.append(
            Page(
                number=number,
                start=min(start, end),
                end=end,
                width=size[0],
                height=size[1],
                images=images,
                gap=gap,
            )
        )


def _slide_size(root: etree._Element) -> tuple[float, float]:
    node = root.find(f"{P}sldSz")
    sides = [node.get(side) or "" for side in ("cx", "cy")] if node is not None else []
    if len(sides) == 2 and all(side.isdigit() and len(side) < 12 for side in sides):
        return int(sides[0]) / _EMU_PER_POINT, int(sides[1]) / _EMU_PER_POINT
    return _USUAL_SIZE
