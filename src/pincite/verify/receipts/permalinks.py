"""Permalinks: ids of citations with all that is needed to find a quote again and check it.

4a7d1ed414474e40.1250-1313.9f86d081884c
document's id    characters first 12 digits of the quote's SHA-256
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from pincite.records.flow import Citation
from pincite.records.formats import media_type_of
from pincite.text.as_read import whole_words

_ID = re.compile(r"([0-9a-f]{16})\.(\d{1,10})-(\d{1,10})\.([0-9a-f]{12})", re.ASCII)
_DIGITS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Permalink:
    """The document, the range of characters, and the digest of the quote."""

    document: str
    start: int
    end: int
    digest: str

    @classmethod
    def to(cls, document: str, start: int, end: int, quote: str) -> Self:
        """The link to a quote."""
        return cls(document=document, start=start, end=end, digest=_digest(quote))

    @classmethod
    def of(cls, cited: Citation) -> Self:
        """The link to a citation's quote."""
        return cls.to(cited.document, cited.start, cited.end, cited.quote)

    @classmethod
    def parsed(cls, identity: str) -> Self | None:
        """The link with this id; None if it is not one."""
        found = _ID.fullmatch(identity)
        if found is None:
            return None
        document, start, end, digest = found.groups()
        return cls(document=document, start=int(start), end=int(end), digest=digest)

    @property
    def id(self) -> str:
        """The id in text form."""
        return f"{self.document}.{self.start}-{self.end}.{self.digest}"

    @property
    def href(self) -> str:
        """The path at which the page shows it."""
        return f"/c/{self.id}"

    def is_quote(self, text: str) -> bool:
        """Whether this text is the quote."""
        return _digest(text) == self.digest


def _digest(quote: str) -> str:
    return hashlib.sha256(quote.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def with_links(form: Mapping[str, Any]) -> dict[str, Any]:
    """An answer's JSON form with a link for each citation."""
    return {**form, "links": links_of(form["citations"])}


def links_of(citations: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A link for each citation; with the `words` that its lines divide, if there are any."""
    forms = link_forms([link_to(cited) for cited in citations])
    words = (whole_words(one["cited_text"], media_type_of(one["source"])) for one in citations)
    return [
        {**form, "words": found} if found else form
        for form, found in zip(forms, words, strict=True)
    ]


def link_to(cited: Mapping[str, Any]) -> Permalink:
    """The link to the quote of a citation in JSON form."""
    return Permalink.to(
        cited["document"], cited["start_char_index"], cited["end_char_index"], cited["cited_text"]
    )


def link_forms(links: Sequence[Permalink]) -> list[dict[str, Any]]:
    """Links with the citation numbers shown to users, from 1."""
    return [
        {"citation": number, "id": link.id, "href": link.href}
        for number, link in enumerate(links, start=1)
    ]
