"""Finds the file that a question names as the place to look in: "In travel.md, what is the limit?"

A file's name says where to look, not what for. It is recognised by its suffix, or by the words
before it: "according to the travel policy".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from pathlib import PurePath

from pincite.records.flow import NamedFile
from pincite.settings.toml_files import shipped
from pincite.text.terms import fold

_LONGEST_NAME = 8
"""In words of the question."""
_MOST_NAMES = 5
_SUFFIX = re.compile(r"[\w)\]]\.[^\W\d_]\w{0,7}$")
_SUFFIXED = re.compile(r"[\w)\]]\.[^\W\d_]")
_WORD = re.compile(r"[^\s,;:?!\"“”„«»]+")
_JOINTS = re.compile(r"[\s_\-]+")
_OPENS = "([{'’"
_CLOSES = ")]}'’."
_BEHIND = re.compile(r"\s*[)\]]?\s*[,:]?")
_ENDS = re.compile(r"\s*(?:[,:;?!.)\]]|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileNamed:
    """The named files as document ids, and in `rest` the question without their names.

    Without documents there is no such file, and the question is unchanged.
    """

    names: tuple[str, ...]
    documents: tuple[str, ...]
    rest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mention:
    """A name at its place in a text, including words before it that say that a file is meant."""

    name: str
    start: int
    end: int
    documents: tuple[str, ...]
    is_framed: bool


class NamedFiles:
    """Finds files of a library by the names in a question.

    `_`, `-` and spaces are equivalent, and case is ignored. A name with its suffix counts after words
    such as "in", or if no document mentions it (`is_in_text`). A name without suffix counts if it is
    the whole name of a file, after "according to" or "the file".
    """

    def __init__(
        self,
        names: Callable[[str | None], Sequence[NamedFile]],
        is_in_text: Callable[[str], bool],
    ) -> None:
        self._known = lru_cache(maxsize=8)(lambda collection: _by_name(names(collection)))
        self._is_in_text = is_in_text

    def named(self, question: str, collection: str | None) -> FileNamed | None:
        """The named files; None when none is named.

        A name that no file has is still reported if its suffix is one that files of the library have.
        """
        rest, names, documents = question, list[str](), dict[str, None]()
        while len(names) < _MOST_NAMES and (found := self._first(rest, collection)):
            behind = _BEHIND.match(rest, found.end)
            end = behind.end() if behind else found.end
            rest = " ".join(f"{rest[: found.start]} {rest[end:]}".split())
            rest = re.sub(r"(?<![\s,])[\s,]++(?=[?!.])", "", rest).strip(" ,")
            names.append(found.name)
            documents |= dict.fromkeys(found.documents)
        if not names:
            return self._unknown(question, collection)
        return FileNamed(names=tuple(names), documents=tuple(documents), rest=rest)

    def _first(self, text: str, collection: str | None) -> _Mention | None:
        mentions = (*self._suffixed(text, collection), *self._bare(text, collection))
        return next(
            (one for one in mentions if one.is_framed or not self._is_in_text(one.name)), None
        )

    def _unknown(self, text: str, collection: str | None) -> FileNamed | None:
        if not _SUFFIXED.search(text):
            return None
        suffixes = {
            path.rpartition(".")[2] for (path, is_whole) in self._known(collection) if is_whole
        }
        frames = _frames(text)
        for word in _WORD.finditer(text):
            name = word[0].strip(_OPENS + _CLOSES)
            is_like_a_file = _SUFFIX.search(name) and fold(name.rpartition(".")[2]) in suffixes
            start = word.start() + word[0].index(name)
            if is_like_a_file and start in frames and not self._is_in_text(name):
                return FileNamed(names=(name,), documents=(), rest=text)
        return None

    def _suffixed(self, text: str, collection: str | None) -> Iterator[_Mention]:
        """Names that end in a file suffix, the longest at each place."""
        words, frames = [*_WORD.finditer(text)], _frames(text)
        for place, word in enumerate(words):
            if not _SUFFIX.search(word[0].rstrip(_CLOSES)):
                continue
            end = word.start() + len(word[0].rstrip(_CLOSES))
            for first in words[max(0, place - _LONGEST_NAME + 1) : place + 1]:
                start = first.end() - len(first[0].lstrip(_OPENS))
                documents = self._called(text[start:end], collection)
                if documents:
                    yield _Mention(
                        name=text[start:end],
                        start=frames.get(start, start),
                        end=end,
                        documents=documents,
                        is_framed=start in frames,
                    )
                    break

    def _bare(self, text: str, collection: str | None) -> Iterator[_Mention]:
        """Whole names of files, without their suffix."""
        for found in _frame().finditer(text):
            words = islice(_WORD.finditer(text, found.end()), _LONGEST_NAME)
            for last in reversed([*words]):
                end = last.start() + len(last[0].rstrip(_CLOSES))
                name = text[found.end() : end]
                noun = _noun_behind().match(text, end)
                is_called = bool(found["noun"] or noun)
                is_joined = "_" in name or "-" in name
                is_sure = is_called or is_joined or (found["says"] and " " in name)
                end = noun.end() if noun else end
                if not is_sure or not _ENDS.match(text, end):
                    continue
                if documents := self._called(name, collection, is_whole=False):
                    yield _Mention(
                        name=name,
                        start=found.start(),
                        end=end,
                        documents=documents,
                        is_framed=True,
                    )
                    break

    def _called(
        self, name: str, collection: str | None, *, is_whole: bool = True
    ) -> tuple[str, ...]:
        """Documents of the files at this path, or with this name in any folder."""
        asked = _alike(name)
        known = self._known(collection).get((asked.rpartition("/")[2], is_whole), ())
        return tuple(
            dict.fromkeys(
                document
                for path, document in known
                if path == asked or path.endswith(f"/{asked.lstrip('/')}")
            )
        )


def _by_name(named: Sequence[NamedFile]) -> dict[tuple[str, bool], list[tuple[str, str]]]:
    """Path and document of each file, by its name with suffix (True) and without (False)."""
    known: dict[tuple[str, bool], list[tuple[str, str]]] = {}
    for file in named:
        path = PurePath(file.path)
        for written, is_whole in ((path, True), (path.with_suffix(""), False)):
            whole = _alike(written.as_posix())
            known.setdefault((whole.rpartition("/")[2], is_whole), []).append(
                (whole, file.document_id)
            )
    return known


def _alike(name: str) -> str:
    return _JOINTS.sub(" ", fold(name.replace("\\", "/"))).strip()


def _frames(text: str) -> dict[int, int]:
    """Start of each frame (words that make a name a place to look in), by the start of that name."""
    return {found.end(): found.start() for found in _frame().finditer(text)}


@cache
def _frame() -> re.Pattern[str]:
    """Words before the name of a file, in all languages: "according to", "in the file"."""
    lists = _lists()
    says, within, articles, nouns = (
        "|".join(one[key] for one in lists) for key in ("says", "within", "articles", "nouns")
    )
    return re.compile(
        rf"(?<![\w])[(\[]?(?:(?P<says>{says})|{within})\s+(?:(?:{articles})\s+|l['’])?"
        rf"(?P<noun>(?:{nouns})\s+)?",
        re.IGNORECASE,
    )


@cache
def _noun_behind() -> re.Pattern[str]:
    return re.compile(
        rf"\s{{1,8}}+(?:{'|'.join(one['nouns'] for one in _lists())})(?!\w)", re.IGNORECASE
    )


@cache
def _lists() -> list[Mapping[str, str]]:
    return list(shipped("text/data", "named_files").values())
