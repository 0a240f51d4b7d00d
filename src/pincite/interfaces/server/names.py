"""What files are called outside: never by where they lie on the server's disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from pincite.catalog.catalog import Catalog
from pincite.records import Answer


class ShownNames:
    """Each file's name, with as many of its folders as tell it from the others.

    Made anew when the library has changed.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._made: tuple[int, Mapping[str, str]] = (-1, {})

    def __call__(self, path: str) -> str:
        """What is shown for a path; for one that is not in the library its last part."""
        return self._names().get(path) or PurePath(path).name

    def hidden(self, value: Any) -> Any:
        """A JSON value in which every path of a file of the library is replaced by its name."""
        return _replaced(value, self._names())

    def answer(self, answer: Answer) -> Answer:
        """An answer of which the citations call files by their names."""
        cited = tuple(replace(one, source=self(one.source)) for one in answer.citations)
        return replace(answer, citations=cited)

    def _names(self) -> Mapping[str, str]:
        generation = self._catalog.generation()
        if self._made[0] != generation:
            paths = {file.path for file in self._catalog.names()}
            self._made = (generation, shown_names(paths))
        return self._made[1]


def _replaced(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return {key: _replaced(inner, names) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_replaced(inner, names) for inner in value]
    return names.get(value, value) if isinstance(value, str) else value


def shown_names(paths: Iterable[str]) -> dict[str, str]:
    """The shortest end of each path, of whole parts, that no other path has."""
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
