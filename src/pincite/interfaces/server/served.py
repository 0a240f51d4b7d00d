"""One library and what a server does with it; REST, the OpenAI form and MCP all go through here.

All methods block and may be called in several threads. `allowed` are the collections that who asks may
see, None for all: it counts before anything is searched, and what is not allowed is as if not there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from pincite.digests import digest_now
from pincite.errors import UsageError
from pincite.filters import Filters
from pincite.holdings import FileEntry
from pincite.interfaces.forms import search_form
from pincite.interfaces.server.names import ShownNames
from pincite.interfaces.server.permalinks import Permalink
from pincite.interfaces.server.problems import not_found
from pincite.library import Library
from pincite.settings import Settings, load_settings, profile_names
from pincite.verify.cells import box_forms
from pincite.verify.receipt import answer_form
from pincite.verify.sealing import sealed

if TYPE_CHECKING:
    from pincite.document import Document
    from pincite.records import Answer, Preview

Allowed = frozenset[str] | None
Form = dict[str, Any]

_KINDS = {".htm": "html", ".md": "markdown", ".markdown": "markdown", ".yml": "yaml"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A document that who asks may see: its files, those they hold now first."""

    document: Document
    files: tuple[FileEntry, ...]
    former: tuple[FileEntry, ...] = ()
    """Files that held it before and hold something else now."""


