"""What a judge's verdicts come to, and how far they are those of the labelled set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pincite.evaluate.answer_measures import means
from pincite.evaluate.judge_prompts import JUDGED
from pincite.evaluate.run import Run


def judged_form(run: Run) -> dict[str, Any]:
    """Means with intervals of what was judged, how much was not, and how good the judge is."""
    judgements = [record.judgement for record in run.answers if record.judgement]
    form, intervals = means([judgement.values for judgement in judgements], JUDGED)
    return {
        "by": run.judged_by,
        "prompts": run.judge_prompts,
        **form,
        "intervals": intervals,
        "judged": {name: sum(name in one.verdicts for one in judgements) for name in JUDGED},
        "not_judged": {name: sum(name in one.not_judged for one in judgements) for name in JUDGED},
        "agreement": _agreement(run),
    }


def _agreement(run: Run) -> dict[str, Any]:
    """Verdicts on passages beside whether the set calls their documents relevant."""
    pairs = [
        pair
        for record in run.answers
        if record.judgement and (found := record.judgement.verdicts.get("context_precision"))
        for pair in zip(found, record.passages_relevant, strict=True)
    ]
    share = sum(said == gold for said, gold in pairs) / len(pairs) if pairs else None
    return {
        "passages": len(pairs),
        "share": None if share is None else round(share, 4),
        "kappa": cohens_kappa(pairs),
    }


def cohens_kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Agreement of two judges beyond chance (Cohen 1960): 1 always, 0 as by chance.

    None where both always say the same one thing, for then chance alone agrees.
    """
    if not pairs:
        return None
    count = len(pairs)
    first = sum(one for one, _ in pairs) / count
    second = sum(other for _, other in pairs) / count
    by_chance = first * second + (1 - first) * (1 - second)
    if by_chance == 1:
        return None
    observed = sum(one == other for one, other in pairs) / count
    return round((observed - by_chance) / (1 - by_chance), 4)
