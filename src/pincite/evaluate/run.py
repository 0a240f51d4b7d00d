"""Runs all questions of a set under several configurations and records the results."""

from __future__ import annotations

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pincite.errors import UsageError
from pincite.evaluate.answers import AnswerRecord, answer_record
from pincite.evaluate.datasets import Collection, Dataset, GoldQuestion
from pincite.evaluate.judge import Judge
from pincite.pipeline import AnswerStages, search
from pincite.records.files import read_regular_text
from pincite.records.flow import Question, SearchResult
from pincite.settings.loading import (
    Layer,
    Settings,
    load_settings,
    profile_layer,
    profile_names,
    wish_of_layer,
)
from pincite.settings.trust import Approvals, wish_of

ANSWERS_FROM = "default"

ProgressCallback = Callable[[str, int, int], None]
"""Called with the configuration, the questions done and the total."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRecord:
    """One question under one configuration: documents, best first, and milliseconds by stage."""

    question: str
    ranked: tuple[str, ...]
    timings: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """All records of a run, from which measures are computed.

    `peak_memory_mb` is the process's peak after each configuration.
    """

    dataset: str
    documents: int
    questions: tuple[GoldQuestion, ...]
    searches: Mapping[str, tuple[SearchRecord, ...]]
    answers_from: str
    answers: tuple[AnswerRecord, ...]
    notes: tuple[str, ...] = ()
    peak_memory_mb: Mapping[str, float | None] = field(default_factory=dict)
    answers_peak_memory_mb: float | None = None
    judged_by: str = ""
    judge_prompts: str = ""

    @property
    def relevant(self) -> Mapping[str, Mapping[str, int]]:
        """Grades of the relevant documents of each question."""
        return {question.id: question.relevant for question in self.questions}


def chosen(
    written: Sequence[str], settings: Settings, answers_from: str = ANSWERS_FROM
) -> tuple[tuple[Configuration, ...], Configuration]:
    """The compared configurations, and the one whose answers are measured.

    Raises UsageError for a configuration that does not exist.
    """
    compared = configurations(written, settings)
    for configuration in (*compared, *configurations([ANSWERS_FROM], settings)):
        if configuration.name == answers_from:
            return compared, configuration
    names = ", ".join(configuration.name for configuration in compared)
    raise UsageError(
        f"'{answers_from}' is not one of the compared configurations; choose one of: {names}"
    )


def run(
    dataset: Dataset,
    collection: Collection,
    questions: Sequence[GoldQuestion],
    written: Sequence[str],
    *,
    answers_from: str = ANSWERS_FROM,
    judge: Judge | None = None,
    progress: ProgressCallback | None = None,
) -> Run:
    """Ask all questions; with a judge, let it read the answers.

    Raises UsageError for a configuration that does not exist.
    """
    compared, answering = chosen(written, collection.library.settings, answers_from)
    searches, memory, notes = {}, {}, [*dataset.notes, *collection.notes, *_left_out(compared)]
    for one in compared:
        stages = collection.library.stages_with(one.settings)
        counts: Counter[str] = Counter()
        searches[one.name] = tuple(
            _searches(collection, stages, questions, one.name, counts, progress)
        )
        memory[one.name] = peak_memory_mb()
        notes += (
            f"{one.name}: {notice}" for notice in _counted(stages, counts, searches[one.name])
        )
    stages = collection.library.stages_with(answering.settings)
    if answering.name not in searches:
        notes += (f"answers of {answering.name}: {notice}" for notice in stages.notices)
    collection.library.forget_questions()
    answers = []
    for number, question in enumerate(questions, start=1):
        answers.append(answer_record(collection, stages, question, judge))
        if progress:
            progress("answers", number, len(questions))
    return Run(
        dataset=dataset.name,
        documents=len(dataset.documents),
        questions=tuple(questions),
        searches=searches,
        answers_from=answering.name,
        answers=tuple(answers),
        notes=(*notes, *(judge.notes if judge else ())),
        peak_memory_mb=memory,
        answers_peak_memory_mb=peak_memory_mb(),
        judged_by=judge.by if judge else "",
        judge_prompts=judge.prompts if judge else "",
    )


def _left_out(compared: Sequence[Configuration]) -> Iterator[str]:
    for one in compared:
        if one.left_out:
            yield (
                f"{one.name}: uses the run's library, not the profile's "
                f"({', '.join(one.left_out)}); PINCITE_PROFILE={one.name} measures all of it"
            )


def _of_stages(found: SearchResult, stages: AnswerStages) -> Iterator[str]:
    """A question's notices that are not about how it was understood."""
    own = [notice for notice in found.notices if notice not in stages.notices]
    if own:
        read = found.trace["question"]["understood"].get("notices", [])
        yield from (notice for notice in own if notice not in read)


def _counted(
    stages: AnswerStages, counts: Mapping[str, int], records: Sequence[SearchRecord]
) -> Iterator[str]:
    yield from stages.notices
    for notice, count in counts.items():
        yield f"{notice} ({count:,} of {len(records):,} questions)"


