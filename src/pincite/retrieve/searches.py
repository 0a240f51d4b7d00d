"""Runs the lexical and the dense search in parallel."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from pincite.records.filters import Scope
from pincite.records.flow import Question, Understood
from pincite.stages import DenseIndex, KeysIn, LexicalIndex, Scored, VectorEncoder

_MOST_TIED = 5_000
"""With more equal scores than this, the order of ingest may decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The results of each search, best first."""

    lexical: Sequence[Scored]
    dense: Sequence[Scored]

    def without(self, left_out: Collection[int]) -> Found:
        """The same results without these keys."""
        return Found(
            lexical=[item for item in self.lexical if item.key not in left_out],
            dense=[item for item in self.dense if item.key not in left_out],
        )

    def scores(self) -> dict[int, dict[str, float]]:
        """For each passage key, its score in each search that found it."""
        found: dict[int, dict[str, float]] = {}
        for name, items in (("lexical", self.lexical), ("dense", self.dense)):
            for item in items:
                found.setdefault(item.key, {})[name] = item.score
        return found


class Searches:
    """Searches by words and by meaning at the same time.

    Without an encoder, or with `alpha` 1, only by words; with `alpha` 0 only by meaning. With a
    collection or filters, both searches look only at the passages in that scope, so that filtering
    does not lose results.
    """

    def __init__(
        self,
        *,
        lexical: LexicalIndex,
        keys_in: KeysIn,
        dense: DenseIndex | None = None,
        encoder: VectorEncoder | None = None,
        lexical_limit: int,
        dense_limit: int,
        alpha: float,
    ) -> None:
        self._lexical = lexical
        self._keys_in = keys_in
        self._dense = dense
        self._encoder = encoder
        self._lexical_limit = lexical_limit
        self._dense_limit = dense_limit
        self._alpha = alpha
        self._side = ThreadPoolExecutor(1, thread_name_prefix="lexical")

    @property
    def looks_at_words(self) -> bool:
        """Whether the search by words runs."""
        return self._alpha > 0 or self._dense is None or self._encoder is None

    def permitted(self, keys: Sequence[int], question: Question) -> list[int]:
        """The keys that the question's collection and filters allow, in their order."""
        found = self._keys_in(question.scope.only(keys))
        kept = set(keys if found is None else map(int, found))
        return [key for key in keys if key in kept]

    def find(self, understood: Understood, question: Question, *, times: int = 1) -> Found:
        """The best results of both searches for `understood`, within what `question` allows.

        `times` multiplies the limit of each search.
        """
        scope = question.scope
        if understood.within is not None:
            scope = Scope().only(self.permitted(understood.within, question))
        by_words = self._side.submit(self._by_words, understood, scope, times)
        dense = self._by_meaning(understood, scope, times)
        return Found(lexical=by_words.result(), dense=dense)

    def _by_words(self, understood: Understood, scope: Scope, times: int) -> list[Scored]:
        if not self.looks_at_words:
            return []
        found = self._best(
            understood,
            lambda limit: self._lexical.search(
                list(understood.terms), limit=limit, scope=scope, boosts=understood.terms
            ),
            self._lexical_limit * times,
        )
        if understood.within is None:
            return found
        scores = {item.key: item.score for item in found}
        return [Scored(key=key, score=scores.get(key, 0.0)) for key in scope.keys or ()]

    def _by_meaning(self, understood: Understood, scope: Scope, times: int) -> list[Scored]:
        if self._dense is None or self._encoder is None or self._alpha == 1:
            return []
        dense = self._dense
        vector = self._encoder.encode_question(understood.asked).vector
        return self._best(
            understood,
            lambda limit: dense.search(vector, limit=limit, scope=scope),
            self._dense_limit * times,
        )

    def _best(
        self, understood: Understood, search: Callable[[int], list[Scored]], limit: int
    ) -> list[Scored]:
        # With excluded words, every candidate is read, so no more than needed are fetched.
        return search(limit) if understood.excluded else _with_ties(search, limit)


def _with_ties(search: Callable[[int], list[Scored]], limit: int) -> list[Scored]:
    """The best `limit` results, and those that tie with the last of them.

    An index returns equal scores in the order of ingest: with a cut there, ingesting the same files
    in another order would give other candidates.
    """
    asked = limit + 1
    found = search(asked)
    while len(found) == asked <= _MOST_TIED and found[-1].score == found[limit - 1].score:
        asked *= 4
        found = search(asked)
    if len(found) <= limit:
        return found
    least = found[limit - 1].score
    return [item for item in found if item.score >= least]
