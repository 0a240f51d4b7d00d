"""Measures what a small model writes, how much of it the verifier accepts, and each stage's time.

    python benchmarks/generation.py --questions 300 --mode generated --out statements.jsonl

Questions of clapnq-open and squad2-open (--sets), as many of each, are answered over the set's own
documents with SmolLM2-135M (135 million parameters: it often invents things). For every statement of
the model, the file --out gets one line with the verdict, the quotes and whether it was shown.

Two kinds of judgement are automatic: a statement is *copied* when nine tenths of its words occur in
the same order in one sentence it cites, and it *holds gold* when it contains a gold answer. Shown
statements that are neither need a person's judgement: --sample N prints N of them with their quotes,
drawn with a fixed seed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from open_sets import WORK, collection, load

from pincite.assemble.writing import writing_stages
from pincite.evaluate.datasets import GoldQuestion
from pincite.models.llm.opening import open_model
from pincite.models.llm.output import Ending, Output, Pieces
from pincite.pipeline import answer_question
from pincite.records.flow import Answer, Draft, Mode, Prompt, Question, Selection
from pincite.settings.groups import GenerationSettings
from pincite.settings.loading import Settings
from pincite.stages import Answerer, LanguageModel
from pincite.store.index.engines import IndexTermWeights

_COPIED = 0.9
_SEED = 20261122


def words(text: str) -> list[str]:
    """Words and numbers in lower case."""
    return re.findall(r"\w+", text.casefold())


def is_copied(statement: str, quotes: Sequence[str]) -> bool:
    """Whether nearly all words of a statement stand in one quote in the same order."""
    wanted = words(statement)
    for quote in quotes:
        matcher = SequenceMatcher(None, wanted, words(quote), autojunk=False)
        same = sum(block.size for block in matcher.get_matching_blocks())
        if wanted and same / len(wanted) >= _COPIED:
            return True
    return False


def holds_gold(statement: str, gold: Sequence[str]) -> bool:
    """Whether one of the gold answers stands in a statement, word for word."""
    said = f" {' '.join(words(statement))} "
    return any(f" {' '.join(words(answer))} " in said for answer in gold if words(answer))


class Watching:
    """An answerer that remembers its last draft."""

    def __init__(self, inner: Answerer) -> None:
        self._inner = inner
        self.last = Draft(claims=(), evidence=())

    def draft(
        self,
        question: Question,
        selection: Selection,
        grown: Callable[[Draft], None] | None = None,
    ) -> Draft:
        """The draft of the inner answerer."""
        self.last = self._inner.draft(question, selection, grown)
        return self.last


class Remembering:
    """A model whose outputs are kept in a file, so that another verifier can be tried on them."""

    def __init__(self, inner: LanguageModel, path: Path) -> None:
        self._inner = inner
        self._path = path
        path.touch()
        rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        self._kept: dict[str, dict[str, Any]] = {row["key"]: row for row in rows}
        self.name = inner.name
        self.context_tokens = inner.context_tokens
        self.count_tokens = inner.count_tokens
        self.from_memory = 0

    def write(self, prompt: Prompt) -> Output:
        """What the model wrote before for this prompt, or what it writes now."""
        return Output(self.name, self._pieces(prompt), max_tokens=prompt.max_tokens)

    def _pieces(self, prompt: Prompt) -> Pieces:
        key = hashlib.sha256(repr((self.name, prompt)).encode()).hexdigest()
        kept = self._kept.get(key)
        if kept is not None:
            self.from_memory += 1
            yield from kept["pieces"]
            return Ending(is_cut=kept["is_cut"])
        pieces = []
        writing = self._inner.write(prompt)
        try:
            for piece in writing:
                pieces.append(piece)
                yield piece
        finally:
            row = {"key": key, "pieces": pieces, "is_cut": writing.is_cut}
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return Ending(is_cut=writing.is_cut)


def remembering(chosen: GenerationSettings, path: Path) -> Remembering:
    """The model of the settings, which writes nothing twice."""
    model = open_model(chosen)
    if model is None:
        raise SystemExit(f"--model {chosen.model}: expected the name of a language model")
    return Remembering(model, path)


def lines(question: GoldQuestion, draft: Draft, answer: Answer) -> Iterator[dict[str, Any]]:
    """One object for each statement of the model, shown or not."""
    if draft.mode is Mode.EXTRACTIVE:
        return
    quotes_of = {item.id: item.quote for item in draft.evidence}
    verdicts = {claim.text: claim.verdict for claim in (*answer.left_out, *answer.claims)}
    shown = {claim.text for claim in answer.claims} if answer.mode is draft.mode else set()
    for claim in draft.claims:
        quotes = [quotes_of[name] for name in claim.evidence_ids]
        yield {
            "question": question.text,
            "answerable": question.answerable,
            "statement": claim.text,
            "shown": claim.text in shown,
            "verdict": str(verdicts.get(claim.text, "")),
            "quotes": quotes,
            "copied": is_copied(claim.text, quotes),
            "holds_gold": holds_gold(claim.text, question.answers),
        }


def summary(found: list[dict[str, Any]], answers: list[Answer], mode: str) -> None:
    """Print counts, verdicts and times."""
    statuses = Counter(str(answer.status) for answer in answers)
    modes = Counter(str(answer.mode) for answer in answers if answer.status == "answered")
    print(f"mode {mode}: {len(answers)} questions, {dict(statuses)}, answers by {dict(modes)}")
    shown = [line for line in found if line["shown"]]
    dropped = [line for line in found if not line["shown"]]
    print(f"statements: {len(found)}; shown {len(shown)}, left out {len(dropped)}")
    for name, group in (("shown", shown), ("left out", dropped)):
        if group:
            copied = sum(line["copied"] for line in group)
            gold = sum(line["holds_gold"] for line in group)
            print(f"  {name}: {copied} copied, {gold} hold a gold answer, of {len(group)}")
    for verdict, count in Counter(line["verdict"] for line in dropped).most_common():
        print(f"  left out: {count} {verdict}")
    for stage in ("retrieve", "rerank", "select", "draft", "verify", "total"):
        times = [answer.timings[stage] for answer in answers if stage in answer.timings]
        if times:
            print(f"  {stage:<9} p50 {statistics.median(times):8.1f} ms")


def main() -> None:
    """Ask, write the statements down, print the summary and a sample to judge."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument(
        "--mode", default="generated", choices=["generated", "quoted", "extractive"]
    )
    parser.add_argument("--model", default="smollm2")
    parser.add_argument("--tokens", type=int, default=600, help="of evidence that it reads")
    parser.add_argument("--out", type=Path, default=Path("statements.jsonl"))
    parser.add_argument(
        "--memory",
        type=Path,
        default=WORK / "written.jsonl",
        help="what the model wrote is kept there and not written again",
    )
    parser.add_argument("--sets", nargs="+", default=["clapnq-open", "squad2-open"])
    parser.add_argument("--skip", type=int, default=0, help="questions passed over, to ask others")
    parser.add_argument("--sample", type=int, default=0)
    given = parser.parse_args()
    found: list[dict[str, Any]] = []
    answers: list[Answer] = []
    model: Remembering | None = None
    for name in given.sets:
        data = load(name)
        half = [*data.questions]
        random.Random(_SEED).shuffle(half)
        with collection(data) as opened:
            library = opened.library
            changed = library.settings.model_dump()
            changed["generation"].update(mode=given.mode, model=given.model)
            changed["packing"]["max_tokens"] = given.tokens
            settings = Settings(**changed)
            if model is None and given.mode != "extractive":
                model = remembering(settings.generation, given.memory)
            indexes, problem = library.index_state()
            if indexes is None:
                raise SystemExit(f"{name}: {problem}")
            weights = IndexTermWeights(indexes.lexical, indexes.manifest.languages)
            writing = writing_stages(settings, library.catalog, weights, model)
            watching = Watching(writing.answerer)
            stages = replace(
                library.stages_with(settings), selector=writing.selector, answerer=watching
            )
            first, last = (n // len(given.sets) for n in (given.skip, given.skip + given.questions))
            for question in half[first:last]:
                answer = answer_question(Question(text=question.text), stages)
                found.extend(lines(question, watching.last, answer))
                answers.append(answer)
    with given.out.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in found)
    summary(found, answers, given.mode)
    if model and model.from_memory:
        print(f"  {model.from_memory} outputs are from {given.memory}: 'draft' says nothing")
    to_judge = [line for line in found if line["shown"] and not line["copied"]]
    for line in random.Random(_SEED).sample(to_judge, min(given.sample, len(to_judge))):
        print(f"\n? {line['question']}\n  {line['statement']}")
        for quote in line["quotes"]:
            print(f"    > {' '.join(quote.split())}")


if __name__ == "__main__":
    main()
