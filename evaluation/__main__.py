"""`python -m evaluation`: check and ask the judged questions, compare and show runs."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evaluation.asking import Outcome, outcomes
from evaluation.check import problems, repeated_ids
from evaluation.errors import EvaluationError
from evaluation.libraries import DEFAULT_FOLDER, Libraries, code
from evaluation.questions import HALVES, KINDS, Judged, questions_of
from evaluation.report import changed, compared, tables
from evaluation.scoring import Score
from evaluation.sources import COLLECTIONS, Collection
from pincite.errors import PinciteError

_ERROR = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 when all is well, 1 when the check finds problems, 2 for an error."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.work(options))
    except (EvaluationError, PinciteError) as error:
        print(f"error: {error}", file=sys.stderr)
        return _ERROR


# --- check ----------------------------------------------------------------------------------------


def check(options: argparse.Namespace) -> int:
    """Compare the questions with the files."""
    found = 0
    for half in _halves(options.half):
        questions: list[Judged] = []
        for collection in _collections(options.collection):
            own = questions_of(half, collection.name)
            questions += own
            for told in problems(own, collection):
                found += 1
                print(told)
        for told in repeated_ids(questions):
            found += 1
            print(told)
        kinds = {kind: sum(one.kind == kind for one in questions) for kind in KINDS}
        counted = ", ".join(f"{kind} {number}" for kind, number in kinds.items() if number)
        print(f"{half}: {len(questions)} questions: {counted or 'none yet'}")
    print(f"{found} problems" if found else "no problem")
    return 1 if found else 0


# --- run ------------------------------------------------------------------------------------------


def run(options: argparse.Namespace) -> int:
    """Ask, judge, report."""
    may_tell = options.half == "open" or options.yes_look
    if options.questions and not may_tell:
        raise EvaluationError("held questions are told only with --half held --yes-look")
    begun = time.monotonic()
    found = [one for half in _halves(options.half) for one in _asked(options, half)]
    if not found:
        raise EvaluationError("no question was asked; see the notes above")
    about = {
        "half": options.half or "both",
        "code": code(),
        "collections": list(dict.fromkeys(one.asked.collection for one in found)),
        "seconds": round(time.monotonic() - begun),
    }
    print(tables([one.score for one in found]))
    print(f"\n{len(found)} questions of the half: {about['half']}; code {about['code']}")
    if options.output:
        results = [one.form(is_told=one.asked.half == "open" or may_tell) for one in found]
        text = json.dumps({"about": about, "results": results}, ensure_ascii=False, indent=1)
        options.output.write_text(text + "\n", encoding="utf-8")
    return 0


def _asked(options: argparse.Namespace, half: str) -> Iterator[Outcome]:
    libraries = Libraries(
        folder=options.libraries, is_fresh=options.fresh, is_lenient=options.any_reading
    )
    for collection in _collections(options.collection):
        questions = [
            one for one in questions_of(half, collection.name) if options.kind in (None, one.kind)
        ]
        if not questions:
            continue
        with libraries.of(collection) as library:
            for outcome in outcomes(questions, library, collection.root):
                if options.questions:
                    _tell(outcome)
                yield outcome


def _tell(outcome: Outcome) -> None:
    mark = "right" if outcome.score.is_right else "WRONG"
    print(f"{mark}  {outcome.asked.id}  {outcome.asked.question}", flush=True)


# --- compare and show -----------------------------------------------------------------------------


def compare(options: argparse.Namespace) -> int:
    """Two runs, question by question."""
    before, after = _scores(options.before), _scores(options.after)
    print(compared(before, after))
    gained, lost = changed(before, after)
    print(f"\ngained: {_named(gained)}\nlost: {_named(lost)}")
    return 0


def _named(ids: Sequence[str]) -> str:
    """Open questions by id; of held ones only how many."""
    told = [name for name in ids if "-o-" in name]
    hidden = len(ids) - len(told)
    return ", ".join([*told, *([f"{hidden} held"] if hidden else [])]) or "none"


def show(options: argparse.Namespace) -> int:
    """What was asked and shown, with the verdict."""
    may_look = options.half == "held" and options.yes_look
    hidden = 0
    for form in _run(options.run)["results"]:
        if options.wrong and form["is_right"]:
            continue
        if options.ids and form["id"] not in options.ids:
            continue
        if "-o-" not in form["id"] and not may_look:
            hidden += 1
            continue
        if "question" in form:
            _print_result(form)
        else:
            print(f"{form['id']}: the run was made without --yes-look and holds figures only\n")
    if hidden:
        print(f"{hidden} held questions are not shown; see --half held --yes-look")
    return 0


def _print_result(form: dict[str, Any]) -> None:
    verdict = "RIGHT" if form["is_right"] else "WRONG: " + "; ".join(form["misses"])
    asked = " / ".join([*form["history"], form["question"]])
    print(f"=== {form['id']} ({form['kind']}) {verdict}\nasked: {asked}")
    if form["read_as"]:
        print(f"read as: {form['read_as']}")
    print(f"ideal: {form['ideal']}\n{form['shown'].rstrip()}\n")


def _scores(path: Path) -> list[Score]:
    return [Score.of(form) for form in _run(path)["results"]]


def _run(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(found, dict) and "results" in found:
            return found
    except (OSError, ValueError) as error:
        raise EvaluationError(f"{path} cannot be read: {error}") from None
    raise EvaluationError(f"{path} is not what 'run --output' writes")


# --- what is meant --------------------------------------------------------------------------------


def _halves(half: str | None) -> tuple[str, ...]:
    return (half,) if half else HALVES


def _collections(name: str | None) -> Iterator[Collection]:
    """The collections whose files are there; what is skipped is told."""
    for collection in COLLECTIONS.values():
        if name not in (None, collection.name):
            continue
        absent = collection.absent()
        if absent:
            print(f"note: {collection.name} is skipped: {absent}", file=sys.stderr)
        else:
            yield collection


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evaluation", description=__doc__)
    commands = parser.add_subparsers(required=True)
    checking = _command(commands, "check", check)
    running = _command(commands, "run", run)
    for command in (checking, running):
        command.add_argument("--half", choices=HALVES, help="default: both")
        command.add_argument("--collection", choices=sorted(COLLECTIONS))
    running.add_argument("--kind", choices=KINDS)
    running.add_argument("--output", type=Path, help="write every verdict to this JSON file")
    running.add_argument("--questions", action="store_true", help="tell each question's verdict")
    running.add_argument("--libraries", type=Path, default=DEFAULT_FOLDER, metavar="FOLDER")
    running.add_argument("--fresh", action="store_true", help="read all files again")
    running.add_argument(
        "--any-reading",
        action="store_true",
        help="use a library that other reading code made, if there is none of this code",
    )
    comparing = _command(commands, "compare", compare)
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    showing = _command(commands, "show", show)
    showing.add_argument("run", type=Path)
    showing.add_argument("ids", nargs="*", metavar="ID")
    showing.add_argument("--wrong", action="store_true", help="only what is not right")
    showing.add_argument("--half", choices=HALVES)
    for command in (running, showing):
        command.add_argument("--yes-look", action="store_true", help="look at held questions")
    return parser


def _command(commands: Any, name: str, work: Any) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=work.__doc__)
    command.set_defaults(work=work)
    return command


if __name__ == "__main__":
    sys.exit(main())
