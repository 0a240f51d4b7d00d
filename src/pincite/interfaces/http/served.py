"""The server's operations on one library; the REST, OpenAI and MCP interfaces all use them.

All methods block and are thread-safe. `allowed` is the set of collections that the client may see, None
for all. It applies before any search: everything else is treated as absent.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Literal

from pincite.chat.conversation import (
    FILTERS,
    Conversation,
    delete_conversation,
    kept_turns,
)
from pincite.errors import LibraryBusy, PinciteError, UsageError
from pincite.interfaces.forms import search_form
from pincite.interfaces.http.caches import AnswerCache, is_lasting, may_be_cached
from pincite.interfaces.http.folder import files_folder
from pincite.interfaces.http.jobs import Jobs
from pincite.interfaces.http.problems import not_found
from pincite.interfaces.http.shelf import Form, Shelf
from pincite.interfaces.http.telling import Allowed, Telling
from pincite.interfaces.http.uploads import Uploads
from pincite.library.asking import LONGEST_QUESTION
from pincite.library.library import Library
from pincite.records.filters import Filters
from pincite.report.checking import check_text, checked_form
from pincite.report.sheets.kept import CellsInMemory
from pincite.report.sheets.sheet import Column, Sheet, SheetRow, fill
from pincite.settings.loading import Settings, load_settings, profile_names
from pincite.verify.receipts.permalinks import Permalink, link_forms, with_links
from pincite.verify.receipts.receipt import answer_form
from pincite.verify.receipts.signing import sealed

if TYPE_CHECKING:
    from pincite.records.flow import Answer, Hit, Preview
    from pincite.store.catalog.conversations import KeptTurn


__all__ = ["Allowed", "Form", "Served"]

_MOST_SECTION_CHARS = 1_000_000
"""Of all sections in one reply to a search."""

_LONGEST_CHECKED = 20_000
_MOST_STATEMENTS = 200
_CHECKING_SECONDS = 20.0
"""Of a text: a reply takes no longer, and says what was not checked."""

_MOST_CELLS, _CELLS_KEPT = 500, 20_000
"""Of a table: that are asked in one request, and that are kept for the next one."""

_FIRST_QUESTION = "What has to be checked before work begins?"
"""Asked at startup, so that everything is loaded."""


class Served(Shelf):
    """The library that a server serves, with its uploads, jobs, cache and conversations."""

    def __init__(self, library: Library) -> None:
        super().__init__(library)
        folder = files_folder(library)
        self.uploads = Uploads(folder)
        self.jobs = Jobs(library, folder, self.telling)
        self.cache: AnswerCache | None = None
        self._cells = CellsInMemory(_CELLS_KEPT)
        self._profiles: dict[str, Settings] = {}
        self._one_at_a_time = threading.Lock()
        self.longest_question = LONGEST_QUESTION
        """Maximum length of a question in characters, from any client."""

    def _check_length(self, question: str) -> None:
        if len(question) > self.longest_question:
            raise UsageError(
                f"the question has {len(question):,} characters; at most "
                f"{self.longest_question:,} are accepted"
            )

    @property
    def talks(self) -> Talks:
        """The saved conversations."""
        return Talks(self.library, self.telling)

    def warm_up(self) -> None:
        """Load what the first question would have to wait for, and resume unfinished jobs."""
        # Problems are reported by every answer and by `health`.
        with suppress(PinciteError):
            self.library.search(_FIRST_QUESTION, limit=1)
        self.jobs.start()

    def close(self) -> None:
        """Stop background jobs and release the library."""
        self.jobs.stop()
        if self.cache is not None:
            self.cache.close()
        super().close()

    def remove(
        self, document_id: str, *, collection: str | None = None, allowed: Allowed = None
    ) -> Form:
        """Remove a document from one collection, or from all that the client may see.

        An uploaded file is deleted; a file ingested from a folder is left in place.
        """
        held = self.held(document_id, allowed)
        files = [file for file in held.files if collection in (None, file.collection)]
        if not files:
            raise not_found(f"this document is not in the collection '{collection}'")
        removed = []
        for file in files:
            form = {"name": self.telling.to(allowed)(file.path), "collection": file.collection}
            self.library.remove([file.path], collection=file.collection)
            removed.append({**form, "deleted": self.uploads.forget(file.path)})
        return {"removed": removed}

    # --- Asking -----------------------------------------------------------------------------------

    def ask(
        self,
        question: str,
        *,
        collection: str | None = None,
        filters: Filters | None = None,
        profile: str = "",
        conversation: int | Literal["new"] | None = None,
        debug: bool = False,
        allowed: Allowed = None,
        owner: str = "",
        found: Callable[[Sequence[Hit]], None] | None = None,
        watch: Callable[[Preview], None] | None = None,
    ) -> Form:
        """The object of `pincite ask --json`, with a permalink for each citation.

        In a `conversation` the question is read in the context of earlier ones; the reply has the
        conversation's number and the question as it was read. `owner` is the id of the key that it
        belongs to. `found` gets the passages as soon as they are found, `watch` the statements
        checked so far while a language model writes.
        """
        self._check_length(question)
        scope = self.scope(collection, allowed)
        settings = self.settings_of(profile)
        if conversation is None and not (debug or profile or found or watch):
            return self._plain_answer(question, scope, filters, allowed)
        if conversation is None:
            answer = self.library.ask(
                question,
                collection=scope,
                filters=filters,
                explain=debug,
                settings=settings,
                found=found,
                watch=watch,
            )
            return self.answer_form(answer, debug=debug, allowed=allowed)
        if conversation == "new":
            talk = Conversation(self.library, collection=scope, filters=filters, owner=owner)
        else:
            talk = self.talks.continued(conversation, collection, filters, allowed, owner)
        turn = talk.ask(question, explain=debug, settings=settings, found=found, watch=watch)
        extra = {
            "conversation": talk.id,
            "read_as": turn.read_as,
            "notices": list(turn.notices),
        }
        return self.answer_form(turn.answer, debug=debug, extra=extra, allowed=allowed)

    def _plain_answer(
        self, question: str, scope: str | None, filters: Filters | None, allowed: Allowed
    ) -> Form:
        """An answer from the cache if it is there and still valid, otherwise a new one."""
        cache = self.cache if may_be_cached(self.library.settings) else None
        if cache is None:
            answer = self.library.ask(question, collection=scope, filters=filters)
            return self.answer_form(answer, allowed=allowed)
        began = time.perf_counter()
        state = self.library.state_for(question, collection=scope, filters=filters)
        kept = cache.get(state)
        if kept is not None:
            took = round((time.perf_counter() - began) * 1000, 3)
            form = {**kept, "timings": {"cache": took}}
            return sealed(with_links(self.telling.to(allowed).hidden(form)))
        answer = self.library.ask(question, collection=scope, filters=filters)
        # Not cached if the library changed in the meantime: the key would be wrong.
        if is_lasting(answer) and state == self.library.state_for(
            question, collection=scope, filters=filters
        ):
            cache.put(state, answer_form(answer))
        return self.answer_form(answer, allowed=allowed)

    def answer_form(
        self,
        answer: Answer,
        *,
        debug: bool = False,
        extra: Mapping[str, Any] | None = None,
        allowed: Allowed = None,
    ) -> Form:
        """An answer as clients get it: with file names instead of paths, links, and `extra` fields.

        Its digest covers everything, so `pincite verify` can check the saved reply.
        """
        form = answer_form(answer)
        if debug:
            form["trace"] = _shown_trace(answer.trace, allowed)
        names = self.telling.to(allowed)
        return sealed({**with_links(names.hidden(form)), **names.hidden(extra or {})})

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
        """The object of `pincite search --json`, with a permalink for each hit."""
        self._check_length(question)
        scope = self.scope(collection, allowed)
        found = self.library.search(
            question,
            limit=limit,
            collection=scope,
            filters=filters,
            explain=debug,
        )
        form = search_form(
            found,
            self.library,
            collection=scope,
            sections=sections,
            most_section_chars=_MOST_SECTION_CHARS,
        )
        links = [
            Permalink.to(hit["document"], hit["start"], hit["end"], hit["text"])
            for hit in form["hits"]
        ]
        if debug:
            form["trace"] = _shown_trace(found.trace, allowed)
        return {**self.telling.to(allowed).hidden(form), "links": link_forms(links)}

    def count(
        self,
        words: str,
        *,
        collection: str | None = None,
        filters: Filters | None = None,
        allowed: Allowed = None,
    ) -> Form:
        """How often words occur in all documents: the object of `pincite count --json`."""
        self._check_length(words)
        scope = self.scope(collection, allowed)
        answer = self.library.count(words, collection=scope, filters=filters)
        return self.answer_form(answer, allowed=allowed)

    def check(
        self,
        text: str,
        *,
        collection: str | None = None,
        filters: Filters | None = None,
        allowed: Allowed = None,
    ) -> Form:
        """What the documents say about each statement of a text: as `pincite check --json`."""
        if len(text) > _LONGEST_CHECKED:
            raise UsageError(
                f"the text has {len(text):,} characters; at most {_LONGEST_CHECKED:,} are checked at a "
                "time: give a part of it, or use 'pincite check' on the library's machine"
            )
        checked = check_text(
            self.library,
            text,
            collection=self.scope(collection, allowed),
            filters=filters,
            most=_MOST_STATEMENTS,
            until=time.monotonic() + _CHECKING_SECONDS,
        )
        return with_links(self.telling.to(allowed).hidden(checked_form(checked)))

    def table(
        self,
        columns: Sequence[Column],
        *,
        documents: Sequence[str] = (),
        collection: str | None = None,
        allowed: Allowed = None,
    ) -> Sheet:
        """The columns' questions asked of each document: as `pincite table`, with names for paths.

        Cells of earlier requests are taken again, so that a table that was looked at is saved at once.
        """
        for column in columns:
            self._check_length(column.question)
        made = fill(
            self.library,
            columns,
            kept=self._cells,
            most=_MOST_CELLS,
            collection=self.scope(collection, allowed),
            documents=documents,
        )
        names = self.telling.to(allowed)

        def row_for_client(row: SheetRow) -> SheetRow:
            cells = (replace(cell, reason=names.message(cell.reason)) for cell in row.cells)
            return replace(row, path=names(row.path), cells=tuple(cells))

        return replace(made, rows=tuple(map(row_for_client, made.rows)))

    def settings_of(self, profile: str) -> Settings | None:
        """The settings with a built-in profile; None for the library's own. Raises UsageError."""
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

    # --- State ----------------------------------------------------------------------------------------

    def status(self, *, allowed: Allowed = None) -> Form:
        """The numbers of documents, passages and pages that the client may see."""
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
        """Whether questions can be answered; `problems` says what is missing."""
        problems, notices = [], []
        try:
            stages = self.library.stages()
            notices = [self.without_paths(notice) for notice in stages.notices]
            # An open catalog keeps answering for a while after its file is deleted.
            if not self.library.home.is_there():
                problems.append("the library's catalog is missing; restore it from a backup")
        except LibraryBusy:
            notices = ["the first ingest is still running"]
        except (PinciteError, OSError) as error:
            problems.append(self.without_paths(str(error)))
        if self.library.settings.embedding.model != "none" and self.library.encoder_problem:
            problems.append(self.without_paths(self.library.encoder_problem))
        return {
            "status": "failing" if problems else "ok",
            "problems": problems,
            "notices": notices,
        }

    def config(self) -> Form:
        """The settings that affect answers, without the names of servers and files."""
        settings = self.library.settings
        groups = settings.model_dump(mode="json", exclude={"server", "ingest"})
        for values in groups.values():
            for name, value in values.items():
                if isinstance(value, str) and ("/" in value or "\\" in value):
                    values[name] = "(set)"
        return {"digest": settings.digest(), "settings": groups, "profiles": profile_names()}

    def without_paths(self, message: str) -> str:
        """A message for clients of whom nothing is known: without paths and names of files."""
        return self.telling.to(frozenset()).message(message)


