"""Read access to a library: its files, their texts and pages, and the targets of citations."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from http import HTTPStatus
from itertools import islice
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from pincite.assemble.files import open_reader
from pincite.errors import ReadError, UsageError
from pincite.ingest.detect import format_of
from pincite.interfaces.http.problems import Refused, not_found
from pincite.interfaces.http.telling import Allowed, Telling
from pincite.library.library import Library
from pincite.records.files import digest_now
from pincite.records.filters import Filters
from pincite.records.library_records import FileEntry
from pincite.report.brief import brief, brief_form
from pincite.report.timeline import timeline, timeline_form
from pincite.store.catalog.filtering import named_by
from pincite.verify.comparing.aligning import vectors_of
from pincite.verify.comparing.changes import compare
from pincite.verify.receipts.permalinks import Permalink, with_links
from pincite.verify.receipts.signing import sealed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pincite.ingest.sandbox.sandbox import SandboxedReader
    from pincite.records.document import Document, Page

Form = dict[str, Any]

_PLACES_SHOWN = 100
_LONGEST_TEXT = 1_000_000
"""Most characters in one reply."""
_PICTURES_KEPT_BYTES = 64 * 1024 * 1024
_DRAWING_SECONDS = 10.0
_MOST_WAITING = 6
"""Requests for pictures at once, the one that is drawn included; each has a thread."""
_MOST_PIXELS = 24_000_000
_FORGOTTEN_SECONDS, _MOST_UNDRAWN = 600.0, 1_000
_LOOKING_SECONDS = 10.0
_MOST_DATES = 500
"""Of a timeline in one reply."""

_LONGEST_COMPARED = 1_000_000
"""In characters; two such documents take some ten seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A document that the client may see, and the files that contain it now."""

    document: Document
    files: tuple[FileEntry, ...]
    former: tuple[FileEntry, ...] = ()
    """Files that contained it earlier and have changed since."""


class Shelf:
    """The files of one library. Methods block and are thread-safe."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.telling = Telling(library)
        self._files: tuple[int, tuple[FileEntry, ...]] = (-1, ())
        self._drawing = threading.Lock()
        self._drawer: SandboxedReader | None = None
        self._is_closed = False
        self._may_wait = threading.BoundedSemaphore(_MOST_WAITING)
        self._pictures: OrderedDict[tuple[str, int, float], bytes] = OrderedDict()
        self._comparing = threading.Lock()
        self._undrawn: OrderedDict[tuple[str, int], tuple[float, str]] = OrderedDict()
        """Pages that could not be drawn: until when that holds, and why."""

    def close(self) -> None:
        """Release the library."""
        self.stop_drawing()
        self.library.close()

    def stop_drawing(self) -> None:
        """End the process that draws pages."""
        self._is_closed = True
        if self._drawer is not None:
            self._drawer.close()

    def scope(self, collection: str | None, allowed: Allowed) -> str | None:
        """The collection to search, None for all. Raises UsageError if it is unknown or not allowed."""
        if allowed is None:
            self.library.check_collection(collection)
            return collection
        there = sorted(allowed & self.library.catalog.collections().keys())
        if collection is not None and collection not in there:
            raise UsageError(
                f"there is no collection '{collection}'; there are: {', '.join(there) or 'none yet'}"
            )
        if collection is None and len(there) != 1:
            raise UsageError(f"name a collection; there are: {', '.join(there) or 'none yet'}")
        return collection or there[0]

    # --- Citations ----------------------------------------------------------------------------------

    def citation(self, identity: str, *, allowed: Allowed = None) -> Form:
        """Check a permalink's quote again, against the file's bytes and the stored text."""
        link = Permalink.parsed(identity)
        if link is None:
            raise not_found(f"'{identity[:80]}' is not the id of a citation")
        held = self._held(link.document, allowed)
        text = held.document.text[link.start : link.end] if held else ""
        if held is None or not link.is_quote(text):
            return _unknown(identity, link, is_held=held is not None)
        state, message = _state(held)
        file = (*held.files, *held.former)[0]
        boxes = [asdict(box) for box in held.document.boxes.boxes(link.start, link.end)]
        page = held.document.page_at(link.start)
        return {
            "id": identity,
            "state": state,
            "message": message,
            "quote": text,
            "document": {
                "id": link.document,
                "name": self.telling.to(allowed)(file.path),
                "collection": file.collection,
                **kind_of(file.path),
                "pages": len(held.document.pages),
            },
            "page": page.number if page else None,
            "boxes": boxes,
            "start": link.start,
            "end": link.end,
        }

    def verify_quote(
        self, quote: str, *, document: str = "", collection: str | None = None,
        allowed: Allowed = None,
    ) -> Form:  # fmt: skip
        """Find these exact words in one document or in all; the first occurrences have permalinks.

        `more`: whether there are others. Raises Refused (504) where looking takes too long.
        """
        if not quote.strip():
            raise UsageError("the quote is empty; expected the words to look for")
        scope = None if collection is None else self.scope(collection, allowed)
        chosen = [
            file
            for file in self.files(allowed)
            if document in ("", file.document_id) and scope in (None, file.collection)
        ]
        found = self._places_in(chosen, quote, allowed)
        places = list(islice(found, _PLACES_SHOWN))
        more = next(found, None) is not None
        return {"quote": quote, "verified": bool(places), "places": places, "more": more}

    def documents(self, *, collection: str | None = None, allowed: Allowed = None) -> list[Form]:
        """Every file, with its coverage."""
        if collection is not None:
            collection = self.scope(collection, allowed)
            self.library.check_collection(collection)
        files = self.files(allowed)
        return [self.file_form(f, allowed) for f in files if collection in (None, f.collection)]

    def document(self, document_id: str, *, allowed: Allowed = None) -> Form:
        """One document: its files, pages and problems."""
        held = self.held(document_id, allowed)
        return {
            **self.file_form(held.files[0], allowed),
            "length": len(held.document.text),
            "files": [
                {"name": self.telling.to(allowed)(file.path), "collection": file.collection}
                for file in held.files
            ],
            "page_sizes": [page_form(page) for page in held.document.pages],
        }

    def text(
        self, document_id: str, *, start: int = 0, end: int | None = None, allowed: Allowed = None
    ) -> Form:
        """A range of a document's text, in characters. Raises UsageError for an invalid range."""
        text = self.held(document_id, allowed).document.text
        last = len(text) if end is None else min(end, len(text))
        if start > last:
            raise UsageError(
                f"characters {start}-{end}: expected a range within the {len(text)} of this document"
            )
        last = min(last, start + _LONGEST_TEXT)
        return {"text": text[start:last], "start": start, "end": last, "length": len(text)}

    def compare(self, before: str, after: str, *, allowed: Allowed = None) -> Form:
        """What differs between two documents, given by their ids, paths or names, with permalinks.

        One comparison at a time. Raises Refused (404) for an unknown document, UsageError for a name of
        several or documents that are too long.
        """
        ids = [self._named(name, allowed) for name in (before, after)]
        both = [
            # A file of another collection may have another name for the same content.
            replace(
                self.held(one, allowed).document, name=self.document(one, allowed=allowed)["name"]
            )
            for one in ids
        ]
        if max(len(one.text) for one in both) > _LONGEST_COMPARED:
            raise UsageError(
                f"a document of more than {_LONGEST_COMPARED:,} characters is not compared here; "
                "use 'pincite compare' on its machine"
            )
        with self._alone("other documents are being compared"):
            form = compare(*both, meaning=self._meaning).as_form()
        for side, document_id in zip(("before", "after"), ids, strict=True):
            for said in filter(None, (change[side] for change in form["changes"])):
                link = Permalink.to(document_id, said["start"], said["end"], said["quote"])
                said.update(document=document_id, id=link.id, href=link.href)
        return sealed(form)

    def _meaning(self, texts: Sequence[str]) -> NDArray[Any] | None:
        encoder = self.library.encoder()
        return None if encoder is None else vectors_of(encoder, texts)

    def timeline(
        self, question: str, collection: str | None, filters: Filters, *, allowed: Allowed = None
    ) -> Form:
        """The dated statements for a question, or of chosen documents: `pincite timeline --json`.

        One at a time, as comparisons.
        """
        if not question.strip() and not filters.documents:
            raise UsageError("say what the dates are to be about, or choose documents")
        scope = self.scope(collection, allowed)
        with self._alone("other documents are being read"):
            found = timeline(
                self.library, question, collection=scope, filters=filters, most=_MOST_DATES
            )
        return with_links(self.telling.to(allowed).hidden(timeline_form(found)))

    def brief(self, name: str, section: str, share: float, *, allowed: Allowed = None) -> Form:
        """A document in its own sentences: the object of `pincite brief --json`."""
        document_id = self._named(name, allowed)
        held = self.document(document_id, allowed=allowed)
        told = brief(
            self.library,
            document_id,
            section=section,
            share=share,
            collection=self.scope(held["collection"], allowed),
        )
        return with_links(self.telling.to(allowed).hidden(brief_form(told)))

    @contextmanager
    def _alone(self, meanwhile: str) -> Iterator[None]:
        """Hold the one place for work that reads whole documents. Raises Refused if it is taken."""
        if not self._comparing.acquire(blocking=False):
            raise _too_many(meanwhile)
        try:
            yield
        finally:
            self._comparing.release()

    def _named(self, name: str, allowed: Allowed) -> str:
        """The id of the one document with this id, path or name that the client may see."""
        entries = [(entry.document_id, entry.path) for entry in self.files(allowed)]
        found = {document_id for document_id, _ in named_by(name, entries)}
        if len(found) > 1:
            raise UsageError(
                f"{len(found)} documents are called '{name[:80]}'; give a path or an id"
            )
        if not found:
            raise not_found(f"there is no document '{name[:80]}' in this library")
        return found.pop()

    def held(self, document_id: str, allowed: Allowed = None) -> Held:
        """A document that a file contains now. Raises Refused (404) if there is none."""
        found = self._held(document_id, allowed)
        if found is None or not found.files:
            raise not_found(f"there is no document {document_id[:40]} in this library")
        return found

    def files(self, allowed: Allowed = None) -> tuple[FileEntry, ...]:
        """Every file that the client may see."""
        generation = self.library.catalog.generation()
        if self._files[0] != generation:
            self._files = (generation, self.library.files())
        return tuple(f for f in self._files[1] if allowed is None or f.collection in allowed)

    def file_form(self, file: FileEntry, allowed: Allowed = None) -> Form:
        """A file as JSON."""
        coverage = dict(file.coverage)
        return {
            "id": file.document_id,
            "name": self.telling.to(allowed)(file.path),
            "collection": file.collection,
            "title": file.title,
            **kind_of(file.path),
            "media_type": file.media_type,
            "pages": coverage.pop("pages", 0),
            "passages": file.passages,
            "coverage": coverage,
            "old_versions": len(file.old_versions),
        }

    def _held(self, document_id: str, allowed: Allowed) -> Held | None:
        every = self.files(allowed)
        files = tuple(file for file in every if file.document_id == document_id)
        former = tuple(
            file
            for file in every
            if any(old.document_id == document_id for old in file.old_versions)
        )
        if not files and not former:
            return None
        document = self.library.catalog.document(document_id)
        return Held(document=document, files=files, former=former)

    def _places_in(
        self, files: Sequence[FileEntry], quote: str, allowed: Allowed
    ) -> Iterator[Form]:
        began = time.monotonic()
        for number, file in enumerate(files):
            if time.monotonic() - began > _LOOKING_SECONDS:
                raise Refused(
                    HTTPStatus.GATEWAY_TIMEOUT,
                    f"looked through {number} of {len(files)} files in {_LOOKING_SECONDS:g} s; name "
                    "the 'document' or the 'collection' that the quote is from",
                )
            yield from self._places_of(quote, file, allowed)

    def _places_of(self, quote: str, file: FileEntry, allowed: Allowed) -> Iterator[Form]:
        document = self.library.catalog.document(file.document_id)
        start = document.text.find(quote)
        while start >= 0:
            end = start + len(quote)
            page = document.page_at(start)
            link = Permalink.to(document.id, start, end, quote)
            yield {
                "document": document.id,
                "name": self.telling.to(allowed)(file.path),
                "collection": file.collection,
                "page": page.number if page else None,
                "start": start,
                "end": end,
                "id": link.id,
                "href": link.href,
            }
            start = document.text.find(quote, end)

    # --- Pages --------------------------------------------------------------------------------------

    def page(self, document_id: str, number: int, *, words: bool, allowed: Allowed = None) -> Form:
        """A page: its size in points, its text range in characters, and the positions of its words."""
        document = self.held(document_id, allowed).document
        page = _page_of(document, number)
        form: Form = {**page_form(page), "has_picture": document.media_type == _PDF}
        if words:
            form["words"] = list(_words(document, page))
        return form

    def boxes(
        self, document_id: str, *, start: int, end: int, allowed: Allowed = None
    ) -> list[Form]:
        """The boxes of a text range on its pages, one for each line."""
        document = self.held(document_id, allowed).document
        if not start < end <= len(document.text):
            raise UsageError(
                f"characters {start}-{end}: expected a range within the {len(document.text)} of "
                "this document"
            )
        return [asdict(box) for box in document.boxes.boxes(start, end)]

    def picture(
        self, document_id: str, number: int, *, scale: float, allowed: Allowed = None
    ) -> bytes:
        """A page as PNG, rendered in a separate process that can access only this file."""
        held = self.held(document_id, allowed)
        document = held.document
        if document.media_type != _PDF:
            raise not_found("this kind of document has no page images; show its text")
        page = _page_of(document, number)
        if page.width * page.height * scale**2 > _MOST_PIXELS:
            largest = (_MOST_PIXELS / (page.width * page.height)) ** 0.5
            raise UsageError(f"page {number} is too large for this scale; at most {largest:.2f}")
        return self._drawn(held, number, scale)

    def _drawn(self, held: Held, number: int, scale: float) -> bytes:
        """The picture, if need be after waiting for others; a failure is remembered for a while."""
        key = (held.document.sha256, number, scale)
        with suppress(KeyError):
            return self._pictures[key]
        until, reason = self._undrawn.get(key[:2], (0.0, ""))
        if time.monotonic() < until:
            raise not_found(reason)
        if not self._may_wait.acquire(blocking=False):
            raise _too_many("too many page images are being drawn")
        try:
            if not self._drawing.acquire(timeout=_DRAWING_SECONDS):
                raise _too_many("too many page images are being drawn")
            try:
                if key not in self._pictures:
                    self._keep(key, self._draw(held, number, scale))
                self._pictures.move_to_end(key)
                return self._pictures[key]
            finally:
                self._drawing.release()
        finally:
            self._may_wait.release()

    def _draw(self, held: Held, number: int, scale: float) -> bytes:
        if self._drawer is None:
            self._drawer = open_reader(self.library.settings, seconds=_DRAWING_SECONDS)
        reason = ""
        for file in held.files:
            try:
                return self._drawer.draw(
                    Path(file.path), held.document.sha256, page=number, scale=scale
                )
            except ReadError as error:
                reason = str(error)
            finally:
                # Its process may have been started after the others were ended.
                if self._is_closed:
                    self._drawer.close()
        told = f"page {number} cannot be drawn: {reason.replace(held.files[0].path, '')}"
        self._undrawn[held.document.sha256, number] = (time.monotonic() + _FORGOTTEN_SECONDS, told)
        while len(self._undrawn) > _MOST_UNDRAWN:
            self._undrawn.popitem(last=False)
        raise not_found(told)

    def _keep(self, key: tuple[str, int, float], picture: bytes) -> None:
        self._pictures[key] = picture
        while sum(map(len, self._pictures.values())) > _PICTURES_KEPT_BYTES:
            self._pictures.popitem(last=False)


