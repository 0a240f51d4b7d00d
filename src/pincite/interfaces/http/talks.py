"""Saved conversations that the client may see."""

from __future__ import annotations

from dataclasses import asdict

from pincite.chat.conversation import (
    Conversation,
    delete_conversation,
    kept_conversations,
    kept_turns,
)
from pincite.errors import UsageError
from pincite.interfaces.http.permalinks import with_links
from pincite.interfaces.http.problems import not_found
from pincite.interfaces.http.shelf import Allowed, Form
from pincite.interfaces.http.uploads import ShownNames
from pincite.library.library import Library
from pincite.records.filters import Filters


class Talks:
    """The saved conversations. Those about all collections need access to all of them."""

    def __init__(self, library: Library, names: ShownNames) -> None:
        self._library = library
        self._names = names

    def all(self, *, allowed: Allowed = None) -> list[Form]:
        """Every conversation, newest first."""
        return [
            asdict(one)
            for one in kept_conversations(self._library)
            if allowed is None or one.collection in allowed
        ]

    def turns(self, number: int, *, allowed: Allowed = None) -> Form:
        """The questions and answers of a conversation, with permalinks."""
        self._check(number, allowed)
        turns = [
            {
                "question": turn.question,
                "read_as": turn.read_as,
                "asked": turn.asked,
                "answer": with_links(self._names.hidden(turn.answer)),
            }
            for turn in kept_turns(self._library, number)
        ]
        return {"conversation": number, "turns": turns}

    def delete(self, number: int, *, allowed: Allowed = None) -> None:
        """Delete a conversation."""
        self._check(number, allowed)
        delete_conversation(self._library, number)

    def continued(
        self, number: int, collection: str | None, filters: Filters | None, allowed: Allowed
    ) -> Conversation:
        """The conversation, ready for the next question. Raises UsageError for another collection."""
        self._check(number, allowed)
        talk = Conversation.continued(self._library, number, filters=filters)
        if collection is not None and collection != talk.collection:
            about = f"'{talk.collection}'" if talk.collection else "all collections"
            raise UsageError(
                f"conversation {number} is about {about}; start a new one to ask about "
                f"'{collection}'"
            )
        return talk

    def _check(self, number: int, allowed: Allowed) -> None:
        if number not in {one["id"] for one in self.all(allowed=allowed)}:
            raise not_found(f"there is no conversation {number}")
