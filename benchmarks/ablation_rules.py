"""The rules that `ablation.py` switches off, each with its code and its neutral replacement."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from inspect import isgenerator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "pincite"

Switch = tuple[str, Callable[..., Any]]
"""`module:function` or `module:Class.method` below `pincite`, and what is called instead of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule. `modules` are the files that it alone needs, below the package; data files too."""

    name: str
    group: str
    switches: tuple[Switch, ...]
    modules: tuple[str, ...] = ()

    @property
    def lines(self) -> int:
        """Lines of the modules that are (still) there."""
        paths = (PACKAGE / name for name in self.modules)
        return sum(len(path.read_text().splitlines()) for path in paths if path.exists())

    def is_there(self) -> bool:
        """Whether everything that is switched off is (still) in the package."""
        return all(_found(name) is not None for name, _ in self.switches)

    @contextmanager
    def watched(self, fires: Callable[[str], None]) -> Iterator[None]:
        """The package as it is; `fires` hears the rule's name whenever the rule changes something."""
        undo = []
        for path, neutral in self.switches:
            held = _found(path)
            if held is not None:
                told = partial(fires, self.name)
                undo += _replace(path, _watching(held[2], neutral, told))
        try:
            yield
        finally:
            for owner, name, own in reversed(undo):
                setattr(owner, name, own)

    @contextmanager
    def off(self) -> Iterator[None]:
        """The package without this rule."""
        undo = [one for name, neutral in self.switches for one in _replace(name, neutral)]
        try:
            yield
        finally:
            for owner, name, own in reversed(undo):
                setattr(owner, name, own)


def _found(path: str) -> tuple[Any, str, Any] | None:
    """Who holds an object, under which name, and the object; None where it is not there."""
    module, _, name = path.partition(":")
    try:
        owner: Any = import_module(f"pincite.{module}")
    except ModuleNotFoundError:
        return None
    *outer, last = name.split(".")
    for one in outer:
        owner = getattr(owner, one, None)
    found = getattr(owner, last, None)
    return None if found is None else (owner, last, found)


def _replace(path: str, neutral: Callable[..., Any]) -> list[tuple[Any, str, Any]]:
    """Put another object in the place of one, wherever it was imported; what undoes it."""
    held = _found(path)
    if held is None:
        raise SystemExit(f"{path} is not in the package: take its rule out of the table")
    owner, name, own = held
    places = [(owner, name)]
    if isinstance(owner, type(sys)):
        modules = [one for key, one in [*sys.modules.items()] if key.startswith("pincite.")]
        places = [(one, key) for one in modules for key, value in vars(one).items() if value is own]
    for place, key in places:
        setattr(place, key, neutral)
    return [(place, key, own) for place, key in places]


def _watching(
    own: Callable[..., Any], neutral: Callable[..., Any], told: Callable[[], None]
) -> Callable[..., Any]:
    """The same function, which tells where its result is not that of the neutral form."""
    inside = _INSIDE.get(neutral)

    def watching(*given: Any, **named: Any) -> Any:
        if inside is not None:
            return _watching_inside(own, inside, told, given)
        found = own(*given, **named)
        found = [*found] if isgenerator(found) else found
        if _plain(found) != _plain(neutral(*given, **named)):
            told()
        return found

    return watching


def _plain(found: Any) -> Any:
    return [*found] if isinstance(found, (list, tuple)) else found


def _watching_inside(
    own: Callable[..., Any],
    inside: tuple[str, str],
    told: Callable[[], None],
    given: tuple[Any, ...],
) -> Any:
    """For what stands around another: tells where it hands on, or gives back, something else."""
    name, method = inside
    around, question, *rest = given
    inner = getattr(around, name)
    asked: list[tuple[Any, ...]] = []

    def noted(*handed: Any) -> Any:
        found = getattr(inner, method)(*handed)
        asked.append((*handed, found))
        return found

    setattr(around, name, SimpleNamespace(**{method: noted}))
    try:
        found = own(*given)
    finally:
        setattr(around, name, inner)
    if not any(one[0] is question and one[1:-1] == (*rest,) and one[-1] is found for one in asked):
        told()
    return found


# --- Neutral forms --------------------------------------------------------------------------------


def gives(*, value: Any) -> Callable[..., Any]:
    """Something that gives this whatever it is asked."""
    return lambda *_, **__: value


