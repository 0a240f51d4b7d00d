"""Filters that restrict a search by document, tag, section and date."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import lru_cache

from pincite.errors import UsageError
from pincite.records.arguments import checked_text, checked_texts

_PERIOD = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Conditions on passages, applied before ranking; empty fields do not restrict.

    Several values of one field are alternatives; different fields must all match. `documents` are
    names, paths, patterns (`*2024*.pdf`) or document ids; `sections` are parts of headings, outermost
    first, joined by ` > `. `since` and `until` are days, both inclusive, of the file's date.
    """

    documents: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None

    def __post_init__(self) -> None:
        """Raises UsageError for values of the wrong type, which would match nothing or fail later."""
        for kind in ("documents", "tags", "sections"):
            object.__setattr__(self, kind, checked_texts(getattr(self, kind), kind))
        for kind in ("since", "until"):
            day = getattr(self, kind)
            if day is not None and (not isinstance(day, date) or isinstance(day, datetime)):
                raise UsageError(
                    f"{kind} is {day!r}; give a datetime.date, or a text to Filters.parse({kind}=...)"
                )

    def __bool__(self) -> bool:
        return self != Filters()

    @property
    def form(self) -> dict[str, list[str] | str]:
        """What restricts, as JSON: lists, and days as `2024-02-29`; `parse` reads it again."""
        lists = {"documents": self.documents, "tags": self.tags, "sections": self.sections}
        days = {"since": self.since, "until": self.until}
        return {
            **{kind: list(values) for kind, values in lists.items() if values},
            **{kind: day.isoformat() for kind, day in days.items() if day},
        }

    def lets_section_through(self, section: tuple[str, ...]) -> bool:
        """Whether a path of headings, outermost first, matches `sections`."""
        return not self.sections or any(_holds(section, wanted) for wanted in self.sections)

    @classmethod
    def parse(
        cls,
        *,
        documents: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        sections: Sequence[str] | None = None,
        since: str = "",
        until: str = "",
    ) -> Filters:
        """Filters from user input. Raises UsageError for invalid dates and empty values.

        >>> Filters.parse(since="2024-02", until="2024-02").until
        datetime.date(2024, 2, 29)
        """
        for kind, values in (("document", documents), ("tag", tags), ("section", sections)):
            if any(not value.strip() for value in checked_texts(values or (), f"{kind}s")):
                raise UsageError(f"a {kind} to look for is empty; name one, or leave it out")
        first, last = _day(since, is_last=False), _day(until, is_last=True)
        if first and last and first > last:
            raise UsageError(
                f"nothing is both since {first} and until {last}; the earlier day comes first"
            )
        return cls(
            documents=tuple(documents or ()),
            tags=tuple(tags or ()),
            sections=tuple(sections or ()),
            since=first,
            until=last,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The passages that a search may find: those that match every field; None does not restrict.

    `collections` are those that are asked for and that the asker may see. `keys` are passage keys,
    ascending, each once; unknown keys match nothing.
    """

    collections: tuple[str, ...] | None = None
    filters: Filters = field(default_factory=Filters)
    keys: tuple[int, ...] | None = None

    @classmethod
    def of(cls, collection: str | None, filters: Filters) -> Scope:
        """One collection (None: all) with filters."""
        return cls(collections=None if collection is None else (collection,), filters=filters)

    def only(self, keys: Iterable[int]) -> Scope:
        """The part of the scope with these keys."""
        wanted = {int(key) for key in keys}
        if self.keys is not None:
            wanted &= set(self.keys)
        return replace(self, keys=tuple(sorted(wanted)))


EVERYWHERE = Scope()


@lru_cache(maxsize=10_000)
def _holds(section: tuple[str, ...], pattern: str) -> bool:
    """Whether consecutive headings contain the parts of the pattern, in order."""
    parts = [part.strip().casefold() for part in pattern.split(">")]
    headings = [heading.casefold() for heading in section]
    return any(
        all(part in heading for part, heading in zip(parts, headings[start:], strict=False))
        for start in range(len(headings) - len(parts) + 1)
    )


def _day(text: str, *, is_last: bool) -> date | None:
    """The first or last day of a year, month or day."""
    if not checked_text(text, "a date"):
        return None
    found = _PERIOD.fullmatch(text.strip())
    try:
        if found is None:
            raise ValueError
        year, month, day = (int(part) if part else 0 for part in found.groups())
        month = month or (12 if is_last else 1)
        return date(year, month, day or (monthrange(year, month)[1] if is_last else 1))
    except ValueError as error:
        raise UsageError(
            f"'{text}' is not a date; write dates as 2024-05-31, 2024-05 or 2024"
        ) from error