class Served:
    """What a server serves."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.names = ShownNames(library.catalog)
        self._profiles: dict[str, Settings] = {}
        self._files: tuple[int, tuple[FileEntry, ...]] = (-1, ())
        self._one_at_a_time = threading.Lock()

    def close(self) -> None:
        """Release the library."""
        self.library.close()

    def warm_up(self) -> None:
        """Load what the first question would have to wait for."""
        self.library.stages()

    # --- Asking -----------------------------------------------------------------------------------

    def ask(
        self,
        question: str,
        *,
        collection: str | None = None,
        filters: Filters | None = None,
        profile: str = "",
        debug: bool = False,
        allowed: Allowed = None,
        watch: Callable[[Preview], None] | None = None,
    ) -> Form:
        """The object of `pincite ask --json`, and a permalink for each citation."""
        answer = self.library.ask(
            question,
            collection=self.scope(collection, allowed),
            filters=filters,
            explain=debug,
            settings=self.settings_of(profile),
            watch=watch,
        )
        return self.answer_form(answer, debug=debug)

    def answer_form(self, answer: Answer, *, debug: bool = False) -> Form:
        """An answer as every client gets it: files by their names, with links."""
        form = answer_form(answer)
        if debug:
            form["trace"] = dict(answer.trace)
        shown = self.names.hidden(form)
        return {**sealed(shown), "links": link_forms(answer_citations(answer))}

    def search(
        self,
        question: str,
        *,
        limit: int | None = None,
        collection: str | None = None,
        filters: Filters | None = None,
        sections: bool = False,
        debug: bool = False,
        allowed: Allowed = None,
    ) -> Form:
        """The object of `pincite search --json`, and a permalink for each hit."""
        found = self.library.search(
            question,
            limit=limit,
            collection=self.scope(collection, allowed),
            filters=filters,
            explain=debug,
        )
        form = search_form(found, self.library, sections=sections)
        links = [
            Permalink.to(hit["document"], hit["start"], hit["end"], hit["text"])
            for hit in form["hits"]
        ]
        if debug:
            form["trace"] = dict(found.trace)
        return {**self.names.hidden(form), "links": link_forms(links)}

    def count(
        self,
        words: str,
        *,
        collection: str | None = None,
        filters: Filters | None = None,
        allowed: Allowed = None,
    ) -> Form:
        """How often words stand in all documents: the object of `pincite count --json`."""
        scope = self.scope(collection, allowed)
        return self.answer_form(self.library.count(words, collection=scope, filters=filters))

    def scope(self, collection: str | None, allowed: Allowed) -> str | None:
        """The collection that a question is asked of. One that is not allowed is not there."""
        if allowed is None:
            return collection
        there = sorted(allowed & self.library.catalog.collections().keys())
        if collection is not None and collection not in there:
            raise UsageError(
                f"there is no collection '{collection}'; there are: {', '.join(there) or 'none yet'}"
            )
        if collection is None and len(there) != 1:
            raise UsageError(f"name a collection; there are: {', '.join(there) or 'none yet'}")
        return collection or there[0]

    def settings_of(self, profile: str) -> Settings | None:
        """The settings under a shipped profile; None for the library's own."""
        if not profile:
            return None
        if profile not in profile_names():
            raise UsageError(
                f"there is no profile '{profile}'; there are: {', '.join(profile_names())}"
            )
        with self._one_at_a_time:
            if profile not in self._profiles:
                found, _ = load_settings(self.library.path, profile=profile)
                self._profiles[profile] = found
            return self._profiles[profile]

    # --- Citations and documents --------------------------------------------------------------------

    def citation(self, identity: str, *, allowed: Allowed = None) -> Form:
        """What stands behind a permalink now: the file's bytes and the text are looked at again."""
        link = Permalink.parsed(identity)
        if link is None:
            raise not_found(f"'{identity[:80]}' is not the id of a citation")
        held = self._held(link.document, allowed)
        text = held.document.text[link.start : link.end] if held else ""
        if held is None or not link.is_quote(text):
            return _unknown(identity, link, is_held=held is not None)
        state, told = _state(held)
        file = (*held.files, *held.former)[0]
        boxes = box_forms(held.document.boxes.boxes(link.start, link.end))
        page = held.document.page_at(link.start)
        return {
            "id": identity,
            "state": state,
            "message": told,
            "quote": text,
            "document": {
                "id": link.document,
                "name": self.names(file.path),
                "collection": file.collection,
                "kind": kind_of(file.path),
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
        """Whether these very words stand in a document, or in any: every place, with its permalink."""
        if not quote.strip():
            raise UsageError("the quote is empty; give the words to look for")
        scope = None if collection is None else self.scope(collection, allowed)
        places = []
        for file in self.files(allowed):
            if document not in ("", file.document_id) or scope not in (None, file.collection):
                continue
            places += list(self._places_of(quote, file))
        return {"quote": quote, "verified": bool(places), "places": places[:_PLACES_SHOWN]}

    def documents(self, *, collection: str | None = None, allowed: Allowed = None) -> list[Form]:
        """Every file, with how much of it can be found."""
        if collection is not None:
            collection = self.scope(collection, allowed)
            self.library.check_collection(collection)
        files = self.files(allowed)
        return [self.file_form(f) for f in files if collection in (None, f.collection)]

    def document(self, document_id: str, *, allowed: Allowed = None) -> Form:
        """One document: its files, pages and what is the matter with it."""
        held = self.held(document_id, allowed)
        return {
            **self.file_form(held.files[0]),
            "title": held.document.title,
            "length": len(held.document.text),
            "files": [
                {"name": self.names(file.path), "collection": file.collection}
                for file in held.files
            ],
            "page_sizes": [
                {"page": page.number, "label": page.label, "width": page.width,
                 "height": page.height, "start": page.start, "end": page.end, "gap": page.gap}
                for page in held.document.pages
            ],
        }  # fmt: skip

    def text(
        self, document_id: str, *, start: int = 0, end: int | None = None, allowed: Allowed = None
    ) -> Form:
        """A range of a document's text, in characters."""
        text = self.held(document_id, allowed).document.text
        last = len(text) if end is None else min(end, len(text))
        if start > last:
            raise UsageError(
                f"characters {start}-{end}: expected a range within the {len(text)} of this document"
            )
        return {"text": text[start:last], "start": start, "end": last, "length": len(text)}

    def held(self, document_id: str, allowed: Allowed = None) -> Held:
        """A document that a file holds now; a problem where there is none."""
        found = self._held(document_id, allowed)
        if found is None or not found.files:
            raise not_found(f"there is no document {document_id[:40]} in this library")
        return found

    def files(self, allowed: Allowed = None) -> tuple[FileEntry, ...]:
        """Every file that who asks may see."""
        generation = self.library.catalog.generation()
        if self._files[0] != generation:
            self._files = (generation, self.library.files())
        return tuple(f for f in self._files[1] if allowed is None or f.collection in allowed)

    def file_form(self, file: FileEntry) -> Form:
        """A file as JSON."""
        told = dict(file.coverage)
        return {
            "id": file.document_id,
            "name": self.names(file.path),
            "collection": file.collection,
            "title": file.title,
            "kind": kind_of(file.path),
            "media_type": file.media_type,
            "pages": told.pop("pages", 0),
            "passages": file.passages,
            "coverage": told,
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

    def _places_of(self, quote: str, file: FileEntry) -> Iterator[Form]:
        document = self.library.catalog.document(file.document_id)
        start = document.text.find(quote)
        while start >= 0:
            end = start + len(quote)
            page = document.page_at(start)
            link = Permalink.to(document.id, start, end, quote)
            yield {
                "document": document.id,
                "name": self.names(file.path),
                "collection": file.collection,
                "page": page.number if page else None,
                "start": start,
                "end": end,
                "id": link.id,
                "href": link.href,
            }
            start = document.text.find(quote, end)

    # --- State ----------------------------------------------------------------------------------------

    def status(self, *, allowed: Allowed = None) -> Form:
        """What of the library may be seen, in numbers."""
        files = self.files(allowed)
        collections: dict[str, int] = {}
        for file in files:
            collections[file.collection] = collections.get(file.collection, 0) + 1
        catalog = self.library.catalog
        return {
            "documents": len(files),
            "passages": sum(file.passages for file in files),
            "pages": sum(file.coverage.get("pages", 0) for file in files),
            "collections": collections,
            "corpus_version": catalog.meta("corpus_version"),
            "generation": catalog.generation(),
        }

    def health(self) -> Form:
        """Whether all that is needed to answer is there; `problems` say what is not."""
        stages = self.library.stages()
        problems = [self.library.encoder_problem] if self.library.encoder_problem else []
        if self.library.settings.embedding.model == "none":
            problems = []
        return {
            "status": "degraded" if problems else "ok",
            "problems": [self.without_paths(told) for told in problems],
            "notices": [self.without_paths(told) for told in stages.notices],
        }

    def without_paths(self, message: str) -> str:
        """A message without where the library lies on the server's disk."""
        return message.replace(str(self.library.path), "the library")


_PLACES_SHOWN = 100


def answer_citations(answer: Answer) -> list[Permalink]:
    """The permalinks of an answer, in order of its citations."""
    return [Permalink.to(c.document, c.start, c.end, c.quote) for c in answer.citations]


def link_forms(links: Sequence[Permalink]) -> list[Form]:
    """Links by the numbers that are shown, from 1."""
    return [
        {"citation": number, "id": link.id, "href": link.href}
        for number, link in enumerate(links, start=1)
    ]


def kind_of(path: str) -> str:
    """What sort of file it is, in a word, by its name: pdf, docx, markdown."""
    suffix = PurePath(path).suffix.lower()
    return _KINDS.get(suffix, suffix[1:]) or "text"


def _state(held: Held) -> tuple[str, str]:
    """What of the file's bytes is still as it was when the quote was taken."""
    sha256 = held.document.sha256
    digests = [digest_now(file.path) for file in held.files]
    if sha256 in digests:
        return "verified", "the file was read again just now: these words stand there"
    if any(digests) or held.former:
        return (
            "changed",
            "this file has changed since it was quoted; ask again for what it says now",
        )
    return "gone", "this file is not there any more; what it said is kept in the library"


def _unknown(identity: str, link: Permalink, *, is_held: bool) -> Form:
    told = (
        "this document does not hold such a quote"
        if is_held
        else "this document is not in the library, or not for you to see"
    )
    return {
        "id": identity,
        "state": "unknown",
        "message": told,
        "quote": "",
        "document": {"id": link.document, "name": "", "collection": "", "kind": "", "pages": 0},
        "page": None,
        "boxes": [],
        "start": link.start,
        "end": link.end,
    }
