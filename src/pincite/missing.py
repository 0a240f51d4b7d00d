"""What is not in a library, or cannot be found in it, that a question must be told of?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import PurePath

from pincite.catalog.catalog import Catalog
from pincite.library_folder import is_held
from pincite.text.name_words import name_words, names_of
from pincite.unfinished import told, unfinished

EMPTY = "this library holds no documents: pincite ingest PATH"
_NAMED = 3
_SHORTEST_WORD = 4
"""In characters. A name of nothing but shorter words is found in too many questions."""

_Name = frozenset[str]


class Missing:
    """Tells of one library, as it is at each question."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._folder = catalog.path.parent
        self._unread = lru_cache(maxsize=8)(self._load_unread)

    def notices(self, question: str, collection: str | None) -> tuple[str, ...]:
        """That it is empty or incomplete, and which files the question names that nobody can search."""
        return (*self._state(), *self._named(question, collection))

    def _state(self) -> Iterator[str]:
        if self._catalog.is_empty():
            yield EMPTY
        cut_short = told(unfinished(self._folder))
        if cut_short and not is_held(self._folder, "write.lock"):
            yield cut_short

    def _named(self, question: str, collection: str | None) -> Iterator[str]:
        unread = self._unread(self._catalog.generation(), collection)
        if not unread:
            return
        asked = {word.term for word in name_words(question)}
        found = [line for names, line in unread if any(name <= asked for name in names)]
        yield from found[:_NAMED]
        if len(found) > _NAMED:
            yield f"{len(found) - _NAMED} more files with such names cannot be searched"

    def _load_unread(
        self, generation: int, collection: str | None
    ) -> list[tuple[list[_Name], str]]:
        """The names of files without searchable text, as terms, with what is to be told of each."""
        del generation  # part of the cache's key
        found = []
        for path, title, reason in self._catalog.unsearchable(collection):
            file = PurePath(path).name
            names = [name for name in map(_terms, names_of(file, title)) if name]
            if names:
                found.append((names, f"{file} is not searched: {reason}"))
        return found


def _terms(name: str) -> _Name:
    """The words of a name that must all stand in a question; none where they are too short."""
    found = frozenset(word.term for word in name_words(name) if not word.parts)
    tells = any(len(term) >= _SHORTEST_WORD and not term.isdigit() for term in found)
    return found if tells else frozenset()
