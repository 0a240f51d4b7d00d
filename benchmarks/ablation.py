"""Ablation study: switches the rules off, one at a time, and measures what changes.

    python benchmarks/ablation.py                               # every rule of every group
    python benchmarks/ablation.py --rules margins replies       # only these
    python benchmarks/ablation.py --group statements
    python benchmarks/ablation.py --group answers --save start.json --rules   # figures only
    python benchmarks/ablation.py --group answers --against start.json        # compare other code

Groups: `answers` (open sets and the judged questions of both halves, of which only figures are shown),
`statements` (labelled statements, gold answers with changed numbers, sentences of two documents),
`chat` (conversations of mtrag-un-open, and the judged questions after others), `tables` (printed tables
of pdf_tables.py, and files with known text of recovery.py).
Each line has the lines of code that only this rule needs, how many results change at all, and for each
measure the difference without the rule, with a 95 % interval if anything changes. Reranker scores are
cached, so that a rule costs only what it changes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import changed_numbers
import contradictions
import conversation
import pdf_tables
import recovery
import support_cases
from ablation_rules import ROOT, RULES, Rule
from open_sets import WORK, collection, load

from pincite.chat.follow_up import follow_up
from pincite.evaluate.answers import holds_gold, is_relevant, is_right
from pincite.evaluate.compare import paired
from pincite.evaluate.datasets import Collection as Opened
from pincite.evaluate.datasets import GoldQuestion
from pincite.evaluate.measures import ranking_values
from pincite.ingest.readers import FileReader
from pincite.models.encoders.windowed import WindowedEncoder
from pincite.pipeline import answer_question
from pincite.records.flow import Question
from pincite.rerank.late_interaction import LateInteractionReranker
from pincite.text.languages import language_of
from pincite.verify.differences import difference

GROUPS = ("answers", "statements", "chat", "tables")
SETS = (
    "squad2-open clapnq-open product-docs pdfqa-open nq-open legalbench-open tatqa-open xquad-open"
)
STATEMENTS = ("qags", "summedits-open", "wice-open", "changed")
_SEED = 20261124

Outcome = Mapping[str, float | str | None]
"""What is measured of one case, and under `shown` what came out, to see whether anything changed."""

Found = dict[str, Outcome]
Measured = Callable[[Collection[str] | None], Iterator[tuple[str, Outcome]]]
"""Measures the cases with these keys, or all."""


def main() -> None:
    """Print a line for each rule."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--group", choices=GROUPS, action="append")
    parser.add_argument("--rules", nargs="*", help="names; without any: only the figures")
    parser.add_argument("--sets", nargs="*", default=SETS.split())
    parser.add_argument("--questions", type=int, default=80, help="of each open set")
    parser.add_argument("--statements", type=int, default=300, help="of each labelled set")
    parser.add_argument("--most-judged", type=int, help="judged questions of a collection and half")
    parser.add_argument("--collections", nargs="*", help="of judged questions; default: all")
    parser.add_argument("--libraries", type=Path, default=WORK / "judged")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--against", type=Path)
    chosen = parser.parse_args()
    _remember()
    before = json.loads(chosen.against.read_text()) if chosen.against else None
    saved: dict[str, Found] = {}
    with ExitStack() as stack:
        for group in chosen.group or GROUPS:
            measure = _of_group(group, chosen, stack)
            rules = _chosen(group, chosen.rules, chosen.against)
            fired = _Fired(rules if group == "answers" else ())
            with fired:
                found = dict(fired.noting(measure(None)))
            saved[group] = found
            if chosen.save:
                chosen.save.write_text(json.dumps(saved, ensure_ascii=False))
            print(f"\n{group}: {len(found)} cases", flush=True)
            print("\n".join(f"  {line}" for line in _means(found)), flush=True)
            if before is not None:
                print(f"  against {chosen.against.name}: {_compared(before[group], found)}")
            for rule in rules:
                _ablate(rule, measure, found, fired.of(rule))


