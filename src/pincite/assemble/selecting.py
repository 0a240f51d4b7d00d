"""What chooses the sentences that may be quoted under these settings?"""

from __future__ import annotations

from collections.abc import Callable

from pincite.evidence.asked_rows import AskedRowsSelector
from pincite.evidence.defined_terms import DefinedTermsSelector
from pincite.evidence.margins import MarginsSelector
from pincite.evidence.newer import NewerSelector
from pincite.evidence.numbered_parts import NumberedPartsSelector
from pincite.evidence.ranged_rows import RangedRowsSelector
from pincite.evidence.releases import ReleasesSelector
from pincite.evidence.replies import RepliesSelector
from pincite.evidence.select import MmrSelector
from pincite.evidence.supporting import SupportingSelector
from pincite.settings import Settings
from pincite.stages import Selector, Sources

AROUND: tuple[Callable[[Selector, Sources], Selector], ...] = (
    # Before any compares with the best sentence: a line at the edge of a page must not be it.
    MarginsSelector,
    # Leaves passages of other versions out; quotes a whole version, and asks nobody then.
    ReleasesSelector,
    # Takes their scores from questions that a message repeats, so that nobody lifts to them.
    RepliesSelector,
    # Quotes a whole clause, and asks nobody then; else lifts the sentences of the clause.
    NumberedPartsSelector,
    # Lifts what defines a term, above any clause that was lifted.
    DefinedTermsSelector,
    # Silences the rows for other values before one row is compared with the best sentence.
    RangedRowsSelector,
    # Lifts last: of all that was lifted, the row with exactly what is asked comes first.
    AskedRowsSelector,
    # Nearest to the choice: each sentence chosen gets its counterpart, and before its list.
    NewerSelector,
)
"""What stands around the choice of the best sentences, the outermost first.

Hits pass from the first to the last, and get other scores on the way; what is chosen of them goes back
from the last to the first. Each reads in the question only what it is about; most change nothing.
"""


def quoting_selector(settings: Settings, sources: Sources) -> Selector:
    """The best sentences, around that choice everything in `AROUND`, and what supports it all."""
    chosen = settings.evidence.model_dump(exclude={"parts"})
    selector: Selector = MmrSelector(sources, **chosen)
    for around in reversed(AROUND):
        selector = around(selector, sources)
    return SupportingSelector(selector, sources, least=settings.verification.min_support)
