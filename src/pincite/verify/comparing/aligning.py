"""Finds for each statement of one document its counterpart in the other.

Equal statements in the same order first: those that occur as often in both are anchors, of which the
longest increasing run stays in order (patience diff), and between two anchors the longest common run
counts. Equal statements elsewhere were moved. What is left is paired by the words it shares, and, where
an encoder is given, by what it means if it stands between the same unchanged statements.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from pincite.records.document import BlockKind
from pincite.text.terms import tokens

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pincite.stages import VectorEncoder
from pincite.verify.comparing.units import Unit

_LEAST_ALIKE = 0.5
_LEAST_ALIKE_IN_PLACE = 0.3
"""Least weighted share of words of a pair: anywhere, and between the same unchanged statements."""
_MOST_IN_GAP = 2_000
"""Statements between two anchors of which the longest common run is looked for."""
_MOST_WITH_WORD = 50
"""A word in more of the statements left does not name a candidate."""
_LEAST_MEANING = 0.65
"""Least cosine of a pair that shares few words: of sentences that a model was told to write anew two in
three reach it, of neighbours in one section one in twenty (`python benchmarks/compare_meaning.py`)."""
_MOST_ENCODED = 2_000
"""Sentences; where more are left, the documents are no versions of each other."""
_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM})


@dataclass(frozen=True, slots=True)
class Pair:
    """Counterparts by their positions; `is_moved` if they stand in another order than the others."""

    before: int
    after: int
    is_moved: bool = False


Meaning = Callable[[Sequence[str]], "NDArray[Any] | None"]
"""A vector of length 1 for each text, (texts, dimensions); None where no encoder is available."""


def vectors_of(encoder: VectorEncoder, texts: Sequence[str]) -> NDArray[Any]:
    """What an encoder makes of these texts, (texts, dimensions)."""
    return np.array([found.vector for found in encoder.encode(texts)])


def align(
    before: Sequence[Unit], after: Sequence[Unit], meaning: Meaning | None = None
) -> list[Pair]:
    """The pairs, in the order of the first document; what is in none was added or removed."""
    in_order = list(_in_order(before, after))
    left, right = _left(before, after, in_order)
    moved = list(_moved(before, after, left, right))
    left, right = _left(before, after, [*in_order, *moved])
    gaps = _Gaps(in_order)
    alike = list(_alike(before, after, left, right, gaps))
    if meaning is not None:
        left, right = _left(before, after, [*in_order, *moved, *alike])
        alike += _of_one_meaning(before, after, left, right, gaps, meaning)
    return sorted((*in_order, *moved, *alike), key=lambda pair: pair.before)


def _left(
    before: Sequence[Unit], after: Sequence[Unit], pairs: Sequence[Pair]
) -> tuple[list[int], list[int]]:
    """The positions on both sides that are in no pair."""
    known, others = {pair.before for pair in pairs}, {pair.after for pair in pairs}
    return (
        [n for n in range(len(before)) if n not in known],
        [n for n in range(len(after)) if n not in others],
    )


def _in_order(before: Sequence[Unit], after: Sequence[Unit]) -> Iterator[Pair]:
    start, other_start = 0, 0
    for here, there in [*_anchors(before, after), (len(before), len(after))]:
        gap, other_gap = before[start:here], after[other_start:there]
        if max(len(gap), len(other_gap)) <= _MOST_IN_GAP:
            keys, others = [one.key for one in gap], [one.key for one in other_gap]
            for a, b, size in SequenceMatcher(
                None, keys, others, autojunk=False
            ).get_matching_blocks():
                for n in range(size):
                    yield Pair(start + a + n, other_start + b + n)
        if here < len(before) and there < len(after):
            yield Pair(here, there)
        start, other_start = here + 1, there + 1


def _anchors(before: Sequence[Unit], after: Sequence[Unit]) -> list[tuple[int, int]]:
    """The longest run in the same order of statements that occur as often on both sides.

    The first of those with the same words is the counterpart of the first one, and so on.
    """
    counts, others = (Counter(one.key for one in units) for units in (before, after))
    place = {name: n for n, name in enumerate(_numbered(after))}
    once = [
        (n, place[key, count])
        for n, (key, count) in enumerate(_numbered(before))
        if counts[key] == others[key]
    ]
    ends: list[int] = []
    rows: list[int] = []
    previous: list[int] = []
    for row, (_, there) in enumerate(once):
        at = bisect_left(ends, there)
        ends[at : at + 1] = [there]
        rows[at : at + 1] = [row]
        previous.append(rows[at - 1] if at else -1)
    run: list[tuple[int, int]] = []
    row = rows[-1] if rows else -1
    while row >= 0:
        run.append(once[row])
        row = previous[row]
    return run[::-1]


def _numbered(units: Sequence[Unit]) -> Iterator[tuple[str, int]]:
    """Each key with the number of equal ones before it."""
    seen = Counter[str]()
    for unit in units:
        yield unit.key, seen[unit.key]
        seen[unit.key] += 1


def _moved(
    before: Sequence[Unit], after: Sequence[Unit], left: Sequence[int], right: Sequence[int]
) -> Iterator[Pair]:
    by_key: dict[str, list[int]] = defaultdict(list)
    for n in reversed(right):
        by_key[after[n].key].append(n)
    for n in left:
        if found := by_key.get(before[n].key):
            yield Pair(n, found.pop(), is_moved=True)


class _Gaps:
    """Between which unchanged statements a position is: the number of those before it."""

    def __init__(self, in_order: Sequence[Pair]) -> None:
        self._before = [pair.before for pair in in_order]
        self._after = [pair.after for pair in in_order]

    def are_same(self, before: int, after: int) -> bool:
        """Whether both positions are between the same unchanged statements."""
        return bisect_left(self._before, before) == bisect_left(self._after, after)

    def left_in_each(
        self, left: Sequence[int], right: Sequence[int]
    ) -> Iterator[tuple[list[int], list[int]]]:
        """The positions of both sides between the same unchanged statements, where both have some."""
        here: dict[int, list[int]] = defaultdict(list)
        for n in left:
            here[bisect_left(self._before, n)].append(n)
        there: dict[int, list[int]] = defaultdict(list)
        for n in right:
            there[bisect_left(self._after, n)].append(n)
        yield from ((here[gap], there[gap]) for gap in sorted(here.keys() & there.keys()))


def _of_one_meaning(
    before: Sequence[Unit],
    after: Sequence[Unit],
    left: Sequence[int],
    right: Sequence[int],
    gaps: _Gaps,
    meaning: Meaning,
) -> Iterator[Pair]:
    """Pairs of sentences that stand in one place and say the same in other words."""
    left = [n for n in left if before[n].kind in _PROSE]
    right = [n for n in right if after[n].kind in _PROSE]
    places = list(gaps.left_in_each(left, right))
    if not 0 < sum(len(here) + len(there) for here, there in places) <= _MOST_ENCODED:
        return
    texts = [before[n].text for here, _ in places for n in here]
    texts += [after[n].text for _, there in places for n in there]
    vectors = meaning([" ".join(text.split()) for text in texts])
    if vectors is None:
        return
    first, second = 0, sum(len(here) for here, _ in places)
    for here, there in places:
        alike = vectors[first : first + len(here)] @ vectors[second : second + len(there)].T
        first, second = first + len(here), second + len(there)
        while alike.size and alike.max() >= _LEAST_MEANING:
            row, column = (int(n) for n in np.unravel_index(alike.argmax(), alike.shape))
            yield Pair(here[row], there[column])
            alike[row, :], alike[:, column] = -1, -1


def _alike(
    before: Sequence[Unit],
    after: Sequence[Unit],
    left: Sequence[int],
    right: Sequence[int],
    gaps: _Gaps,
) -> Iterator[Pair]:
    """Pairs of what is left, the most alike first; each position is in one at most."""
    words = {n: _words(before[n]) for n in left}
    others = {n: _words(after[n]) for n in right}
    weights = _weights([*words.values(), *others.values()])
    holding: dict[str, list[int]] = defaultdict(list)
    for n, held in others.items():
        for word in held:
            holding[word].append(n)
    scored = []
    for n, held in words.items():
        near = {m for word in held if len(holding[word]) <= _MOST_WITH_WORD for m in holding[word]}
        for m in near:
            one, other = before[n], after[m]
            if one.kind is not other.kind and BlockKind.TABLE_ROW in (one.kind, other.kind):
                continue
            in_place = gaps.are_same(n, m)
            share = max(_share(held, others[m], weights), _same_row(one, other))
            if share >= (_LEAST_ALIKE_IN_PLACE if in_place else _LEAST_ALIKE):
                scored.append((-share - 0.2 * in_place, abs(n - m), n, m, in_place))
    taken: set[int] = set()
    other_taken: set[int] = set()
    for _, _, n, m, in_place in sorted(scored):
        if n not in taken and m not in other_taken:
            taken.add(n)
            other_taken.add(m)
            yield Pair(n, m, is_moved=not in_place)


def _words(unit: Unit) -> Counter[str]:
    return Counter(tokens(unit.key.lower()))


def _weights(texts: Sequence[Counter[str]]) -> dict[str, float]:
    """The weight of each word: that of one that is in many of the texts is low."""
    held = Counter(word for text in texts for word in text)
    return {word: log(1 + len(texts) / count) for word, count in held.items()}


def _share(one: Counter[str], other: Counter[str], weights: dict[str, float]) -> float:
    """The weighted share of words that both have, from 0 to 1 (the Dice coefficient)."""
    shared = sum(weights[word] * count for word, count in (one & other).items())
    total = sum(weights[word] * count for words in (one, other) for word, count in words.items())
    return 2 * shared / total if total else 0.0


def _same_row(one: Unit, other: Unit) -> float:
    """1 if both are rows of the same name below the same heads."""
    if not (one.cells and other.cells):
        return 0.0
    cells, others = one.cell_texts(), other.cell_texts()
    names = [next(iter(held.items())) for held in (cells, others)]
    return float(cells.keys() == others.keys() and names[0] == names[1])
