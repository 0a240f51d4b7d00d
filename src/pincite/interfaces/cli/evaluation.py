"""`pincite eval`: measures retrieval and answers on a labelled set or on your own documents."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

import pincite
from pincite.errors import UsageError
from pincite.interfaces.cli.evaluation_tables import print_comparison, print_report
from pincite.interfaces.cli.options import (
    DEFAULT_LIBRARY,
    JsonOption,
    LibraryOption,
    ProfileOption,
    named_path,
)
from pincite.interfaces.cli.output import WORSE, console, indented, notice, print_json, say
from pincite.text.locations import on_one_line, page_and_section

if TYPE_CHECKING:
    from pincite.evaluate.datasets import Dataset, GoldQuestion
    from pincite.evaluate.judge import JudgePrompts
    from pincite.evaluate.run import ProgressCallback, Run
    from pincite.library.library import Library
    from pincite.settings.loading import Layer


# `pincite eval label`: a person judges which passages answer their questions.


def label(
    folder: Annotated[Path, typer.Argument(help="Folder of the set, new or existing.")],
    library: LibraryOption = DEFAULT_LIBRARY,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Passages to judge.")] = 5,
) -> None:
    """Make a labelled set from your own library: ask, and judge which passages answer.

    Every question is saved at once; an empty line ends. Measure the set with 'pincite eval FOLDER'.
    """
    from pincite.evaluate.label import LabelledSet

    with pincite.Library.open(library, create=False) as opened:
        made = LabelledSet(folder, opened)
        say(f"{made.questions} questions in {folder}; for each passage: y(es), n(o), s(kip)\n")
        while question := typer.prompt("question (empty: done)", default="", show_default=False):
            try:
                grades = _judged(opened, question, limit)
            except UsageError as error:
                notice(str(error))
                continue
            if grades is None:
                say("skipped\n")
                continue
            made.add(question, grades)
            helpful = sum(grade > 0 for grade in grades.values())
            found = f"{helpful} of {len(grades)} documents answer it" if grades else "nothing found"
            say(f"kept: {found}\n")


def _judged(opened: Library, question: str, limit: int) -> dict[str, int] | None:
    """The best grade of each document among the passages shown; None: skip the question."""
    grades: dict[str, int] = {}
    hits = opened.search(question, limit=limit).hits
    for number, hit in enumerate(hits, start=1):
        document = hit.passage.span.document_id
        where = page_and_section(hit.passage.page, "")
        heading = ", ".join(part for part in (hit.passage.context, where) if part)
        say("\n" + indented(heading, first=f"{number}/{len(hits)} "), bold=True)
        say(indented(on_one_line(opened.catalog.text_of(hit.passage.span)), first="    "))
        answer = ""
        while answer not in ("y", "n", "s"):
            reply = typer.prompt("does it answer? [y/N/s]", default="n", show_default=False)
            answer = reply.strip().lower()[:1]
        if answer == "s":
            return None
        grades[document] = max(grades.get(document, 0), int(answer == "y"))
    return grades


# `pincite eval`: measures retrieval and answers on a labelled set or on your own documents.


class _DatasetFirst(TyperGroup):
    """`eval FOLDER` means `eval run FOLDER`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert `run` before a first argument that is not a command's name."""
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            args = ["run", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_DatasetFirst,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    help="Measure how well documents are found and questions answered.",
)

app.command("label")(label)

_ALL = "bm25,dense,fused,default"


