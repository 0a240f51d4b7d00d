"""How runs and their comparison look on a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pincite.interfaces.cli.output import console, indented, say, visible

Form = Mapping[str, Any]


def print_report(form: Form) -> None:
    """What a run came to."""
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
    say("\nmilliseconds of each stage: p50 / p95")
    _print_stages({name: found["stages_ms"] for name, found in configurations.items()})
    if form["languages"]:
        say("\nnDCG@10 by language")
        _print_table(
            ("", *configurations),
            [
                (language, *(_number(found[name], 3) for name in configurations))
                for language, found in form["languages"].items()
            ],
        )
    say(f"\nanswers of {form['answers_from']}")
    for name, value in form["answers"].items():
        if not isinstance(value, list | dict) and value is not None:
            say(f"{name.replace('_', ' '):<28} {value:.3f}")
    say("\nmilliseconds of each stage of an answer: p50 / p95")
    _print_stages({"": form["answers"]["stages_ms"]})


def _print_stages(measured: Mapping[str, Form]) -> None:
    stages = dict.fromkeys(stage for found in measured.values() for stage in found)
    rows = [
        (name, *(_percentiles(found.get(stage)) for stage in stages))
        for name, found in measured.items()
    ]
    _print_table(("", *stages), rows)


def print_comparison(form: Form) -> None:
    """The measures of two runs, and what is clearly different."""
    counts = form["questions"]
    if counts["both"] < max(counts["first"], counts["second"]):
        say(
            f"only the {counts['both']} questions are compared that both runs have "
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
    say("* the 95 % interval of the difference does not hold 0")
    if form["worse"]:
        told = ", ".join(
            f"{found['measure']} of {found['configuration']}" for found in form["worse"]
        )
        say(indented(told, first="clearly worse: "), fg="red", bold=True)


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