_PDF = "application/pdf"


def _too_many(what: str) -> Refused:
    return Refused(
        HTTPStatus.SERVICE_UNAVAILABLE,
        f"{what}; try again in a moment",
        headers={"Retry-After": "2"},
    )


def page_form(page: Page) -> Form:
    """A page as JSON: its size in points and its text range."""
    return {
        "page": page.number,
        "label": page.label,
        "width": page.width,
        "height": page.height,
        "start": page.start,
        "end": page.end,
        "gap": page.gap,
    }


def _page_of(document: Document, number: int) -> Page:
    found = next((page for page in document.pages if page.number == number), None)
    if found is None:
        raise not_found(f"there is no page {number}; this document has {len(document.pages)}")
    return found


def _words(document: Document, page: Page) -> Iterator[Form]:
    """The range and corners of each word."""
    boxes = document.boxes
    for row, (start, end, on) in enumerate(zip(boxes.starts, boxes.ends, boxes.pages, strict=True)):
        if on == page.number:
            x0, y0, x1, y1 = (round(value, 2) for value in boxes.corners[4 * row : 4 * row + 4])
            yield {"start": start, "end": end, "x0": x0, "y0": y0, "x1": x1, "y1": y1}


def kind_of(path: str) -> Form:
    """The kind of file, from its suffix: `pdf`, `docx`, and what people call it."""
    suffix = PurePath(path).suffix
    found = format_of(suffix)
    name = suffix[1:].lower() or "text"
    return {"kind": found.name if found else name, "format": found.label if found else name.upper()}


def _state(held: Held) -> tuple[str, str]:
    """Whether the file's bytes are unchanged since the quote was taken, and a message about it."""
    sha256 = held.document.sha256
    digests = [digest_now(file.path) for file in held.files]
    if sha256 in digests:
        return "verified", "the file was read again just now and contains these words"
    if any(digests) or held.former:
        return (
            "changed",
            "this file has changed since it was quoted; ask again to see what it says now",
        )
    return "gone", "this file no longer exists; its text is kept in the library"


def _unknown(identity: str, link: Permalink, *, is_held: bool) -> Form:
    message = (
        "this document does not contain this quote"
        if is_held
        else "this document is not in the library, or you have no access to it"
    )
    return {
        "id": identity,
        "state": "unknown",
        "message": message,
        "quote": "",
        "document": {
            **{"id": link.document, "name": "", "collection": ""},
            **{"kind": "", "format": "", "pages": 0},
        },
        "page": None,
        "boxes": [],
        "start": link.start,
        "end": link.end,
    }
