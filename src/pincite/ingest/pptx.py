"""Reads presentations: one page per slide, with its titles, bullets, tables and notes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

from lxml import etree
from pptx.exc import PythonPptxError
from pptx.package import Package as PresentationPackage
from pptx.parts.presentation import PresentationPart
from pptx.presentation import Presentation
from pptx.util import Pt

from pincite.document import BlockKind, Document, Page, document_id
from pincite.errors import ReadError
from pincite.ingest.archive_guard import PackageLimits
from pincite.ingest.assembly import Place, TextAssembly
from pincite.ingest.counting import content_remarks, counted
from pincite.ingest.outline import choose_title
from pincite.ingest.package import Package
from pincite.ingest.pptx_slide import P, R, SlideWriter

_MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.presentationml.presentation"


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
        with self._reading():
            deck = self._open()
            # Not by `deck.slides`, which is none at all where one of its links is damaged.
            links = [
                node.get(f"{R}id") or "" for node in deck.element.iterfind(f"{P}sldIdLst/{P}sldId")
            ]
            size = _slide_size(deck)
        for number, link in enumerate(links, start=1):
            self._slide(number, deck.part, link, size)

    def _open(self) -> Presentation:
        """The presentation without the parts that are damaged; those are gaps."""
        try:
            return _presentation(self._package.for_library())
        except etree.XMLSyntaxError:
            damaged = self._package.damaged_xml()
            deck = _presentation(self._package.for_library(leave_out=damaged))
        self.gaps += [f"its part {name} is damaged and was not read" for name in sorted(damaged)]
        return deck

    def _reading(self) -> AbstractContextManager[None]:
        return self._package.plain_errors(PythonPptxError)

    def warnings(self) -> Iterator[str]:
        """What was left out on purpose, or cannot be read in any presentation."""
        if self._pictures:
            pictures = counted(self._pictures, "picture")
            yield f"{pictures}; text in them is not read"
        if self._comments:
            yield f"{counted(self._comments, 'comment')} of reviewers left out"

    def _slide(
        self, number: int, deck: PresentationPart, link: str, size: tuple[float, float]
    ) -> None:
        start = self.assembly.start_of_next(BlockKind.PARAGRAPH)
        before, images, gap = len(self.assembly.blocks), 0, ""
        self.assembly.place = Place(page=number)
        self.assembly.outline.leave()
        try:
            with self._reading():
                writer = SlideWriter(self.assembly, deck.related_slide(link), number)
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


def _presentation(file: IO[bytes]) -> Presentation:
    # Not by `pptx.Presentation`, which refuses the types of slide shows and of templates.
    deck: Presentation = PresentationPackage.open(file).main_document_part.presentation
    return deck


def _slide_size(deck: Presentation) -> tuple[float, float]:
    """Width and height in points; the size of old slides where the file gives none."""
    return (deck.slide_width or Pt(720)).pt, (deck.slide_height or Pt(540)).pt
