"""Which sentence above a table tells the scale of a row that is cited?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pincite.document import Span
from pincite.records import SCALE, Evidence
from pincite.stages import Sources
from pincite.verify.headers import REMARK

_IN_OTHER_LANGUAGES = re.compile(
    r"\bin\s+(?:\w+\s+)?(?:Tausend|Tsd|Millionen|Mio|Milliarden|Mrd|TEUR|T€)(?!\w)|"
    r"\ben\s+(?:\w+\s+)?(?:milliers|millions|milliards|miles|millones)\b",
    re.IGNORECASE,
)


class Scales:
    """Finds "All amounts in thousands of pounds" above the table of a cited row, or in its header.

    Without it 55,940 reads as less than it is. It is looked for in the row's passage only, and not
    beyond another table.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def find(self, cited: Sequence[Evidence]) -> Iterator[Evidence]:
        """What is not cited yet, each once."""
        told = {item.span for item in cited}
        for item in cited:
            span = self._above(item)
            if span is not None and span not in told:
                told.add(span)
                yield Evidence(
                    id=f"{SCALE}{item.id}",
                    span=span,
                    quote=self._sources.text_of(span),
                    passage=item.passage,
                    score=item.score,
                )

    def _above(self, item: Evidence) -> Span | None:
        headers = item.passage.headers_of(item.span)
        if not headers or not any(map(str.isdigit, item.quote)) or _tells_scale(item.quote):
            return None
        for span in reversed(item.passage.sentences):
            if span.start > headers[-1].start:
                continue
            if item.passage.headers_of(span):
                return None
            if _tells_scale(self._sources.text_of(span)):
                return span
        return None


def _tells_scale(text: str) -> bool:
    return bool(REMARK.search(text) or _IN_OTHER_LANGUAGES.search(text))