def _chosen(group: str, names: Sequence[str] | None, against: Path | None) -> list[Rule]:
    if names is None and against is not None:
        return []
    rules = [rule for rule in RULES if rule.group == group and rule.is_there()]
    return [rule for rule in rules if names is None or rule.name in names]


class _Fired(ExitStack):
    """Hears for which cases each rule changes something, so that only these are measured again."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        super().__init__()
        self._cases: dict[str, set[str]] = {}
        self._now: set[str] = set()
        for rule in rules:
            self._cases[rule.name] = set()
            self.enter_context(rule.watched(self._now.add))

    def noting(self, measured: Iterator[tuple[str, Outcome]]) -> Iterator[tuple[str, Outcome]]:
        """The same outcomes."""
        for key, outcome in measured:
            for name in self._now:
                self._cases[name].add(key)
            self._now.clear()
            yield key, outcome

    def of(self, rule: Rule) -> set[str] | None:
        """The cases of a rule; None: all."""
        return self._cases.get(rule.name)


def _ablate(rule: Rule, measure: Measured, found: Found, cases: set[str] | None) -> None:
    started = time.perf_counter()
    _Remembered.is_used = not any(path.startswith("rerank.") for path, _ in rule.switches)
    try:
        with rule.off():
            without = {**found, **dict(measure(cases))}
    except Exception as error:  # noqa: BLE001  (a neutral form that does not fit tells of itself)
        print(f"{rule.name}: cannot be switched off ({type(error).__name__}: {error})", flush=True)
        return
    finally:
        _Remembered.is_used = True
    seconds = time.perf_counter() - started
    told = _compared(found, without)
    fired = "" if cases is None else f"fired {len(cases)} times; "
    print(f"{rule.name} ({rule.lines} lines): {fired}{told} [{seconds:.0f} s]", flush=True)


# --- Comparing ------------------------------------------------------------------------------------


def _names(found: Found) -> list[str]:
    names = dict.fromkeys(name for one in found.values() for name in one)
    return [name for name in names if name != "shown"]


def _values(found: Found, name: str) -> dict[str, float]:
    values = {key: one.get(name) for key, one in found.items()}
    return {key: float(value) for key, value in values.items() if value is not None}


def _means(found: Found) -> Iterator[str]:
    for name in _names(found):
        values = [*_values(found, name).values()]
        yield f"{name} {sum(values) / len(values):.3f} of {len(values)}"


def _compared(found: Found, without: Found) -> str:
    both = found.keys() & without.keys()
    changed = sum(found[key].get("shown") != without[key].get("shown") for key in both)
    told = [f"{changed} of {len(both)} changed"]
    for name in _names(found):
        one, other = _values(found, name), _values(without, name)
        pairs = [(one[key], other[key]) for key in one if key in other]
        if all(before == after for before, after in pairs):
            continue
        row = paired(pairs)
        low, high = row["interval"]
        told.append(
            f"{name} {100 * row['difference']:+.2f} ({100 * low:+.2f} to {100 * high:+.2f}; "
            f"+{row['better']} -{row['worse']} of {len(pairs)})"
        )
    return "; ".join(told)


# --- What is remembered ---------------------------------------------------------------------------


class _Remembered:
    is_used = True
    rankings: dict[Any, Any]
    questions: dict[Any, Any]


def _remember() -> None:
    """Let rerankers and encoders give again what they gave for the same question and candidates."""
    _Remembered.rankings, _Remembered.questions = {}, {}
    rerank, encode = LateInteractionReranker.rerank, WindowedEncoder._encode_question

    def remembered(self: Any, question: Any, hits: Any) -> Any:
        key = (
            id(self),
            question.asked,
            tuple(
                (hit.passage.id, hit.score, hit.must_keep, tuple(hit.scores.items()))
                for hit in hits
            ),
        )
        if not _Remembered.is_used:
            return rerank(self, question, hits)
        if key not in _Remembered.rankings:
            _Remembered.rankings[key] = rerank(self, question, hits)
        return _Remembered.rankings[key]

    def encoded(self: Any, text: str) -> Any:
        if (self.name, text) not in _Remembered.questions:
            _Remembered.questions[self.name, text] = encode(self, text)
        return _Remembered.questions[self.name, text]

    setattr(LateInteractionReranker, "rerank", remembered)  # noqa: B010
    setattr(WindowedEncoder, "_encode_question", encoded)  # noqa: B010


# --- Answers --------------------------------------------------------------------------------------


def _of_group(group: str, chosen: argparse.Namespace, stack: ExitStack) -> Measured:
    judged = partial(_judged, chosen, stack, {})
    if group == "statements":
        return _statements(chosen)
    if group == "tables":
        return _tables(Path(stack.enter_context(tempfile.TemporaryDirectory())))
    if group == "chat":
        return _both(_conversations(stack), partial(judged, is_chat=True))
    asked = []
    for name in chosen.sets:
        data = load(name)
        opened = stack.enter_context(collection(data))
        asked.append((opened, data.some(chosen.questions)))
    return _both(partial(_open, asked), partial(judged, is_chat=False))


def _both(*parts: Measured) -> Measured:
    def measure(cases: Collection[str] | None) -> Iterator[tuple[str, Outcome]]:
        for part in parts:
            yield from part(cases)

    return measure


def _open(
    asked: Sequence[tuple[Opened, Sequence[GoldQuestion]]], cases: Collection[str] | None
) -> Iterator[tuple[str, Outcome]]:
    for opened, questions in asked:
        stages = opened.library.stages()
        for question in questions:
            key = f"{opened.folder.parent.name}/{question.id}"
            if cases is None or key in cases:
                answer = answer_question(Question(text=question.text), stages)
                yield key, _open_outcome(answer, question, opened)


def _open_outcome(answer: Any, question: GoldQuestion, opened: Opened) -> Outcome:
    cited = answer.citations
    shown = json.dumps([answer.text, [one.quote for one in cited], answer.reasons])
    if question.answerable is False:
        return {"shown": shown, "unanswerable answered": float(bool(cited))}
    held = holds_gold(cited, question, opened.names)
    if held is None:
        held = [is_relevant(one.document, question, opened.names) for one in cited]
    return {
        "shown": shown,
        "first right": float(bool(held and held[0])),
        "any right": float(bool(cited) and is_right(cited, question, opened.names)),
        "answerable answered": float(bool(cited)),
    }


def _judged(
    chosen: argparse.Namespace,
    stack: ExitStack,
    opened: dict[str, Any],
    cases: Collection[str] | None,
    *,
    is_chat: bool,
) -> Iterator[tuple[str, Outcome]]:
    """The judged questions; of the held half only figures leave this function."""
    import sys

    sys.path.insert(0, str(ROOT))
    from evaluation.asking import outcomes
    from evaluation.libraries import Libraries
    from evaluation.questions import HALVES, questions_of
    from evaluation.sources import COLLECTIONS

    libraries = Libraries(folder=chosen.libraries)
    for one in COLLECTIONS.values():
        if one.absent() or (chosen.collections is not None and one.name not in chosen.collections):
            continue
        if one.name not in opened:
            opened[one.name] = stack.enter_context(libraries.of(one))
        for half in HALVES:
            asked = [q for q in questions_of(half, one.name) if bool(q.history) == is_chat]
            asked = [q for q in asked[: chosen.most_judged] if cases is None or q.id in cases]
            for outcome in outcomes(asked, opened[one.name], one.root):
                right = outcome.score
                answer: dict[str, float | str | None] = {
                    "judged right": float(right.is_right),
                    "judged right and first": float(right.is_clear),
                    f"judged right, {half}": float(right.is_right),
                    "judged lines": float(right.lines),
                }
                printed = outcome.answer.printed.encode()
                yield right.id, {"shown": hashlib.sha256(printed).hexdigest(), **answer}


# --- Tables of PDF files --------------------------------------------------------------------------


def _tables(folder: Path) -> Measured:
    cases = [*pdf_tables.cases(120)]
    pdf_tables.printed(cases, folder)
    truths = [*recovery.truths(recovery.SHARED / "documents/open")]
    known = [(file, text) for file, text in truths if file.suffix == ".pdf"]

    def measure(_: Collection[str] | None) -> Iterator[tuple[str, Outcome]]:
        for case in cases:
            document = FileReader().read(folder / f"{case.name}.pdf")
            values = zip(("cell", "label", "head"), pdf_tables.shares(case, document), strict=True)
            yield case.name, {"shown": document.text, **dict(values)}
        for file, text in known:
            words = recovery.words_of(FileReader().read(file).text)
            found = recovery.compare(words, recovery.words_of(text))
            values = zip(("recall", "precision", "order"), found, strict=True)
            yield file.name, {"shown": " ".join(words), **dict(values)}

    return measure


# --- Statements -----------------------------------------------------------------------------------


def _statements(chosen: argparse.Namespace) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        claims = [one for one in changed_numbers.claims(Path(folder), 900) if one.cited]
    pairs = {
        name: [*islice(contradictions.pairs(name), 300)]
        for name in ("product-docs", "legalbench-open", "pdfqa-open", "multihoprag-open")
    }

    def measure(_: Collection[str] | None) -> Iterator[tuple[str, Outcome]]:
        for name in STATEMENTS:
            for number, said in enumerate(support_cases.judged(name, chosen.statements)):
                holds = bool(said.sentences) and all(one.found.holds for one in said.sentences)
                kind = "supported shown" if said.is_supported else "unsupported shown"
                yield f"{name}/{number}", {"shown": str(holds), kind: float(holds)}
        yield from _numbers(claims)
        for name, own in pairs.items():
            for number, (one, other) in enumerate(own):
                told = difference(one, other, language_of(one), are_versions=False)
                yield (
                    f"pairs of {name}/{number}",
                    {"shown": str(told), "told to differ": float(bool(told))},
                )

    return measure


def _numbers(claims: Sequence[changed_numbers.Claim]) -> Iterator[tuple[str, Outcome]]:
    chance = random.Random(_SEED)
    for number, claim in enumerate(claims):
        caught = changed_numbers.is_caught(claim.text, claim)
        kind = "computed" if "step" in claim.kind else "stated"
        yield (
            f"claims/{number}",
            {"shown": str(caught), f"right numbers left out, {kind}": float(caught)},
        )
        for name, change in changed_numbers.CHANGES.items():
            text = change(claim, chance)
            if text is None or changed_numbers.still_true(name, text, claim):
                continue
            caught = changed_numbers.is_caught(text, claim)
            yield (
                f"claims/{number}/{name}",
                {"shown": str(caught), "changed numbers caught": float(caught)},
            )


# --- Conversations --------------------------------------------------------------------------------


def _conversations(stack: ExitStack) -> Measured:
    data = load(conversation.SET)
    searched = stack.enter_context(collection(data))
    relevant = {question.id: question.relevant for question in data.questions if question.relevant}
    asked = [one for one in conversation.dialogues() if one.before and one.id in relevant]
    ranked: dict[str, tuple[str, ...]] = {}

    def measure(_: Collection[str] | None) -> Iterator[tuple[str, Outcome]]:
        read = {one.id: conversation.replayed(one, follow_up).text for one in asked}
        for text in read.values():
            if text not in ranked:
                ranked[text] = conversation.ranked(searched, text)
        values = ranking_values(relevant, {key: ranked[text] for key, text in read.items()})
        for key, text in read.items():
            yield key, {"shown": text, **{name: values[key][name] for name in ("nDCG@10", "R@5")}}

    return measure


if __name__ == "__main__":
    main()
