"""Does the verifier tell statements that a text carries from those that it does not?

    python benchmarks/support.py

Statements with people's judgements (see support_cases.py), each sentence with the quotes that the
answerer would choose for it. A statement is as good as its worst sentence.

Two tables. The first is about judging: area under the ROC curve, and balanced accuracy (the mean of
the shares of supported and of unsupported statements that are judged rightly; 50 % is chance) at the
threshold that is best on the set itself, which flatters, for the share of words that stand in the
text and for the shipped model. `python benchmarks/fit_support.py` has those of sets left out.
The second is about showing: what may be shown by words alone, and with token states; `right` is the
share of supported ones among those shown.
--wrong prints what is shown wrongly, --synonyms what the encoder makes of pairs of words.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from support_cases import CHANGED, JUDGED, Checked, Judged, default_aligner, judged

from pincite.evaluate.measures import auroc
from pincite.verify.statements.support import LEAST_SYNONYM, support_probability
from pincite.verify.statements.wording import TokenAligner, words_of

SETS = ("qags", "summedits-open", "wice-open")

PAIRS = (
    ("The central bank ended its {} buying programme.", "bond", "loan", False),
    ("{} wash their hands before entering.", "Nurses", "Doctors", False),
    ("The frame is made of {} and painted.", "steel", "iron", False),
    ("The valve is placed behind the {}.", "pump", "motor", False),
    ("The museum was opened by the {}.", "king", "queen", False),
    ("The patient was given {} twice a day.", "ibuprofen", "paracetamol", False),
    ("The river flows into the {}.", "sea", "lake", False),
    ("The team won the {} trophy.", "silver", "gold", False),
    ("He was arrested for {}.", "murder", "theft", False),
    ("Store the samples in a {}.", "freezer", "refrigerator", False),
    ("The company will {} the factory.", "purchase", "buy", True),
    ("The {} was shown in autumn.", "film", "movie", True),
    ("The {} prescribed rest.", "physician", "doctor", True),
    ("Works {} in spring.", "began", "started", True),
    ("The house is {}.", "big", "large", True),
    ("The {} was damaged by fire.", "car", "automobile", True),
    ("They {} the rules.", "changed", "amended", True),
    ("The device {} the pressure.", "measures", "gauges", True),
    ("The {} lasted two hours.", "meeting", "session", True),
    ("The results were {}.", "surprising", "unexpected", True),
)
"""A sentence, two words, and whether it means the same with either."""


def probability(item: Judged) -> float:
    """That of the worst sentence, by the shipped model; 0 for a statement without words."""
    return min((_probability(sentence) for sentence in item.sentences), default=0.0)


def _probability(sentence: Checked) -> float:
    if sentence.support.aligned is None:
        return 0.0
    return support_probability(aligned=sentence.support.aligned, faulty=sentence.is_faulty)


def balanced(found: Sequence[Judged], holds: Callable[[Judged], bool]) -> float:
    """Mean of the shares of both kinds that are judged rightly, in 0..1."""
    right = {True: 0, False: 0}
    total = Counter(item.is_supported for item in found)
    for item in found:
        right[item.is_supported] += holds(item) == item.is_supported
    return (right[True] / total[True] + right[False] / total[False]) / 2


def judging(found: Sequence[Judged], score: Callable[[Judged], float]) -> str:
    """AUROC, and balanced accuracy at the best threshold."""
    scores = np.array([score(item) for item in found])
    is_good = np.array([item.is_supported for item in found])
    good, bad = scores[is_good], scores[~is_good]
    best = max((good >= mark).mean() + (bad < mark).mean() for mark in np.unique(scores)) / 2
    return f"{auroc(list(good), list(bad)):.3f} | {100 * best:.1f} %"


def showing(found: Sequence[Judged], holds: Callable[[Judged], bool]) -> str:
    """How many are shown, the share of right ones among them, dropped good ones, balanced accuracy."""
    shown = [item for item in found if item.sentences and holds(item)]
    right = sum(item.is_supported for item in shown)
    supported = sum(item.is_supported for item in found)
    return (
        f"{len(shown)} | {100 * right / max(1, len(shown)):.0f} % "
        f"| {100 * (supported - right) / supported:.0f} % | {100 * balanced(found, holds):.1f} %"
    )


def by_words(item: Judged) -> bool:
    """Whether every sentence may be shown by its words alone."""
    return bool(item.sentences) and all(one.by_words.holds for one in item.sentences)


def with_states(item: Judged) -> bool:
    """Whether every sentence may be shown, with the encoder's help."""
    return bool(item.sentences) and all(one.with_states.holds for one in item.sentences)


def verdicts(found: Sequence[Judged]) -> None:
    """What was found of sentences, and how long a check took once both texts were encoded."""
    sentences = [(one, item.is_supported) for item in found for one in item.sentences]
    spent = sum(one.milliseconds for one, _ in sentences) / len(sentences)
    print(f"  {spent:.1f} ms of processor time a sentence beyond encoding")
    for verdict, count in Counter(
        str(one.with_states.verdict) for one, _ in sentences
    ).most_common():
        wrong = sum(not good for one, good in sentences if str(one.with_states.verdict) == verdict)
        print(f"  {count:>5} {verdict}: {100 * wrong / count:.0f} % in unsupported statements")


def synonyms(aligner: TokenAligner) -> None:
    """The likeness of two words in one sentence: of one kind, and of one meaning."""
    for sentence, one, other, is_same in PAIRS:
        said = sentence.format(one)
        word = next(word for word in words_of(said, "en") if word.text == one)
        found = aligner.align(said, [word], [sentence.format(other)])[0]
        mark = "ok" if (found >= LEAST_SYNONYM) == is_same else "--"
        print(f"{mark} {'synonyms' if is_same else 'of one kind':<12} {one}, {other}: {found:.2f}")


def main() -> None:
    """Print the tables, and what else is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=(*JUDGED, CHANGED))
    parser.add_argument("--most", type=int, help="statements of each set")
    parser.add_argument("--synonyms", action="store_true")
    parser.add_argument("--wrong", type=int, default=0, help="print so many that are shown wrongly")
    given = parser.parse_args()
    aligner = default_aligner()
    if given.synonyms:
        synonyms(aligner)
        return
    for name in given.sets:
        found = judged(name, aligner, given.most)
        supported = sum(item.is_supported for item in found) / len(found)
        print(f"| {name} | {len(found)} | {100 * supported:.0f} % ", end="")
        print(f"| {judging(found, lambda item: item.overlap)} | {judging(found, probability)} |")
        print(f"| {name} | {showing(found, by_words)} | {showing(found, with_states)} |")
        verdicts(found)
        wrong = [item for item in found if with_states(item) and not item.is_supported]
        for item in wrong[: given.wrong]:
            print(f"* {item.text}")
            for quote in dict.fromkeys(q for one in item.sentences for q in one.quotes):
                print(f"    > {' '.join(quote.split())}")


if __name__ == "__main__":
    main()
