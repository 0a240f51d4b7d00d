"""Measures how rightly statements are found supported, contradicted or neither.

    python benchmarks/checked_texts.py [--sets NAME ...] [--most 60 --model GGUF] [--order] [--wrong]
    python benchmarks/checked_texts.py --edits 60 [--wrong]

Statements that people have judged against a text (support_cases.py). For each set: balanced accuracy of
supported against the rest, of the contradicted ones how many are found so, and of what is said to be
contradicted the share that people call contradicted, neither, and supported. wice-open, expertqa-open,
qags and summedits-open do not tell contradicted statements from unsupported ones.

--model: a language model that judges statements in other words, as `pincite check` with
generation.mode = generated; some seconds a statement, so `--most` of a set are enough.

--order: instead, how well the share of its words in the quotes, and the model's probability that they
say it, tell supported claims from all others: areas under the ROC curve. So much can be gained by any
threshold.

--edits: instead, so many statements of each kind out of a library of real documents (the longest 40 of
documents/bulk-18f-handbook), as they are and with another number, day, negation or duty, reworded, or
from elsewhere; how many are called what.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from compare_edits import ADDED, CHANGES, FEWEST_WORDS
from open_sets import SHARED, WORK
from support import judgement_of
from support_cases import JUDGED, MOST, SEED, SentenceWeights, citation, evidence_of, overlap, rows

from pincite.answer.generated import Carriers
from pincite.evaluate.measures import auroc
from pincite.ingest.readers import FileReader
from pincite.library.library import Library
from pincite.records.checked_texts import Standing
from pincite.records.document import BlockKind
from pincite.records.flow import Citation
from pincite.verify.comparing.units import units_of
from pincite.verify.statements.claims import ClaimChecker, premise_of
from pincite.verify.statements.own_judgement import OwnJudgement
from pincite.verify.texts import judged

HANDBOOK = SHARED / "documents" / "bulk-18f-handbook"
_KINDS = {
    "supported": Standing.SUPPORTED,
    "Complete": Standing.SUPPORTED,
    "Supports": Standing.SUPPORTED,
    "SUPPORTS": Standing.SUPPORTED,
    "Refutes": Standing.CONTRADICTED,
    "REFUTES": Standing.CONTRADICTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Claim:
    """A claim, the quotes that have most of its words, and all of the text it was judged against."""

    text: str
    cited: list[Citation]
    others: list[Citation]
    truth: Standing


def _claims(name: str, most: int | None) -> tuple[SentenceWeights, list[_Claim]]:
    texts = {row["id"]: row for row in rows(name, "corpus.jsonl")}
    said = {row["id"]: row["text"] for row in rows(name, "queries.jsonl")}
    labels = [row for row in rows(name, "labels.jsonl") if row["doc_id"]]
    most = most or MOST.get(name, 600)
    if len(labels) > most:
        labels = random.Random(SEED).sample(labels, most)
    used = {row["doc_id"] for row in labels}
    evidence = {key: evidence_of(texts[key]) for key in used}
    weights = SentenceWeights([item.quote for own in evidence.values() for item in own])
    carriers, found = Carriers(weights), []
    for row in labels:
        own, title = evidence[row["doc_id"]], texts[row["doc_id"]].get("title", "")
        text = said[row["query_id"]]
        found.append(
            _Claim(
                text=text,
                cited=[citation(item.quote, title) for item in carriers.find(text, [], own)],
                others=[citation(item.quote, title) for item in own],
                truth=_KINDS.get(row["label"], Standing.NOT_FOUND),
            )
        )
    return weights, found


def measured(
    name: str, *, most: int | None, judgement: OwnJudgement | None, show_wrong: bool
) -> str:
    """A row of the table for one set."""
    weights, all_of_them = _claims(name, most)
    claims = ClaimChecker(weights, judgement=judgement)
    found: Counter[tuple[Standing, Standing]] = Counter()
    for claim in all_of_them:
        result = judged(claims, claim.text, claim.cited, claim.others)
        found[claim.truth, result.standing] += 1
        if (
            show_wrong
            and Standing.CONTRADICTED in (claim.truth, result.standing)
            and claim.truth != result.standing
        ):
            quotes = [*result.against, *claim.cited]
            print(f"{claim.truth} -> {result.standing}: {claim.text}")
            print(f"    {quotes[0].quote[:400] if quotes else ''}")
    return f"| {name} | {_row(found)} |"


def in_order(name: str, *, most: int | None, judgement: OwnJudgement) -> str:
    """A row of the table of areas under the ROC curve for one set."""
    ways: dict[str, Callable[[str, str], float]] = {
        "words": overlap,
        "model": lambda statement, premise: judgement.told(statement, premise) or 0.0,
    }
    scores: dict[tuple[str, bool], list[float]] = defaultdict(list)
    for claim in _claims(name, most)[1]:
        premise = premise_of(claim.cited)
        for way, score in ways.items():
            is_supported = claim.truth is Standing.SUPPORTED
            scores[way, is_supported].append(score(claim.text, premise) if premise else 0.0)
    areas = [f"{auroc(scores[way, True], scores[way, False]):.2f}" for way in ways]
    supported, others = len(scores["words", True]), len(scores["words", False])
    return f"| {name} | {supported} of {supported + others} | {' | '.join(areas)} |"


def _row(found: Counter[tuple[Standing, Standing]]) -> str:
    supported, contradicted = Standing.SUPPORTED, Standing.CONTRADICTED
    total = {kind: sum(n for (truth, _), n in found.items() if truth is kind) for kind in Standing}
    rest = total[contradicted] + total[Standing.NOT_FOUND]
    wrongly = sum(n for (t, f), n in found.items() if t is not supported and f is supported)
    share = found[supported, supported] / total[supported]
    balanced = (share + 1 - wrongly / rest) / 2
    said = sum(n for (_, f), n in found.items() if f is contradicted)
    kinds = (contradicted, Standing.NOT_FOUND, supported)
    parts = " / ".join(str(found[kind, contradicted]) for kind in kinds)
    return (
        f"{sum(total.values())} | {100 * balanced:.1f} % | {100 * share:.0f} % | "
        f"{found[contradicted, contradicted]} of {total[contradicted]} | {said}: {parts}"
    )


def edited(most: int, *, show_wrong: bool) -> None:
    """Print what statements of a library are called that were edited in one way."""
    order = random.Random(SEED)
    files = sorted(HANDBOOK.rglob("*.md"), key=lambda path: -path.stat().st_size)[:40]
    units = [
        unit.text
        for path in files
        for unit in units_of(FileReader().read_content(path, path.read_bytes()))
        if unit.kind in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
        and len(unit.text.split()) >= FEWEST_WORDS
        and unit.text.endswith((".", "!"))
        and not {"\n", "]("} & {unit.text[n : n + k] for k in (1, 2) for n in range(len(unit.text))}
    ]
    order.shuffle(units)
    kinds: dict[str, list[str]] = {"as it is": units[:most]}
    for kind, (change, _) in CHANGES.items():
        changed = ((unit, change(unit, order)) for unit in units)
        kinds[kind] = [after for before, after in changed if before != after][:most]
    kinds["from elsewhere"] = [
        ADDED.format(order.choice(("upper", "lower", "blue")), order.randint(2, 90))
        for _ in range(most)
    ]
    with Library.open(WORK / "checked-texts") as library:
        library.ingest(files)
        print("| statements | " + " | ".join(Standing) + " |\n|---|" + "---|" * len(Standing))
        for kind, texts in kinds.items():
            found = [library.check_statement(text) for text in texts]
            counts = Counter(one.standing for one in found)
            print(f"| {len(texts)} {kind} | " + " | ".join(str(counts[s]) for s in Standing) + " |")
            for one in found if show_wrong else ():
                shown = [quote.quote for quote in (*one.against, *one.quotes)][:1]
                print(f"  {one.standing} ({one.detail}): {one.text}", *shown, sep="\n    ")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=JUDGED, choices=JUDGED)
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--most", type=int, help="statements of each set")
    parser.add_argument("--model", help="a language model judges statements in other words")
    parser.add_argument("--order", action="store_true")
    parser.add_argument("--edits", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.edits:
        edited(arguments.edits, show_wrong=arguments.wrong)
        return
    judgement = judgement_of(arguments.model) if arguments.model else None
    if arguments.order:
        if judgement is None:
            parser.error("--order takes --model")
        print("| set | supported | words | model |\n|---|---|---|---|")
        for name in arguments.sets:
            print(in_order(name, most=arguments.most, judgement=judgement), flush=True)
        return
    print(
        "| set | statements | balanced accuracy | supported found | contradicted found | "
        "said to be contradicted: are / neither / supported |"
    )
    print("|---|---|---|---|---|---|")
    for name in arguments.sets:
        row = measured(name, most=arguments.most, judgement=judgement, show_wrong=arguments.wrong)
        print(row, flush=True)


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    main()
