"""Finds newer versions and amendments of cited files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import PurePath

from pincite.records.flow import NamedFile
from pincite.text.versions import Version, is_of_one_day, names_version, version_of

_NAMED = 3


class Versions:
    """Finds newer versions of documents among the files of a library."""

    def __init__(self, names: Callable[[str | None], Sequence[NamedFile]]) -> None:
        self._names = names
        self._known = lru_cache(maxsize=8)(self._load)

    def newer(self, path: str, question: str, collection: str | None) -> Iterator[str]:
        """Names of files that are newer versions of the one at `path`, newest first.

        Nothing if the question names the cited version, which is then the one wanted, or if the file
        is not a version but, for example, the minutes or the invoice of another day.
        """
        cited = version_of(path)
        if cited is None or names_version(question, cited):
            return
        versions = [
            (version.numbers, name)
            for version, name in self._known(collection).get(cited.kin, [])
            if version.is_of(cited)
        ]
        if all(numbers != cited.numbers for numbers, _ in versions):
            return
        later = sorted((v for v in versions if v[0] > cited.numbers), reverse=True)
        yield from list(dict.fromkeys(name for _, name in later))[:_NAMED]

    def _load(self, collection: str | None) -> dict[str, list[tuple[Version, str]]]:
        known: dict[str, list[tuple[Version, str]]] = {}
        for file in self._names(collection):
            version = version_of(file.path)
            if version is not None and not is_of_one_day(file.path, file.title):
                known.setdefault(version.kin, []).append((version, PurePath(file.path).name))
        return known
