"""A component for Haystack pipelines (extra `haystack`)."""

from __future__ import annotations

import os
from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict

from pincite.interfaces.integrations.found import passages, quotes
from pincite.library.library import Library


@component
class PinciteRetriever:
    """Passages of a library as `documents`; with `checked`, the quotes of its answer, if there is one.
    `status` and `reasons` then say whether it abstained and why; otherwise they are empty.

    `library` is its folder, so that pipelines can be serialized; `warm_up` opens it.
    """

    def __init__(
        self, library: str | os.PathLike[str], *, top_k: int = 5, checked: bool = False
    ) -> None:
        self._folder = str(library)
        self._top_k = top_k
        self._checked = checked
        self._library: Library | None = None

    def warm_up(self) -> None:
        """Open the library. Raises LibraryError if there is none."""
        if self._library is None:
            self._library = Library.open(self._folder, create=False)

    def close(self) -> None:
        """Close the library; the next run opens it again."""
        if self._library is not None:
            self._library.close()
            self._library = None

    @component.output_types(documents=list[Document], status=str, reasons=list[str])
    def run(self, query: str, top_k: int | None = None) -> dict[str, Any]:
        """Search for a question."""
        self.warm_up()
        assert self._library is not None
        limit = self._top_k if top_k is None else top_k
        status, reasons = "", list[str]()
        if self._checked:
            answer = self._library.ask(query)
            found, status, reasons = (
                list(quotes(answer, limit=limit)),
                str(answer.status),
                list(answer.reasons),
            )
        else:
            found = list(passages(self._library, query, limit=limit))
        documents = [
            Document(id=one.id, content=one.text, meta=one.metadata, score=one.score)
            for one in found
        ]
        return {"documents": documents, "status": status, "reasons": reasons}

    def to_dict(self) -> dict[str, Any]:
        """The component in Haystack's serialized form."""
        written: dict[str, Any] = default_to_dict(
            self, library=self._folder, top_k=self._top_k, checked=self._checked
        )
        return written

    @classmethod
    def from_dict(cls, written: dict[str, Any]) -> Any:
        """The component from the result of `to_dict`."""
        return default_from_dict(cls, written)
