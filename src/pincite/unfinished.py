"""What did a process that changed a library leave unfinished?

A file in the library's folder says what was begun; it goes when that is done. It lies outside the
catalog, as it must be readable where the catalog is not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pincite.holdings import UNFINISHED_FILE
from pincite.regular_files import read_json

_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A change of the library: an ingest of these paths, or another one if there are none."""

    collection: str = ""
    paths: tuple[str, ...] = ()
    is_closed: bool = False
    """Whether the process could still close the catalog; else the next one checks it."""

    def covers(self, other: Work) -> bool:
        """Whether nothing of the other is missing once this is done."""
        if not other.paths:
            return True
        return self.collection == other.collection and all(
            any(path == mine or path.startswith(os.path.join(mine, "")) for mine in self.paths)
            for path in other.paths
        )


@contextmanager
def under_way(folder: Path, work: Work, *, is_whole: bool = True) -> Iterator[None]:
    """Say that a change is being made while the block runs; it stays said where that fails.

    Needs the write lock. `is_whole`: the work leaves out nothing of its paths, so that what was
    interrupted there before is done with it.
    """
    before = unfinished(folder)
    _write(folder, (*before, work))
    try:
        yield
    except BaseException:
        left = (replace(work, is_closed=True),) if work.paths else ()
        with suppress(OSError):  # On a full disk the catalog is checked once more, and no more.
            _write(folder, tuple(dict.fromkeys((*before, *left))))
        raise
    _write(folder, tuple(one for one in before if not (is_whole and work.covers(one))))


def unfinished(folder: Path) -> tuple[Work, ...]:
    """What was begun and is not done; by a process that still runs, or by one that was stopped."""
    try:
        return tuple(_work(form) for form in read_json(folder / UNFINISHED_FILE))
    except OSError:
        return ()
    except (ValueError, TypeError, KeyError):
        return (Work(),)  # Somebody began something, and did not even write down what.


def is_unchecked(folder: Path) -> bool:
    """Whether a process that changed the catalog was stopped before it could close it."""
    return not all(work.is_closed for work in unfinished(folder))


def checked(folder: Path) -> None:
    """Note, where there is room to, that the catalog has been looked through since.

    Needs the write lock.
    """
    left = (replace(work, is_closed=True) for work in unfinished(folder) if work.paths)
    with suppress(OSError):
        _write(folder, tuple(dict.fromkeys(left)))


def told(works: Sequence[Work]) -> str:
    """What every answer says while an ingest is not done; empty where none is."""
    paths = list(dict.fromkeys(path for work in works for path in work.paths))
    if not paths:
        return ""
    names = ", ".join(paths[:_NAMED])
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return (
        f"the library is incomplete: an ingest of {names}{more} was interrupted, and what it had "
        f"not stored is in no answer; go on with: pincite ingest {' '.join(paths[:_NAMED])}"
    )


def _work(form: Any) -> Work:
    return Work(
        collection=str(form["collection"]),
        paths=tuple(map(str, form["paths"])),
        is_closed=form["is_closed"] is True,
    )


def _write(folder: Path, works: Sequence[Work]) -> None:
    path = folder / UNFINISHED_FILE
    if not works:
        path.unlink(missing_ok=True)
        return
    draft = path.with_name(f".{path.name}")
    with draft.open("w", encoding="utf-8") as file:
        json.dump([asdict(work) for work in works], file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
