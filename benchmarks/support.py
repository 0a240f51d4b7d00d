"""Measures how well the verifier distinguishes statements that a text supports from others.

    python benchmarks/support.py

Statements with people's judgements (see support_cases.py), each sentence with the quotes that the
answerer would choose for it. A statement is as good as its worst sentence. For each set: statements,
share of supported ones, how many are shown, the share of supported ones among these, how many
supported ones are dropped, and balanced accuracy (the mean of the shares of both kinds that are
judged correctly; 50 % is chance). --wrong prints the statements shown wrongly. --reader prints instead
how well the small reader, asked whether the quotes answer the sentence, and the share of its
words in the text tell supported statements from others: area under the ROC curve, and the share of
supported ones among the surest tenth and quarter. --model names a language model (a GGUF file) whose
judgement is asked of sentences in other words, as of what it wrote itself.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence

from open_sets import WORK
from support_cases import CHANGED, JUDGED, Checked, Judged, judged

from pincite.stages import Assenting, ToRead
from pincite.verify.statements.alignment import Alignment
from pincite.verify.statements.own_judgement import OwnJudgement

SETS = ("qags", "summedits-open", "wice-open")


def holds(item: Judged) -> bool:
    """Whether every sentence may be shown."""
    return bool(item.sentences) and all(one.found.holds for one in item.sentences)


def balanced(found: Sequence[Judged]) -> float:
    """Mean of the shares of both kinds that are judged rightly, in 0..1."""
    right = {True: 0, False: 0}
    total = Counter(item.is_supported for item in found)
    for item in found:
        right[item.is_supported] += holds(item) == item.is_supported
    return (right[True] / total[True] + right[False] / total[False]) / 2


def showing(found: Sequence[Judged]) -> str:
    """How many are shown, the share of right ones among them, dropped good ones, balanced accuracy."""
    shown = [item for item in found if holds(item)]
    right = sum(item.is_supported for item in shown)
    supported = sum(item.is_supported for item in found)
    share = f"{100 * right / len(shown):.0f} %" if shown else "-"
    dropped = 100 * (supported - right) / supported
    return f"{len(shown)} | {share} | {dropped:.0f} % | {100 * balanced(found):.1f} %"


def verdicts(found: Sequence[Judged]) -> None:
    """What was found of sentences, and how long a check took."""
    sentences = [(one, item.is_supported) for item in found for one in item.sentences]
    spent = sum(one.milliseconds for one, _ in sentences) / len(sentences)
    print(f"  {spent:.1f} ms of processor time a sentence")
    for verdict, count in Counter(str(one.found.verdict) for one, _ in sentences).most_common():
        wrong = sum(not good for one, good in sentences if str(one.found.verdict) == verdict)
        print(f"  {count:>5} {verdict}: {100 * wrong / count:.0f} % in unsupported statements")


def by_reader(found: Sequence[Judged]) -> None:
    """How well the reader's probability tells statements apart, beside the share of their words."""
    from pincite.assemble.encoders import open_encoder
    from pincite.assemble.verifying import open_reader
    from pincite.evaluate.measures import auroc
    from pincite.settings.loading import Settings

    settings = Settings()
    reader = open_reader(settings, WORK, open_encoder(settings.embedding, WORK))
    assert reader is not None
    found = [item for item in found if item.sentences]

    def answers(sentence: Checked) -> float:
        text = "\n".join(sentence.quotes)
        whole = (0, len(text))
        passage = ToRead(heading="", text=text, sentences=(whole,), focus=whole)
        return reader.read(sentence.text, [passage])[0].answers if text else 0.0

    read = [min(map(answers, item.sentences)) for item in found]
    for name, scores in {"reader": read, "words": [item.overlap for item in found]}.items():
        both: dict[bool, list[float]] = {True: [], False: []}
        for item, score in zip(found, scores, strict=True):
            both[item.is_supported].append(score)
        order = sorted(range(len(found)), key=lambda n: -scores[n])
        surest = [order[: len(found) // part] for part in (10, 4)]
        shares = [sum(found[n].is_supported for n in part) / len(part) for part in surest]
        print(
            f"  {name}: {auroc(both[True], both[False]):.3f}; {shares[0]:.2f}, {shares[1]:.2f}",
            flush=True,
        )


def _alignment() -> Alignment:
    from pincite.assemble.encoders import open_encoder
    from pincite.settings.groups import EmbeddingSettings
    from pincite.stages import shows_tokens

    encoder = open_encoder(EmbeddingSettings(), WORK)
    assert shows_tokens(encoder)
    return Alignment(encoder)


def judgement_of(model: str) -> OwnJudgement:
    """The judgement of the model in a GGUF file."""
    from pincite.models.llm.opening import open_model
    from pincite.settings.groups import GenerationSettings

    opened = open_model(GenerationSettings(model=model))
    assert isinstance(opened, Assenting)
    return OwnJudgement(opened, WORK / "own-judgement.json")


def main() -> None:
    """Print the table, and what else is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=(*JUDGED, CHANGED))
    parser.add_argument("--most", type=int, help="statements of each set")
    parser.add_argument("--wrong", type=int, default=0, help="print so many that are shown wrongly")
    parser.add_argument("--reader", action="store_true", help="the small reader as the judge")
    parser.add_argument("--free", action="store_true", help="statements may be worded freely")
    parser.add_argument("--model", help="a language model judges statements in other words")
    given = parser.parse_args()
    alignment = _alignment() if given.free else None
    judgement = judgement_of(given.model) if given.model else None
    for name in given.sets:
        found = judged(name, given.most, alignment, judgement)
        supported = sum(item.is_supported for item in found) / len(found)
        if given.reader:
            print(f"{name}: {len(found)} statements, {100 * supported:.0f} % supported")
            by_reader(found)
            continue
        print(f"| {name} | {len(found)} | {100 * supported:.0f} % | {showing(found)} |", flush=True)
        verdicts(found)
        wrong = [item for item in found if holds(item) and not item.is_supported]
        for item in wrong[: given.wrong]:
            print(f"  {item.text}")
            for one in item.sentences:
                print(f"    {one.found}: {one.text}\n      > {' / '.join(one.quotes)[:300]}")


if __name__ == "__main__":
    main()
