"""Formats the figures as a Markdown table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evaluation.measures import Measures, Share, grouped, measured
from evaluation.questions import KINDS
from evaluation.scoring import Score

_HEADS = (
    "",
    "questions",
    "right",
    "and first",
    "gold shown",
    "everything shown",
    "first quote right",
    "beside the point",
    "refused rightly",
    "refused wrongly",
    "quotes",
    "lines",
)
_COMPARED_HEADS = (
    "",
    "questions",
    "right before",
    "right after",
    "gained",
    "lost",
    "quotes",
    "lines",
)


def tables(scores: Sequence[Score]) -> str:
    """All answers by kind and by collection, then what confidence says."""
    by_kind = grouped(sorted(scores, key=lambda one: KINDS.index(one.kind)), lambda one: one.kind)
    by_collection = grouped(scores, lambda one: one.collection)
    whole = measured(scores)
    parts = [
        _table([*_rows(by_kind), _row("**all**", whole, with_interval=True)]),
        _table(_rows(by_collection)),
        f"Confidence: median {_number(whole.confidence_right)} when right, "
        f"{_number(whole.confidence_wrong)} when wrong; AUROC {_number(whole.auroc)}. "
        f"Right of the doubtful answers {_share(scores, is_doubtful=True)}, "
        f"of the others {_share(scores, is_doubtful=False)}.",
    ]
    return "\n\n".join(parts)


def _share(scores: Sequence[Score], *, is_doubtful: bool) -> str:
    shown = [one for one in scores if one.is_answered and one.is_doubtful == is_doubtful]
    return f"{sum(one.is_right for one in shown)} of {len(shown)}"


def compared(before: Sequence[Score], after: Sequence[Score]) -> str:
    """Right answers by kind before and after; only questions that both have."""
    known = {one.id: one for one in before}
    pairs = [(known[one.id], one) for one in after if one.id in known]
    order = sorted(pairs, key=lambda pair: KINDS.index(pair[1].kind))
    kinds = dict.fromkeys(one.kind for _, one in order)
    rows = [_compared_row(kind, [pair for pair in order if pair[1].kind == kind]) for kind in kinds]
    return _table([*rows, _compared_row("**all**", order)], _COMPARED_HEADS)


def changed(before: Sequence[Score], after: Sequence[Score]) -> tuple[list[str], list[str]]:
    """The ids of questions that became right, and of those that became wrong."""
    was_right = {one.id: one.is_right for one in before}
    both = [one for one in after if one.id in was_right]
    gained = [one.id for one in both if one.is_right and not was_right[one.id]]
    lost = [one.id for one in both if not one.is_right and was_right[one.id]]
    return gained, lost


def _compared_row(name: str, pairs: Sequence[tuple[Score, Score]]) -> list[str]:
    first = measured([one for one, _ in pairs])
    second = measured([one for _, one in pairs])
    gained = sum(two.is_right and not one.is_right for one, two in pairs)
    lost = sum(one.is_right and not two.is_right for one, two in pairs)
    return [
        name,
        str(len(pairs)),
        _percent(first.right, with_interval=name.startswith("*")),
        _percent(second.right, with_interval=name.startswith("*")),
        str(gained),
        str(lost),
        f"{_number(first.quotes, 1)} → {_number(second.quotes, 1)}",
        f"{_number(first.lines, 1)} → {_number(second.lines, 1)}",
    ]


def _rows(groups: dict[str, list[Score]]) -> list[list[str]]:
    return [_row(name, measured(scores)) for name, scores in groups.items()]


def _row(name: str, found: Measures, *, with_interval: bool = False) -> list[str]:
    shares = (
        found.clear,
        found.gold_shown,
        found.everything,
        found.first_right,
        found.beside,
        found.refused_rightly,
        found.refused_wrongly,
    )
    return [
        name,
        str(found.questions),
        _percent(found.right, with_interval=True),
        *(_percent(share, with_interval=with_interval) for share in shares),
        _number(found.quotes, 1),
        _number(found.lines, 1),
    ]


def _table(rows: Iterable[Sequence[str]], heads: Sequence[str] = _HEADS) -> str:
    lines = [list(heads), ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _percent(share: Share, *, with_interval: bool) -> str:
    if share.value is None:
        return "-"
    told = f"{100 * share.value:.0f} %"
    interval = share.interval() if with_interval else None
    return f"{told} ({100 * interval[0]:.0f}-{100 * interval[1]:.0f})" if interval else told


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
