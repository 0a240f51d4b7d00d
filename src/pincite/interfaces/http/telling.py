"""What a client may be told of files: the one place that knows who asks.

Clients see names, never paths on the server's disk, and nothing of the files of collections that they
may not see: not even that another file has the same name.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from pincite.errors import PinciteError
from pincite.library.folder import unfinished
from pincite.library.library import Library
from pincite.records.flow import Answer
from pincite.records.reasons import as_reason

Allowed = frozenset[str] | None
"""Collections that a client may see; None for all."""

_MESSAGES = frozenset({"reasons", "why", "notices", "problems", "problem", "message", "detail"})
"""Fields that hold sentences of the program, in which paths may stand. Others are paths as a whole, or
words of a document or a question, which stay as they are."""

_PATH = re.compile(r"(?<![^\s'\"(,;:=])(?:/|[A-Za-z]:[\\/])[^\n'\"]*")
_PATH_END = re.compile(r"[\s,;:)]|$")
_UNNAMED = "a file"
_KEPT_VIEWS = 32


@dataclass(frozen=True, slots=True)
class Names:
    """The names of files for one kind of client."""

    shown: Mapping[str, str]
    """The name of each path that the client may see."""
    places: frozenset[str]
    """The folders of all files, whoever may see them."""
    library: tuple[str, ...]
    """Where the library itself is."""

    def __call__(self, path: str) -> str:
        """The name for a path; for a path outside the library, its last part."""
        return self.shown.get(path) or PurePath(path).name

    def hidden(self, value: Any, *, is_message: bool = False) -> Any:
        """A JSON value with every path of a library file replaced by its name."""
        if isinstance(value, Mapping):
            return {
                key: self.hidden(inner, is_message=is_message or key in _MESSAGES)
                for key, inner in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self.hidden(inner, is_message=is_message) for inner in value]
        if not isinstance(value, str):
            return value
        return self.shown.get(value) or (self.message(value) if is_message else value)

    def answer(self, answer: Answer) -> Answer:
        """An answer whose citations and reasons have names instead of paths."""
        cited = tuple(replace(one, source=self(one.source)) for one in answer.citations)
        told = (as_reason(reason).told(self.message) for reason in answer.reasons)
        return replace(answer, citations=cited, reasons=tuple(told))

    def message(self, text: str) -> str:
        """A sentence of the program without paths on the server."""
        for place in self.library:
            text = text.replace(place, "the library")
        return _PATH.sub(lambda found: self._named(found.group()), text)

    def _named(self, text: str) -> str:
        """`text`, which begins with what may be a path, with its name in the path's place."""
        ends = [found.start() for found in _PATH_END.finditer(text)]
        # The longest one that is a file or below a folder of files; names may have blanks in them.
        for end in reversed(ends):
            path = text[:end]
            if path in self.shown:
                return self.shown[path] + self.message(text[end:])
            if path in self.places:
                return _UNNAMED + self.message(text[end:])
        first = text[: ends[0]]
        is_ours = any(str(above) in self.places for above in PurePath(first).parents)
        return (_UNNAMED if is_ours else first) + self.message(text[ends[0] :])


class Telling:
    """The names of a library's files for each kind of client, made anew when it has changed."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._generation = -1
        self._views: OrderedDict[Allowed, Names] = OrderedDict()

    def to(self, allowed: Allowed) -> Names:
        """The names for clients that may see these collections."""
        try:
            generation = self._library.catalog.generation()
        except PinciteError:
            # A damaged catalog must still be told about.
            return Names(shown={}, places=frozenset(), library=self._places())
        if self._generation != generation:
            self._generation, self._views = generation, OrderedDict()
        if allowed not in self._views:
            self._views[allowed] = self._made(allowed)
            while len(self._views) > _KEPT_VIEWS:
                self._views.popitem(last=False)
        return self._views[allowed]

    def _made(self, allowed: Allowed) -> Names:
        # What an interrupted ingest was to read belongs to no file yet.
        begun = [path for work in unfinished(self._library.home.notes) for path in work.paths]
        catalog = self._library.catalog
        every = {file.path for file in catalog.names()}
        scopes = [None] if allowed is None else sorted(allowed)
        seen = {file.path for scope in scopes for file in catalog.names(scope)}
        above = {str(folder) for path in every | {*begun} for folder in PurePath(path).parents}
        roots = {str(PurePath(path).anchor) for path in every | {*begun}}
        return Names(
            shown=shown_names(seen),
            places=frozenset(above | every | {*begun}) - roots,
            library=self._places(),
        )

    def _places(self) -> tuple[str, ...]:
        return self._library.catalog.store.place, str(self._library.path)


def shown_names(paths: Iterable[str]) -> dict[str, str]:
    """The shortest suffix of each path, in whole parts, that no other path shares."""
    parts = {path: PurePath(path).parts for path in paths}
    names: dict[str, str] = {}
    length = 1
    while len(names) < len(parts):
        left = [path for path in parts if path not in names]
        ends = Counter(parts[path][-length:] for path in left)
        for path in left:
            end = parts[path][-length:]
            if ends[end] == 1 or length >= len(parts[path]):
                names[path] = "/".join(end).lstrip("/")
        length += 1
    return names
