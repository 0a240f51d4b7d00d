"""Prints runs and their comparison on a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pincite.interfaces.cli.output import console, indented, say, visible

Form = Mapping[str, Any]


def print_report(form: Form) -> None:
    """Print the measures of a run."""
    from pincite.evaluate.answer_measures import GROUPS
    from pincite.evaluate.measures import RANKING

    say(f"{form['dataset']}: {form['documents']:,} documents, {form['queries']:,} questions")
    configurations = form["configurations"]
    rows = [
        (
            name,
            *(_measured(found, measure) for measure in RANKING),
            *(_number(found[key], 0) for key in ("p50_ms", "p95_ms")),
        )
        for name, found in configurations.items()
    ]
    _print_table(("", *RANKING, "p50", "p95 ms"), rows)
    say("\nmilliseconds of each stage: p50 / p95; questions per second; peak memory")
    _print_stages(configurations)
    if form["languages"]:
        say("\nnDCG@10 by language")
        _print_table(
            ("", *configurations),
            [
                (language, *(_number(found[name], 3) for name in configurations))
                for language, found in form["languages"].items()
            ],
        )
    answers = form["answers"]
    say(f"\nanswers of {form['answers_from']}")
    for head, names in GROUPS.items():
        _print_group(head, answers, names)
    if form["judged"]:
        _print_judged(form["judged"])
    say("\nmilliseconds of each stage of an answer")
    stages = answers["stages_ms"].items()
    rows = [(stage, _number(found["p50"], 1), _number(found["p95"], 1)) for stage, found in stages]
    _print_table(("", "p50", "p95"), rows)
    speed, memory = _number(answers["queries_per_second"], 1), _number(answers["peak_memory_mb"], 0)
    say(f"answers per second: {speed}; peak memory: {memory} MB")


def _print_group(head: str, found: Form, names: Sequence[str]) -> None:
    """Measures below a heading, one per line; nothing if none could be measured."""
    known = [name for name in names if found[name] is not None]
    if known:
        say(head, bold=True)
    for name in known:
        measured = _measured(found, name) if name in found["intervals"] else f"{found[name]:.3f}"
        say(f"  {name.replace('_', ' '):<28} {measured}")


def _print_judged(judged: Form) -> None:
    """A language model's verdicts on the answers, and its agreement with the labels."""
    from pincite.evaluate.judge import JUDGED

    say(indented(str(judged["by"]), first="judged by "), bold=True)
    for name in JUDGED:
        missing = judged["not_judged"][name]
        note = f"  ({missing:,} not judged)" if missing else ""
        if judged["judged"][name] or missing:
            say(f"  {name.replace('_', ' '):<28} {_measured(judged, name)}{note}")
    found = judged["agreement"]
    if found["passages"]:
        kappa = _number(found["kappa"], 3)
        of = f"kappa {kappa}, {found['passages']:,} passages"
        say(f"  {'agrees with the labels':<28} {found['share']:.3f} ({of})")


def _print_stages(configurations: Mapping[str, Form]) -> None:
    stages = dict.fromkeys(
        stage for found in configurations.values() for stage in found["stages_ms"]
    )
    rows = [
        (
            name,
            *(_percentiles(found["stages_ms"].get(stage)) for stage in stages),
            _number(found["queries_per_second"], 1),
            _number(found["peak_memory_mb"], 0),
        )
        for name, found in configurations.items()
    ]
    _print_table(("", *stages, "per s", "MB"), rows)


def print_comparison(form: Form) -> None:
    """Print the measures of two runs and their clear differences."""
    counts = form["questions"]
    if counts["both"] < max(counts["first"], counts["second"]):
        say(
            f"compared: the {counts['both']} questions that both runs have "
            f"(of {counts['first']} and {counts['second']})"
        )
    for name, values in form["made_otherwise"].items():
        say(indented(f"{name}: {_value(values['first'])}, then {_value(values['second'])}"))
    for name, measures in (*form["configurations"].items(), ("answers", form["answers"])):
        rows = [
            (
                measure.replace("_", " "),
                f"{found['first']:.3f}",
                f"{found['second']:.3f}",
                f"{found['difference']:+.3f}",
                "[{:+.3f}, {:+.3f}]".format(*found["interval"]) + ("*" if found["clear"] else " "),
                str(found["better"]),
                str(found["worse"]),
            )
            for measure, found in measures.items()
            if found["questions"]
        ]
        say(name, bold=True)
        heads = ("", "first", "second", "change", "interval", "better", "worse")
        _print_table(heads, rows)
        say()
    say("* the 95 % interval of the difference does not contain 0")
    if form["worse"]:
        measures = ", ".join(
            f"{found['measure']} of {found['configuration']}" for found in form["worse"]
        )
        say(indented(measures, first="clearly worse: "), fg="red", bold=True)


def _value(setting: object) -> str:
    return "default" if setting is None else str(setting)


def _print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for number, name in enumerate(heads):
        if number == 0:
            table.add_column(name, overflow="fold")
        else:
            table.add_column(name, justify="right", no_wrap=True)
    for name, *cells in rows:
        table.add_row(*map(visible, (name, *cells)))
    console().print(table)


def _measured(found: Form, measure: str) -> str:
    if found[measure] is None:
        return "-"
    low, high = found["intervals"][measure]
    return f"{found[measure]:.3f} ±{(high - low) / 2:.3f}".replace("±0.", "±.")


def _percentiles(stage: Form | None) -> str:
    if stage is None:
        return "-"
    return " / ".join(_number(stage[name], 1 if stage[name] < 10 else 0) for name in ("p50", "p95"))


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