def _shown_trace(trace: Mapping[str, Any], allowed: Allowed) -> Form:
    """The trace for a client.

    A passage's context names the file that its text was first read from, which may be another one of
    the same content, in a collection that the client may not see.
    """
    if allowed is None:
        return dict(trace)
    passages = {
        name: {key: value for key, value in passage.items() if key != "context"}
        for name, passage in trace.get("passages", {}).items()
    }
    return {**trace, "passages": passages}


# Saved conversations that the client may see.


def _without_filters(turn: KeptTurn) -> Form:
    return {name: value for name, value in turn.answer.items() if name != FILTERS}


class Talks:
    """The saved conversations: those of the key that asks, about collections that it may still see.

    `owner` is the key's id, empty without one.
    """

    def __init__(self, library: Library, telling: Telling) -> None:
        self._library = library
        self._telling = telling

    def page(
        self, *, allowed: Allowed = None, owner: str = "", before: int | None = None, most: int
    ) -> Form:
        """At `most` so many conversations of this key, newest first, and whether there are `more`."""
        kept = self._library.catalog.conversations
        found = kept.all(owner=owner, collections=allowed, before=before, most=most + 1)
        return {"conversations": [asdict(one) for one in found[:most]], "more": len(found) > most}

    def turns(self, number: int, *, allowed: Allowed = None, owner: str = "") -> Form:
        """The questions and answers of a conversation, with permalinks."""
        self._check(number, allowed, owner)
        turns = [
            {
                "question": turn.question,
                "read_as": turn.read_as,
                "asked": turn.asked,
                "filters": turn.answer.get(FILTERS, {}),
                "answer": with_links(self._telling.to(allowed).hidden(_without_filters(turn))),
            }
            for turn in kept_turns(self._library, number)
        ]
        collection = self._library.catalog.conversations.collection_of(number)
        return {"conversation": number, "collection": collection, "turns": turns}

    def delete(self, number: int, *, allowed: Allowed = None, owner: str = "") -> None:
        """Delete a conversation."""
        self._check(number, allowed, owner)
        delete_conversation(self._library, number)

    def continued(
        self,
        number: int,
        collection: str | None,
        filters: Filters | None,
        allowed: Allowed,
        owner: str = "",
    ) -> Conversation:
        """The conversation, ready for the next question. Raises UsageError for another collection."""
        self._check(number, allowed, owner)
        talk = Conversation.continued(self._library, number, filters=filters)
        if collection is not None and collection != talk.collection:
            about = f"'{talk.collection}'" if talk.collection else "all collections"
            raise UsageError(
                f"conversation {number} is about {about}; start a new one to ask about "
                f"'{collection}'"
            )
        return talk

    def _check(self, number: int, allowed: Allowed, owner: str) -> None:
        kept = self._library.catalog.conversations
        may_see = allowed is None or kept.collection_of(number) in allowed
        if not may_see or not kept.is_owned(number, owner):
            raise not_found(f"there is no conversation {number}")