@app.command("run")
def run_set(
    dataset: Annotated[
        Path, typer.Argument(help="Folder with corpus.jsonl, queries.jsonl and qrels.tsv.")
    ],
    configs: Annotated[
        str, typer.Option("--configs", help="Configurations to compare, separated by commas.")
    ] = _ALL,
    answers_from: Annotated[
        str, typer.Option("--answers", help="Configuration whose answers are measured.")
    ] = "default",
    most: Annotated[
        int | None,
        typer.Option("--queries", min=1, help="Highest number of questions, spread evenly."),
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", help="Only questions in this language.")
    ] = None,
    like: Annotated[
        Path | None,
        typer.Option(
            "--library", "-l", help="Measure with this library's settings.", parser=named_path
        ),
    ] = None,
    profile: ProfileOption = "",
    judged: Annotated[
        bool, typer.Option("--judge", help="Let the settings' language model judge answers.")
    ] = False,
    told_to_judge: Annotated[
        str, typer.Option("--judge-prompts", help="Prompts of that model (TOML file).")
    ] = "default",
    save: Annotated[
        Path | None, typer.Option("--save", help="Write a record of every question (JSON).")
    ] = None,
    page_to: Annotated[Path | None, typer.Option("--html", help="Write a page with plots.")] = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", help="Folder that keeps the libraries of sets.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Run a labelled set: a folder in Pincite's format, or a BEIR set as published.

    Every question is asked under each configuration; measures come with 95 % intervals. The library
    of the set is kept, so a second run need not encode it again.

    A configuration is bm25, dense, fused, default, a profile, a setting, a TOML file, or several
    joined with +, with a name before it if you like:

    --configs default,retrieval.alpha=0.3,"mine:fused+retrieval.keep=50"
    """
    from pincite.evaluate.datasets import load_dataset
    from pincite.evaluate.judge import load_judge_prompts
    from pincite.evaluate.report import report_form
    from pincite.evaluate.run import chosen
    from pincite.settings.loading import load_settings

    settings, origins = load_settings(_checked_library(like), profile=profile)
    for line in origins.notices:
        notice(line)
    written = [name for name in configs.split(",") if name.strip()]
    if not written:
        raise UsageError(
            f"--configs '{configs}' names no configuration; expected names such as: {_ALL}"
        )
    # Report problems with the request before the long work.
    chosen(written, settings, answers_from)
    _check_targets(save, page_to)
    prompts = load_judge_prompts(told_to_judge) if judged else None
    if told_to_judge != "default" and not judged:
        raise UsageError("--judge-prompts sets the prompts of --judge; add --judge")
    found = load_dataset(dataset)
    questions = _some_of(found, most, language, dataset)
    overrides = origins.changed(settings)
    asked = _Asked(questions=questions, written=written, answers_from=answers_from, prompts=prompts)
    done = _measured(found, asked, cache or _cache(), overrides)
    form = report_form(done)
    try:
        _write(done, form, save, page_to, overrides)
    finally:
        # Show the result of long work even if writing a file fails.
        print_json(form) if as_json else print_report(form)


def _some_of(
    found: Dataset, most: int | None, language: str | None, folder: Path
) -> Sequence[GoldQuestion]:
    if questions := found.some(most, language):
        return questions
    spoken = sorted({question.language or "none" for question in found.questions})
    raise UsageError(
        f"{folder}: no question is in the language '{language}'; there are: {', '.join(spoken)}"
    )


def _check_targets(*paths: Path | None) -> None:
    for path in filter(None, paths):
        if not path.absolute().parent.is_dir():
            raise UsageError(f"{path}: its folder does not exist; create it or choose another")
        if path.is_dir():
            raise UsageError(f"{path}: is a folder; expected the name of a file to write")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What to measure: questions under configurations as written, and an optional judge."""

    questions: Sequence[GoldQuestion]
    written: Sequence[str]
    answers_from: str
    prompts: JudgePrompts | None


def _measured(dataset: Dataset, asked: _Asked, cache: Path, overrides: Layer) -> Run:
    """Make the set's library and ask everything, with bars on a terminal."""
    from pincite.evaluate.datasets import Collection, collection_home
    from pincite.evaluate.judge import open_judge
    from pincite.evaluate.run import run
    from pincite.interfaces.cli.progress import progress_bar

    collection = Collection(dataset, collection_home(dataset, cache), overrides)
    with collection.library as library:
        judge = open_judge(library, asked.prompts) if asked.prompts else None
        with progress_bar() as progress:
            notes = collection.ingest(progress)
        before = (*dataset.notes, *notes)
        for note in before:
            notice(note)
        with questions_bar() as progress:
            done = run(
                dataset,
                collection,
                asked.questions,
                asked.written,
                answers_from=asked.answers_from,
                judge=judge,
                progress=progress,
            )
        for note in done.notes[len(before) :]:
            notice(note)
        return done


def _checked_library(library: Path | None) -> Path | None:
    if library is not None and not library.is_dir():
        raise UsageError(
            f"{library}: there is no library here; --library expects one made by 'pincite ingest'"
        )
    return library


def _write(
    done: Run, form: Mapping[str, Any], save: Path | None, page_to: Path | None, overrides: Layer
) -> None:
    from pincite.evaluate.page import page
    from pincite.evaluate.report import question_forms

    if save:
        made_with = {"pincite": pincite.__version__, "settings": overrides}
        saved = {"made_with": made_with, "report": form, "questions": question_forms(done)}
        save.write_text(json.dumps(saved, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if page_to:
        page_to.write_text(page(form), encoding="utf-8")


@app.command("compare")
def compare_runs(
    first: Annotated[Path, typer.Argument(help="A saved run.")],
    second: Annotated[Path, typer.Argument(help="Another one of the same set.")],
    fail_if_worse: Annotated[
        bool, typer.Option("--fail-if-worse", help="Exit code 5 when SECOND is clearly worse.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Compare two saved runs, question by question.

    Clearly worse: for some measure the whole 95 % interval of the difference is below 0.
    """
    from pincite.evaluate.compare import compare, load_saved

    form = compare(load_saved(first), load_saved(second))
    print_json(form) if as_json else print_comparison(form)
    if fail_if_worse and form["worse"]:
        raise typer.Exit(WORSE)


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "pincite" / "eval"


@contextmanager
def questions_bar() -> Iterator[ProgressCallback | None]:
    """A progress bar for each kind of work, on a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import Progress

    with Progress(console=console(err=True), transient=True) as bar:
        tasks: dict[str, Any] = {}

        def show(name: str, done: int, total: int) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(name, total=total)
            bar.update(tasks[name], completed=done)

        yield show
