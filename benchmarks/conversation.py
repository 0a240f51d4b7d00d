"""Measures whether follow-up questions find more when they are read with the earlier ones.

    python benchmarks/conversation.py [--others 2000] [--part development] [--model smollm2]

Conversations of `mtrag-un-open`, each question with the user's earlier questions and their answers.
Every question is searched as written, with earlier questions prepended, and as the rules (and a
language model) read it. A third of the conversations, by a digest of the first question, is for
development: figures are for the others unless `--part` says otherwise.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from open_sets import SHARED, collection, load

from pincite.chat.follow_up import Exchange, Reading, follow_up
from pincite.chat.model_reading import ModelReader
from pincite.evaluate.compare import paired
from pincite.evaluate.datasets import Collection, Dataset
from pincite.evaluate.measures import ranking_values
from pincite.models.llm.opening import open_model
from pincite.settings.groups import GenerationSettings

SET = "mtrag-un-open"
ALONE = "as written"
MEASURES = ("nDCG@10", "R@5")
PASSAGES = 60
"""Searched for, so that at least 20 documents are among them."""

Reader = Callable[[str, Sequence[Exchange]], Reading]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """A question, and the turns before it: what the user asked and what was answered."""

    id: str
    question: str
    before: tuple[tuple[str, str], ...]

    @property
    def is_development(self) -> bool:
        """Whether the rules may have been written for it."""
        first = self.before[0][0] if self.before else self.question
        return int(hashlib.sha256(first.encode()).hexdigest(), 16) % 3 == 0


def main() -> None:
    """Search with each way of reading, and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--part", choices=("held-out", "development"), default="held-out")
    parser.add_argument("--model", default="", help="also read by this language model")
    parser.add_argument(
        "--others", type=int, default=0, help="so many passages of clapnq-open and nq-open, too"
    )
    parser.add_argument("--most", type=int, help="questions at most")
    parser.add_argument("--show", action="store_true", help="print what was read differently")
    arguments = parser.parse_args()
    data = with_others(load(SET), arguments.others)
    relevant = {question.id: question.relevant for question in data.questions if question.relevant}
    asked = [
        one
        for one in dialogues()
        if one.before and one.is_development == (arguments.part == "development")
    ][: arguments.most]
    judged = [one for one in asked if one.id in relevant]
    ways: dict[str, Mapping[str, Reading]] = {
        ALONE: {one.id: Reading(text=one.question) for one in asked},
        "after the last question": {one.id: _joined(one, 1) for one in asked},
        "after the last three": {one.id: _joined(one, 3) for one in asked},
        "after all of them": {one.id: _joined(one, 99) for one in asked},
        "rules": {one.id: replayed(one, follow_up) for one in asked},
    }
    with collection(data) as searched:
        if arguments.model:
            reader = model_reader(arguments.model)
            ways[arguments.model] = {one.id: replayed(one, reader) for one in asked}
        values = {
            name: ranking_values(
                relevant, {d.id: ranked(searched, read[d.id].text) for d in judged}
            )
            for name, read in ways.items()
        }
    print(
        f"{data.name}, {arguments.part}: {len(data.documents):,} passages, {len(asked)} questions "
        f"after others, {len(judged)} of them with relevant passages"
    )
    report(values, [one.id for one in judged], "all of these")
    for name in list(ways)[4:]:
        changed = [one for one in asked if ways[name][one.id].text != one.question]
        report(
            {one: values[one] for one in (*list(ways)[:4], name)},
            [one.id for one in judged if one in changed],
            f"those that '{name}' reads differently",
        )
        for rule in sorted({ways[name][one.id].rule for one in changed}):
            report(
                {one: values[one] for one in (ALONE, name)},
                [one.id for one in judged if one in changed and ways[name][one.id].rule is rule],
                f"because of {rule}",
            )
        told = Counter(str(ways[name][one.id].rule) for one in changed)
        print(f"read differently: {len(changed)} of {len(asked)}: {dict(told)}")
        if arguments.show:
            show(changed, ways[name], values[ALONE], values[name])