def hands_on(self: Any, question: Any, hits: Any) -> Any:
    """A selector around another one that only asks that."""
    return self._selector.select(question, hits)


def as_retrieved(self: Any, question: Any) -> Any:
    """A retriever around another one that only asks that."""
    return self._retriever.retrieve(question)


_INSIDE: Mapping[Callable[..., Any], tuple[str, str]] = {
    hands_on: ("_selector", "select"),
    as_retrieved: ("_retriever", "retrieve"),
}
"""What stands around another, where that is kept and how it is asked."""


def no_boost(_: Any, __: Any, hits: Sequence[Any]) -> list[float]:
    """A booster for which nothing speaks."""
    return [0.0] * len(hits)


def _no_wrong_years(*_: Any, **__: Any) -> Any:
    from pincite.verify.abstention.dated import WrongYears

    return WrongYears(asked=())


def _sentence_alone(_: Any, start: int, end: int, **__: Any) -> Any:
    from pincite.text.structure import Unit

    return Unit(start=start, end=end)


def _no_years(_: str, read: Any) -> list[frozenset[int]]:
    return [frozenset() for _ in read.numbers]


def _every(items: Any, *_: Any) -> Any:
    return [*items]


def _whole(piece: Any, *_: Any) -> Any:
    return [piece]


def _as_many(_: Any, columns: int) -> int:
    return columns


def _as_given(lines: Any, _: Any) -> Any:
    return [*lines], []


def _added(self: Any, item: Any, _: Any) -> None:
    self.found.append(item)


def _no_headers(_: Any) -> None:
    """Nothing is linked."""


def _as_ranked(_: Any, __: Any, passages: Any) -> Any:
    return [*passages]


def _one_row(cells: Any) -> Any:
    from pincite.ingest.pdf.words import TableRow

    return [TableRow(cells)]


_ALIGNED, _RULED = "ingest.pdf.aligned_tables", "ingest.pdf.ruled_tables"
_HEADS, _EDGES = "ingest.pdf.table_heads", "ingest.pdf.page_furniture"

# --- The table ------------------------------------------------------------------------------------


def _selector(
    name: str, module: str, called: str, *modules: str, more: Sequence[Switch] = ()
) -> Rule:
    path = (f"answer.{module}:{called}.select", hands_on)
    return Rule(
        name=name.replace("_", " "),
        group="answers",
        switches=(path, *more),
        modules=(f"answer/{module}.py", *modules),
    )


def _rule(group: str, name: str, *switches: Switch, modules: str = "") -> Rule:
    return Rule(name=name, group=group, switches=switches, modules=tuple(modules.split()))


