"""The words in the names of all documents, taken from the names once and then kept.

Taking a name apart costs a tenth of a millisecond or two: for the files of a large library that is
more than everything else that its first question needs. So the table is written beside the indexes,
and only new names are taken apart.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from pincite.records import NamedFile
from pincite.text.name_words import name_words, names_of

PAIR, YEAR, SECOND_NAME = 1, 2, 4
"""What `NameTable.kinds` says of a word: two neighbours taken as one; a year; of the title, where the
file's name says something as well."""

_NAMELESS = np.uint64(0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NameTable:
    """Which words stand in the names of which documents. Hashes have 64 bits.

    One value for each file, ascending by `files`: the hash of what was read, the document's id, and
    in `called` the hash of all its names, by which files called alike are known (0: none says
    anything). One value for each word of each name, ascending by `owners`: the hash in `called` that
    it belongs to, the hash of the term, and in `kinds` the sum of what else is known of it.
    """

    files: NDArray[np.uint64]
    documents: Sequence[str]
    called: NDArray[np.uint64]
    owners: NDArray[np.uint64]
    words: NDArray[np.uint64]
    kinds: NDArray[np.uint8]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NameTable) and all(
            np.array_equal(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)
        )

    @classmethod
    def of(cls, files: Iterable[NamedFile], known: NameTable | None = None) -> NameTable:
        """The table of these files. What `known` holds is not taken apart again.

        It depends on the files alone, not on their order or on what was known.
        """
        by_hash = {_file_hash(file): file for file in files}
        keys = np.array(sorted(by_hash), dtype=np.uint64)
        called, is_new = _called_before(keys, known)
        fresh: dict[int, tuple[str, ...]] = {}
        for row in np.flatnonzero(is_new).tolist():
            file = by_hash[int(keys[row])]
            if names := names_of(file.path, file.title):
                called[row] = whole = hashed("\0".join(names))
                fresh[whole] = names
        parts = [_taken_apart(fresh)]
        if known is not None:
            is_used = np.isin(known.owners, called) & ~np.isin(known.owners, parts[0][0])
            parts.append((known.owners[is_used], known.words[is_used], known.kinds[is_used]))
        owners, words, kinds = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        order = np.lexsort((words, kinds, owners))
        return cls(
            files=keys,
            documents=[by_hash[key].document_id for key in keys.tolist()],
            called=called,
            owners=owners[order],
            words=words[order],
            kinds=kinds[order],
        )

    def only(self, files: Iterable[NamedFile]) -> NameTable:
        """The table of those of the files that it holds."""
        wanted = np.array([_file_hash(file) for file in files], dtype=np.uint64)
        rows = np.flatnonzero(np.isin(self.files, wanted))
        is_used = np.isin(self.owners, self.called[rows])
        return NameTable(
            files=self.files[rows],
            documents=[self.documents[row] for row in rows.tolist()],
            called=self.called[rows],
            owners=self.owners[is_used],
            words=self.words[is_used],
            kinds=self.kinds[is_used],
        )


def hashed(text: str) -> int:
    """By what a table knows a term, a name or a file: 64 bits, and never 0."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") or 1


def _called_before(
    keys: NDArray[np.uint64], known: NameTable | None
) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """For each file by what it is called, as far as that is known, and whether it is not."""
    if known is None or not len(known.files):
        return np.full(len(keys), _NAMELESS), np.ones(len(keys), dtype=bool)
    places = np.searchsorted(known.files, keys).clip(max=len(known.files) - 1)
    is_new = known.files[places] != keys
    return np.where(is_new, _NAMELESS, known.called[places]), is_new


def _taken_apart(
    names: Mapping[int, Sequence[str]],
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint8]]:
    """Owner, hash and kind of each word of these names."""
    owners, words, kinds = array("Q"), array("Q"), array("B")
    for owner, several in names.items():
        for number, name in enumerate(several):
            found = name_words(name)
            owners.extend([owner] * len(found))
            words.extend(hashed(word.term) for word in found)
            kinds.extend(
                PAIR * bool(word.parts) + YEAR * word.is_year + SECOND_NAME * number
                for word in found
            )
    return (
        np.array(owners, dtype=np.uint64),
        np.array(words, dtype=np.uint64),
        np.array(kinds, dtype=np.uint8),
    )


def _file_hash(file: NamedFile) -> int:
    return hashed(f"{file.document_id}\0{file.path}\0{file.title}")