def _searches(
    collection: Collection,
    stages: AnswerStages,
    questions: Sequence[GoldQuestion],
    name: str,
    counts: Counter[str],
    progress: ProgressCallback | None,
) -> Iterator[SearchRecord]:
    """A record of each question; notices about the stages are counted in `counts`."""
    judged = [question for question in questions if question.relevant]
    if judged:
        search(Question(text=judged[0].text), stages)  # warms up; not measured
    # Earlier configurations must not affect the timings of later ones.
    collection.library.forget_questions()
    for number, question in enumerate(judged, start=1):
        found = search(Question(text=question.text), stages)
        counts.update(_of_stages(found, stages))
        yield SearchRecord(
            question=question.id,
            ranked=collection.ranked(found.hits),
            timings=dict(found.timings),
        )
        if progress:
            progress(name, number, len(judged))


# Peak memory of this process.

_STATUS = Path("/proc/self/status")
_MEGABYTE = 1_000_000


def peak_memory_mb() -> float | None:
    """Peak resident memory of this process, in MB of 10^6 bytes; None on Windows.

    Files are parsed in other processes, which are not included.
    """
    # On Linux a child inherits `ru_maxrss` from its parent; VmHWM is the process's own peak.
    if _STATUS.exists():
        for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name == "VmHWM":
                return round(int(value.split()[0]) * 1024 / _MEGABYTE, 1)
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / _MEGABYTE, 1)


# The built-in configurations, and expressions for others.

# Keeps the order: one candidate is scored, in the cheapest way, with weight 0.
_AS_FOUND = {
    "method": "term_coverage",
    "model": "none",
    "candidates": 1,
    "weight": 0.0,
    "threshold": 0.0,
}
_UNMOVED = {"documents": "off", "tag_set": ""}

CONFIGURATIONS: Mapping[str, Layer] = {
    "bm25": {"retrieval": {"alpha": 1.0}, "boosts": _UNMOVED, "rerank": _AS_FOUND},
    "dense": {"retrieval": {"alpha": 0.0}, "boosts": _UNMOVED, "rerank": _AS_FOUND},
    "fused": {"rerank": _AS_FOUND},
    "default": {},
}
"""Overrides of the settings in use, by name."""

_NAMED = re.compile(r"([\w .-]+):(.+)")
_SETTING = re.compile(r"(\w+)\.(\w+)=(.*)")
_OF_THE_LIBRARY = ("ingest", "chunking", "embedding", "lexical", "dense")
"""Groups that affect what is stored or indexed: all configurations of a run share one library."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Named settings; `left_out` are groups of a profile that the shared library overrides."""

    name: str
    settings: Settings
    left_out: tuple[str, ...] = ()


def configurations(written: Sequence[str], settings: Settings) -> tuple[Configuration, ...]:
    """The configurations for these expressions, based on the current settings.

    An expression is `[NAME:]PART[+PART]...`; a part is the name of a built-in configuration or of a
    profile, a setting such as `retrieval.alpha=0.3`, or a TOML file of settings; later parts override
    earlier ones. Settings of a profile that would change the library are ignored. Without a name the
    expression is the name. Raises UsageError for an unknown part, and SettingsError for an invalid
    value.
    """
    found = [_configuration(expression.strip(), settings) for expression in written]
    names = [one.name for one in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"two configurations are called '{twice}'; name one: other:{twice}")
    return tuple(found)


def _configuration(expression: str, settings: Settings) -> Configuration:
    named = _NAMED.fullmatch(expression)
    name, parts = (named[1].strip(), named[2]) if named else (expression, expression)
    merged = settings.model_dump()
    left_out: list[str] = []
    for part in map(str.strip, parts.split("+")):
        layer = _layer(part)
        fixed = [group for group in layer if group in _OF_THE_LIBRARY]
        if fixed and part not in profile_names():
            variable = f"PINCITE_{fixed[0]}__{next(iter(layer[fixed[0]]), '...')}".upper()
            raise UsageError(
                f"'{part}' changes how the library is built, which must be the same for all "
                f"configurations of a run: set {variable} in the environment and run again"
            )
        left_out += fixed
        for group in layer.keys() - set(fixed):
            merged.setdefault(group, {}).update(layer[group])
    # Answers of a run must not depend on whether a local server happens to be running.
    if left_out or any(part.strip() in profile_names() for part in parts.split("+")):
        merged["generation"] = settings.generation.model_dump()
    return Configuration(
        name=name, settings=load_settings(overrides=merged)[0], left_out=tuple(left_out)
    )


def _layer(part: str) -> Mapping[str, Mapping[str, Any]]:
    if part in CONFIGURATIONS:
        return CONFIGURATIONS[part]
    if part in profile_names():
        return profile_layer(part)
    if setting := _SETTING.fullmatch(part):
        return {setting[1]: {setting[2]: setting[3].strip()}}
    if part.endswith(".toml"):
        return _approved(Path(part), _file(Path(part)))
    raise UsageError(
        f"there is no configuration '{part}'; there are: {', '.join(CONFIGURATIONS)}, the profiles "
        f"{', '.join(profile_names())}, settings such as retrieval.alpha=0.3, and TOML files; "
        "several are joined with +, as in fused+retrieval.alpha=0.3"
    )


def _approved(path: Path, layer: Layer) -> Layer:
    wish = wish_of(path, wish_of_layer(layer))
    if not Approvals().cover(wish):
        raise UsageError(wish.notice)
    return layer


def _file(path: Path) -> Mapping[str, Mapping[str, Any]]:
    try:
        found = tomllib.loads(read_regular_text(path))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: cannot be read as TOML ({error})") from error
    if loose := [name for name, values in found.items() if not isinstance(values, dict)]:
        raise UsageError(f"{path}: '{loose[0]}' is in no group; expected [retrieval] above it")
    return found