RULES = (
    # What is chosen to be quoted.
    _selector("ranged_rows", "table_selectors", "RangedRowsSelector", "text/value_ranges.py"),
    _selector("newer", "context_selectors", "NewerSelector"),
    _selector("supporting", "context_selectors", "SupportingSelector"),
    _rule("answers", "another value", ("answer.selection:_tells_more", gives(value=False))),
    _rule("answers", "another statement", ("answer.selection:_tells_other", gives(value=False))),
    _rule(
        "answers",
        "newest first",
        ("answer.extractive:NewestFirst.order", _as_ranked),
        modules="answer/extractive.py",
    ),
    _rule(
        "answers",
        "units of structure",
        ("text.structure:unit_around", _sentence_alone),
        modules="text/structure.py",
    ),
    _rule("answers", "read together", ("text.structure:is_read_together", gives(value=False))),
    # What speaks for a candidate.
    _rule(
        "answers",
        "named documents",
        ("retrieve.named_documents:DocumentRoutes.named", gives(value={})),
        modules="retrieve/named_documents.py retrieve/near_duplicates.py "
        "text/document_names.py text/document_names.py store/index/snapshot.py",
    ),
    _rule(
        "answers",
        "twins",
        ("retrieve.near_duplicates:TwinsLeftOut.retrieve", as_retrieved),
        modules="retrieve/near_duplicates.py",
    ),
    _rule(
        "answers",
        "named files",
        ("retrieve.named_files:NamedFiles.named", gives(value=None)),
        modules="retrieve/named_files.py text/data/named_files.toml",
    ),
    _rule("answers", "rare words kept", ("retrieve.exact:ExactWords.rare", gives(value=()))),
    _rule(
        "answers",
        "another language",
        ("retrieve.understanding:OtherLanguage.__call__", gives(value="")),
        modules="retrieve/understanding.py",
    ),
    _rule(
        "answers",
        "abbreviations",
        ("retrieve.understanding:QuestionReader._abbreviations", gives(value={})),
        modules="text/vocabulary.py",
    ),
    _rule(
        "answers",
        "compounds",
        ("retrieve.understanding:QuestionReader._compounds", gives(value={})),
        modules="text/vocabulary.py",
    ),
    _rule(
        "answers", "spelling", ("retrieve.understanding:QuestionReader._nearest", gives(value={}))
    ),
    _rule("answers", "entities", ("retrieve.understanding:_is_entity", gives(value=False))),
    _rule(
        "answers",
        "parts of a question",
        ("text.question_parts:all_ask", gives(value=False)),
        ("text.question_parts:compared_sides", gives(value=())),
        modules="answer/question_parts.py text/question_parts.py",
    ),
    _rule("answers", "compared sides", ("text.question_parts:compared_sides", gives(value=()))),
    _rule(
        "answers",
        "words of the question",
        ("rerank.late_interaction:AskedWords.mixed", lambda _, score, *__: score),
        modules="rerank/late_interaction.py",
    ),
    _rule(
        "answers",
        "counts",
        ("retrieve.count_questions:survey_request", gives(value=None)),
        modules="retrieve/count_questions.py",
    ),
    # Whether it is an answer.
    _rule(
        "answers",
        "near misses",
        ("verify.abstention.near_misses:near_miss", gives(value="")),
        modules="verify/abstention/near_misses.py",
    ),
    _rule(
        "answers",
        "years",
        ("verify.abstention.dated:wrong_years", _no_wrong_years),
        modules="verify/abstention/dated.py",
    ),
    _rule(
        "answers",
        "of another language",
        ("verify.abstention.decision:Judge._of_another_language", gives(value="")),
    ),
    _rule(
        "answers",
        "numbers of the question",
        ("verify.numbers.missing:missing_numbers", gives(value=())),
        modules="verify/numbers/missing.py text/value_ranges.py",
    ),
    _rule(
        "answers",
        "words of opposite meaning",
        ("verify.abstention.opposition:opposites", gives(value={})),
        modules="verify/opposition.toml",
    ),
    _rule(
        "answers",
        "negated question",
        ("verify.abstention.opposition:is_negated_otherwise", gives(value=False)),
        modules="verify/abstention/opposition.py",
    ),
    _rule(
        "answers",
        "what the passages do not name",
        ("verify.abstention.lacking:Lacking.beside", gives(value=())),
        modules="verify/abstention/lacking.py",
    ),
    _rule(
        "answers",
        "kind of answer lacking",
        ("verify.abstention.decision:missing_kind", gives(value="")),
    ),
    _rule(
        "answers",
        "conflicts",
        ("verify.conflicts:Conflicts.find", gives(value=())),
        modules="verify/conflicts.py verify/differences.py",
    ),
    _rule(
        "answers",
        "conflicts in words",
        ("verify.conflicts:_in_words", gives(value=())),
        modules="verify/differences.py",
    ),
    _rule(
        "answers",
        "scales above tables",
        ("verify.quotes.cells:Scales.find", gives(value=())),
        modules="verify/quotes/cells.py",
    ),
    _rule(
        "answers",
        "announcements",
        ("text.list_lead_ins:announcements", gives(value=())),
        modules="text/list_lead_ins.py text/data/limits.toml",
    ),
    _rule(
        "answers",
        "said elsewhere",
        ("verify.abstention.reasons:Reasons.said_elsewhere", gives(value=())),
    ),
    # Whether quotes carry a statement.
    _rule(
        "statements",
        "derived numbers",
        ("verify.numbers.derived:Derivation.follows", gives(value=False)),
        modules="verify/numbers/figures.py verify/numbers/results.py verify/numbers/operands.py",
    ),
    _rule(
        "statements",
        "periods",
        ("verify.numbers.stated:bound_years", _no_years),
        ("verify.numbers.stated:periods", _no_years),
        modules="verify/numbers/stated.py",
    ),
    _rule(
        "statements",
        "negation",
        ("verify.statements.meaning:negation_fault", gives(value="")),
        modules="verify/statements/meaning.py",
    ),
    _rule(
        "statements",
        "opposites",
        ("verify.statements.meaning:opposite_fault", gives(value="")),
        modules="verify/statements/meaning.py verify/opposites.toml",
    ),
    _rule(
        "statements",
        "ends of ranges",
        ("verify.statements.meaning:end_of_range", gives(value="")),
        modules="verify/statements/meaning.py",
    ),
    _rule(
        "statements",
        "names",
        ("verify.statements.names:missing_names", gives(value=[])),
        modules="verify/statements/names.py",
    ),
    _rule(
        "statements",
        "no statement",
        ("verify.statements.meaning:_states_something", gives(value=True)),
    ),
    _rule(
        "statements",
        "numbers apart",
        ("verify.statements.claims:number_apart", gives(value="")),
        modules="verify/statements/claims.py",
    ),
    _rule(
        "statements",
        "cutting",
        ("verify.statements.deletion:changed_words", gives(value=[])),
        modules="verify/statements/deletion.py verify/cutting_words.toml"
        "verify/statements/deletion.py verify/withdrawing.toml",
    ),
    _rule(
        "statements",
        "withdrawing",
        ("verify.statements.deletion:withdrawn_by", gives(value=[])),
        modules="verify/statements/deletion.py verify/withdrawing.toml",
    ),
    # What a question means after those before it.
    _rule(
        "chat",
        "another subject in its place",
        ("chat.ellipsis:exchanged", gives(value="")),
        modules="chat/ellipsis.py",
    ),
    _rule("chat", "another subject", ("chat.follow_up:_other_subject", gives(value=""))),
    _rule("chat", "pointers", ("chat.pointers:pointing", gives(value=[]))),
    # Tables of PDF files.
    _rule("tables", "aligned tables", (f"{_ALIGNED}:with_aligned_tables", _every)),
    _rule("tables", "lines as seen", (f"{_ALIGNED}:_Lines.take", _added)),
    _rule("tables", "wrapped cells", (f"{_ALIGNED}:_Lines.is_rest", gives(value=False))),
    _rule("tables", "between two tables", (f"{_ALIGNED}:_is_between", gives(value=False))),
    _rule("tables", "heads above", (f"{_ALIGNED}:_heads_above", gives(value=[]))),
    _rule("tables", "titles", (f"{_ALIGNED}:_is_title", gives(value=False))),
    _rule("tables", "prose", (f"{_ALIGNED}:_is_prose", gives(value=False))),
    _rule("tables", "continued rows", (f"{_ALIGNED}:_continues_row", gives(value=False))),
    _rule("tables", "values apart", (f"{_ALIGNED}:_values", _whole)),
    _rule("tables", "cut at stripes", (f"{_ALIGNED}:_cut", _whole)),
    _rule("tables", "signs", (f"{_ALIGNED}:join_signs", _as_many)),
    _rule("tables", "ruled tables", (f"{_RULED}:take_ruled_tables", _as_given)),
    _rule("tables", "is a table", (f"{_RULED}:_is_table", gives(value=True))),
    _rule("tables", "several values", (f"{_RULED}:_rows_of_several_values", gives(value=set()))),
    _rule("tables", "rows of a band", (f"{_RULED}:_rows_of_band", _one_row)),
    _rule("tables", "headers", (f"{_HEADS}:link_headers", _no_headers)),
    _rule("tables", "middle of columns", (f"{_HEADS}:_is_middle", gives(value=False))),
    _rule("tables", "names of rows", (f"{_HEADS}:_RowNames.take", gives(value=False))),
    _rule("tables", "periods", (f"{_HEADS}:_RowNames._is_period", gives(value=False))),
    _rule("tables", "new heads", (f"{_HEADS}:_heads_again", gives(value=0))),
    _rule("tables", "days", (f"{_HEADS}:_are_days", gives(value=False))),
    _rule("tables", "names columns", (f"{_HEADS}:_names_columns", gives(value=True))),
    _rule("tables", "above values", (f"{_HEADS}:_is_above_values", gives(value=False))),
    _rule("tables", "labels", (f"{_HEADS}:_has_labels", gives(value=True))),
    _rule("tables", "running lines", (f"{_EDGES}:RunningLines._running", gives(value=[]))),
    _rule("tables", "footnotes", (f"{_EDGES}:with_footnotes", _every)),
)
