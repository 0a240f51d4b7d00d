"""Do the numbers of a statement stand with its words, or in a quote about something else?

"The church was built in 1724" is not carried by a quote about the church and another one about a
brewery of 1724, though all its words and its number stand in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from pincite.records import Citation
from pincite.stages import TermWeights
from pincite.verify.figures import check_figures
from pincite.verify.support import measure_support, stated_by
from pincite.verify.wording import words_of

_LEAST_WITH_NUMBER = 0.6
"""Weighted share of the words around a number that must stand in the quote which holds it. A sentence
often calls by a pronoun what the one before it names, so that not all of them do."""
_FEWEST_WORDS = 2


def number_apart(claim: str, cited: Sequence[Citation], weights: TermWeights) -> str:
    """The first part of a statement whose numbers stand apart from its words; empty: none does."""
    if not any(map(str.isdigit, claim)) or _is_in_one(claim, cited, weights):
        return ""
    parts = [part for part in _parts(claim, weights) if any(map(str.isdigit, part))]
    return next((part for part in parts if not _is_in_one(part, cited, weights)), "")


def _is_in_one(part: str, cited: Sequence[Citation], weights: TermWeights) -> bool:
    return any(
        _held(part, citation, weights) >= _LEAST_WITH_NUMBER
        and not check_figures(part, [citation]).faults
        for citation in cited
    )


def _held(part: str, citation: Citation, weights: TermWeights) -> float:
    return measure_support(part, stated_by([citation]), "", weights).held


def _parts(claim: str, weights: TermWeights) -> Iterator[str]:
    """The clauses of a statement; one with hardly a word goes with the next, or the one before."""
    words = words_of(claim, weights.language(claim))
    clauses = [list(group) for _, group in groupby(words, key=lambda word: word.clause)]
    joined = [clauses[0]] if clauses else []
    for clause in clauses[1:]:
        is_short = (
            min(sum(word.is_content for word in one) for one in (joined[-1], clause))
            < _FEWEST_WORDS
        )
        if is_short:
            joined[-1] = [*joined[-1], *clause]
        else:
            joined.append(clause)
    yield from (claim[one[0].start : one[-1].end] for one in joined)
