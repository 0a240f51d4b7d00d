"""Prints the output of `--explain` and `--why`: a trace and the fate of passages, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pincite.interfaces.cli.output import indented, say
from pincite.text.locations import cut_to, on_one_line, page_and_section

if TYPE_CHECKING:
    from pincite.library.library import Library
    from pincite.records.flow import Answer, SearchResult
    from pincite.records.passage_outcome import Fate

_PASSAGES_SHOWN = 10
_DROPS_SHOWN = 5
_COLUMNS = 80
_SCORE_WIDTH = 8
_LONGEST_NAME = 60
_SHORT = {
    "late_interaction": "late",
    "late_unread": "late",
    "sentence_cosine": "cosine",
    "term_coverage": "terms",
}

Form = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Explanations of a result: its trace, if requested, and the fate of passages."""

    trace: Form | None
    timings: Mapping[str, float]
    files: Mapping[str, str]
    fates: Sequence[Fate]

    @classmethod
    def of(
        cls,
        result: Answer | SearchResult,
        library: Library,
        *,
        explain: bool,
        fates: Sequence[Fate],
        collection: str | None = None,
    ) -> Account:
        """The account of a result, while its library is open; files are named as in the collection."""
        trace = result.trace if explain else None
        return cls(
            trace=trace,
            timings=result.timings,
            files=_files_of(trace, library, collection) if trace is not None else {},
            fates=fates,
        )

    def form(self) -> dict[str, Any]:
        """The JSON that `--json` adds to the result."""
        form: dict[str, Any] = {} if self.trace is None else {"trace": dict(self.trace)}
        if self.fates:
            form["why"] = [asdict(fate) for fate in self.fates]
        return form

    def show(self) -> None:
        """Print it below the result."""
        if self.trace is not None:
            print_trace(self.trace, self.timings, self.files)
        print_fates(self.fates)


def _files_of(trace: Form, library: Library, collection: str | None) -> dict[str, str]:
    """Names of the files that `print_trace` shows, by document id."""
    reranked = [stage for stage in trace["stages"] if stage["name"] == "rerank"]
    hits = (hit for stage in reranked for hit in stage["kept"][:_PASSAGES_SHOWN])
    shown = (trace["passages"][hit["passage_id"]] for hit in hits)
    documents = {passage["document"] for passage in shown}
    sources = {document: library.catalog.source(document, collection) for document in documents}
    return {document: Path(source.path).name for document, source in sources.items()}


def print_trace(trace: Form, timings: Mapping[str, float], files: Mapping[str, str]) -> None:
    """Print each stage's time, counts, best candidates and drops."""
    say()
    for name, value in trace["question"]["understood"].items():
        say(indented(_in_words(value) or "-", first=f"{name}: "))
    say()
    for line in _lines(trace, timings["total"], files):
        say(line)


def _lines(trace: Form, total_ms: float, files: Mapping[str, str]) -> Iterator[str]:
    """The table of stages, and details of some stages below it."""
    yield from _stage_lines(trace["stages"])
    yield f"{'total':<10}{total_ms:>9.1f}"
    stages = {stage["name"]: stage for stage in trace["stages"]}
    if "rerank" in stages:
        yield from _passage_lines(stages["rerank"]["kept"], trace["passages"], files)
    if "select" in stages:
        yield from _sentence_lines(stages["select"]["kept"])
    for stage in trace["stages"]:
        yield from _drop_lines(stage)
    if "verify" in stages:
        verified = stages["verify"]
        yield f"\n{verified['status']}, confidence {verified['confidence']:.2f}"


def _stage_lines(stages: Sequence[Form]) -> Iterator[str]:
    yield f"{'stage':<10}{'ms':>9}{'in':>6}{'kept':>6}{'dropped':>9}"
    given = ""
    for stage in stages:
        kept, notes = len(stage["kept"]), stage["notes"]
        numbers = f"{stage['ms']:>9.1f}{given:>6}{kept:>6}{len(stage['dropped']):>9}"
        # The notes of the verifier are printed below the answer.
        shown = "; ".join(notes) if stage["name"] != "verify" else ""
        first, *rest = indented(shown, first=" " * 42).splitlines() or [""]
        yield f"{stage['name']:<10}{numbers}  {first.strip()}".rstrip()
        yield from rest
        given = str(kept)


def _passage_lines(
    hits: Sequence[Form], passages: Mapping[str, Form], files: Mapping[str, str]
) -> Iterator[str]:
    shown = hits[:_PASSAGES_SHOWN]
    names = list(dict.fromkeys(name for hit in shown for name in hit["scores"]))
    width = max((len(hit["passage_id"]) for hit in shown), default=0)
    # The last scores are those of the last stages, which decide.
    names = names[-((_COLUMNS - width - 4) // _SCORE_WIDTH - 1) :]
    heads = "".join(f"{_SHORT.get(name, name)[:7]:>{_SCORE_WIDTH}}" for name in ("score", *names))
    yield f"\n{'Passages':<{width + 4}}{heads}" if shown else "\nNo passages."
    for hit in shown:
        scores = "".join(f"{_score(hit['scores'].get(name)):>{_SCORE_WIDTH}}" for name in names)
        score = f"{_score(hit['score']):>{_SCORE_WIDTH}}"
        yield f"{hit['rank']:>3} {hit['passage_id']:<{width}}{score}{scores}"
        passage = passages[hit["passage_id"]]
        place = page_and_section(passage["page"], " > ".join(passage["section"][-1:]))
        yield cut_to(f"    {_joined(files[passage['document']], place)}", _COLUMNS)
    if len(hits) > len(shown):
        yield f"    ... and {len(hits) - len(shown)} more"


def _sentence_lines(sentences: Sequence[Form]) -> Iterator[str]:
    yield "\nSentences selected" if sentences else "\nNo sentences selected."
    for item in sentences:
        span = f"characters {item['start']}-{item['end']}"
        yield f"{item['id']:>3} {item['passage_id']}  {span}  score {item['score']:.3f}"


def _drop_lines(stage: Form) -> Iterator[str]:
    dropped = stage["dropped"]
    if dropped:
        yield f"\nDropped by {stage['name']}: {len(dropped)}"
    for item in dropped[:_DROPS_SHOWN]:
        span = f" {item['start']}-{item['end']}" if "start" in item else ""
        yield indented(item["reason"], first=f"    {item['passage_id']}{span}  ")
    if len(dropped) > _DROPS_SHOWN:
        yield f"    ... and {len(dropped) - _DROPS_SHOWN} more; --json lists all"


def print_fates(fates: Sequence[Fate]) -> None:
    """Print what became of each passage of `--why`."""
    for fate in fates:
        say(f"\n{cut_to(fate.passage_id, _LONGEST_NAME)}: {fate.outcome}", bold=True)
        if fate.context:
            where = _joined(fate.context, page_and_section(fate.page, ""))
            say(cut_to(f"  {where}", _COLUMNS), dim=True)
        say(f"  {fate.conclusion}")
        for line in fate.account:
            say(indented(line, first="  - "))


def _joined(*parts: str) -> str:
    return on_one_line(", ".join(part for part in parts if part))


def _in_words(value: Any) -> str:
    """A JSON value in plain words."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} ({_in_words(inner)})" for name, inner in value.items())
    if isinstance(value, list):
        return ", ".join(_in_words(inner) for inner in value)
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _score(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