def with_others(data: Dataset, most: int) -> Dataset:
    """The set among passages of others on the same kind of subjects, none of them twice."""
    if not most:
        return data
    known = {_start(document.text) for document in data.documents}
    wider = (one for name in ("clapnq-open", "nq-open") for one in load(name).documents)
    others = [one for one in wider if _start(one.text) not in known]
    step = max(1, len(others) // most)
    added = [replace(one, id=f"other-{number}") for number, one in enumerate(others[::step][:most])]
    return replace(data, name=f"{SET}-among-{most}", documents=(*data.documents, *added))


def _start(text: str) -> str:
    return " ".join(text.lower().split())[:80]


def dialogues() -> list[Dialogue]:
    """All questions of the set with what was said before them."""
    lines = (SHARED / "data" / SET / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [_dialogue(json.loads(line)) for line in lines]


def _dialogue(row: Mapping[str, object]) -> Dialogue:
    meta = row["meta"]
    assert isinstance(meta, dict)
    turns: list[tuple[str, str]] = []
    for turn in meta["history"]:
        if turn["speaker"] == "user":
            turns.append((turn["text"], ""))
        elif turns:
            turns[-1] = (turns[-1][0], turn["text"])
    return Dialogue(id=str(row["id"]), question=str(row["text"]), before=tuple(turns))


def replayed(dialogue: Dialogue, reader: Reader) -> Reading:
    """The question as it is read at the end of the conversation, each turn read in its place."""
    earlier: list[Exchange] = []
    for question, answer in dialogue.before:
        # Each turn before by the rules: a model would be asked again and again for the same ones.
        read = follow_up(question, earlier)
        earlier.append(Exchange(question=read.text, quotes=(answer,) if answer else ()))
    return reader(dialogue.question, earlier)


def model_reader(name: str) -> Reader:
    """Reads with a language model, and by the rules where that cannot be used."""
    model = open_model(GenerationSettings(model=name))
    if model is None:
        raise SystemExit(f"--model {name}: expected the name of a language model, as smollm2")
    return ModelReader(model)


def _joined(dialogue: Dialogue, most: int) -> Reading:
    before = [question for question, _ in dialogue.before][-most:]
    return Reading(text=" ".join([*before, dialogue.question])[:10_000])


def ranked(searched: Collection, question: str) -> tuple[str, ...]:
    """Documents for a question, best first."""
    return searched.ranked(searched.library.search(question, limit=PASSAGES).hits)


def report(
    values: Mapping[str, Mapping[str, Mapping[str, float]]], ids: Sequence[str], which: str
) -> None:
    """A row for each way of reading, with its difference to the question as it was written."""
    print(f"\n{which} ({len(ids)})")
    if not ids:
        return
    for name, found in values.items():
        cells = []
        for measure in MEASURES:
            pairs = [(values[ALONE][one][measure], found[one][measure]) for one in ids]
            told = paired(pairs)
            low, high = told["interval"]
            cells.append(
                f"{measure} {told['second']:.3f} "
                f"({told['difference']:+.3f}, {low:+.3f} to {high:+.3f}; "
                f"better {told['better']}, worse {told['worse']})"
            )
        print(f"  {name:<24}" + "   ".join(cells))


def show(
    changed: Sequence[Dialogue],
    read: Mapping[str, Reading],
    before: Mapping[str, Mapping[str, float]],
    after: Mapping[str, Mapping[str, float]],
) -> None:
    """What was read differently, and what became of it."""
    for one in changed:
        gained = ""
        if one.id in after:
            gained = f"  nDCG@10 {before[one.id]['nDCG@10']:.2f} -> {after[one.id]['nDCG@10']:.2f}"
        print(f"  [{read[one.id].rule}] {one.question}\n      {read[one.id].text}{gained}")


if __name__ == "__main__":
    main()
