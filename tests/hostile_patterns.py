"""Every regular expression of the package, and texts that would make a bad one take for ever."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import re._constants as kinds
import re._parser as parser
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import _lru_cache_wrapper
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NamedTuple

import pincite
from tests.tiers import often

_ANYWHERE = frozenset({"search", "finditer", "findall", "sub", "subn", "split"})
_IN_ONE_PLACE = frozenset({"match", "fullmatch"})
_LANGUAGES = ("en", "de", "fr", "es", "it")
_ALWAYS = often(
    (*" \t\n-.,1aA(_'\":/?§", ". ", ", ", "- ", "1 ", "a ", "A ", "1.", "1,", "a.", "a-", "\n "),
    (*" \n-.1aA", ". ", "1 ", "1,", "a-", "\n "),
)
_SIZE = 2_000
_SUSPICIOUS_SECONDS = 0.004
_LONGEST_SECONDS = 0.25
_WORSE_THAN_LINEAR, _SURELY_WORSE = 3.0, 3.5


class Used(NamedTuple):
    """A pattern, where it stands, and how it is looked for."""

    where: str
    pattern: re.Pattern[Any]
    methods: tuple[str, ...]


@dataclass
class Offence:
    """A text that makes a pattern slow: how many times as long twice the text took."""

    where: str
    method: str
    unit: str
    growth: float
    seconds: float
    pattern: str


def modules() -> list[ModuleType]:
    """All of the package's that can be imported here."""
    found = []
    for module in pkgutil.walk_packages(pincite.__path__, "pincite."):
        if not module.name.endswith("__main__"):
            try:
                found.append(importlib.import_module(module.name))
            except ImportError:  # an optional extra that is not installed
                continue
    return found


def used_patterns() -> list[Used]:
    """Those compiled on import, those made when first needed, and those written where they are used."""
    made: dict[tuple[Any, int], tuple[re.Pattern[Any], str]] = {}
    real = re._compile  # type: ignore[attr-defined]

    def noting(pattern: Any, flags: Any) -> re.Pattern[Any]:
        compiled: re.Pattern[Any] = real(pattern, flags)
        frame: FrameType | None = sys._getframe(1)
        while frame and frame.f_globals.get("__name__") == "re":
            frame = frame.f_back
        if frame and str(frame.f_globals.get("__name__", "")).startswith("pincite"):
            where = f"{frame.f_globals['__name__']}:{frame.f_lineno}"
            made.setdefault((compiled.pattern, compiled.flags), (compiled, where))
        return compiled

    re._compile = noting  # type: ignore[attr-defined]
    try:
        loaded = modules()
        for module in loaded:
            _fill_caches(module)
    finally:
        re._compile = real  # type: ignore[attr-defined]
    # Those of modules that other tests have imported before.
    for module in loaded:
        for pattern in _within(vars(module).values(), depth=4):
            made.setdefault((pattern.pattern, pattern.flags), (pattern, module.__name__))
    names, calls = _names(loaded), {module.__name__: _calls(module) for module in loaded}
    used = [
        Used(*_usage(pattern, where, names.get(key, []), calls))
        for key, (pattern, where) in made.items()
    ]
    return [*used, *(one for module in loaded for one in _written_in_place(module))]


def _fill_caches(module: ModuleType) -> None:
    """Call functions that make something once: of nothing, or of a language."""
    for value in list(vars(module).values()):
        if isinstance(value, _lru_cache_wrapper) and value.__module__ == module.__name__:
            taken = list(inspect.signature(value).parameters)
            for arguments in [()] if not taken else [(one,) for one in _LANGUAGES]:
                if len(taken) == len(arguments) and (not taken or taken == ["language"]):
                    try:
                        value(*arguments)
                    except (KeyError, ValueError):  # not a language of its own
                        continue


def _within(values: Any, depth: int) -> Iterator[re.Pattern[Any]]:
    for value in values:
        if isinstance(value, re.Pattern):
            yield value
        elif depth and isinstance(value, dict):
            yield from _within(value.values(), depth - 1)
        elif depth and isinstance(value, tuple | list | frozenset | set):
            yield from _within(value, depth - 1)
        elif depth and type(value).__module__.startswith("pincite."):
            slots = getattr(type(value), "__slots__", ())
            members = [getattr(value, name, None) for name in slots]
            yield from _within([*members, *getattr(value, "__dict__", {}).values()], depth - 1)


def _names(loaded: Sequence[ModuleType]) -> dict[tuple[Any, int], list[tuple[str, str]]]:
    found: dict[tuple[Any, int], list[tuple[str, str]]] = {}
    for module in loaded:
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                found.setdefault((value.pattern, value.flags), []).append((module.__name__, name))
    return found


def _calls(module: ModuleType) -> dict[str, set[str]]:
    """By name: which methods of patterns are called, or handed on, in a module."""
    calls: dict[str, set[str]] = {}
    for node in ast.walk(ast.parse(_source(module))):
        if isinstance(node, ast.Attribute) and node.attr in _ANYWHERE | _IN_ONE_PLACE:
            owner = node.value
            name = getattr(owner, "id", getattr(owner, "attr", "?"))
            calls.setdefault(name, set()).add(node.attr)
    calls.pop("re", None)
    return calls


def _source(module: ModuleType) -> str:
    return Path(str(module.__file__)).read_text("utf-8")


def _usage(
    pattern: re.Pattern[Any],
    where: str,
    names: Sequence[tuple[str, str]],
    calls: dict[str, dict[str, set[str]]],
) -> tuple[str, re.Pattern[Any], tuple[str, ...]]:
    methods: set[str] = set()
    for module, name in names:
        methods |= calls[module].get(name, set())
    if not methods:  # in a tuple or the like: whatever is called on what has no name of its own
        of_module = calls.get(where.partition(":")[0], {})
        methods = {m for name, called in of_module.items() if not name.isupper() for m in called}
    searched = methods & _IN_ONE_PLACE
    if methods & _ANYWHERE or not searched:
        searched = searched | {"search"}
    told = f"{names[0][0]}:{names[0][1]}" if names else where
    return told, pattern, tuple(sorted(searched))


def _written_in_place(module: ModuleType) -> Iterator[Used]:
    """Patterns of `re.sub(...)` and the like, of which all parts are known beforehand."""
    for node in ast.walk(ast.parse(_source(module))):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        if getattr(node.func.value, "id", "") != "re" or node.func.attr == "compile":
            continue
        if node.func.attr not in _ANYWHERE | _IN_ONE_PLACE:
            continue
        try:
            written = eval(compile(ast.Expression(node.args[0]), "", "eval"), vars(module))
            pattern = re.compile(written)
        except (NameError, TypeError, re.error):
            continue  # made of something that is only known when it is called
        method = node.func.attr if node.func.attr in _IN_ONE_PLACE else "search"
        yield Used(f"{module.__name__}:{node.lineno}", pattern, (method,))


# --- Texts --------------------------------------------------------------------------------------


def hostile_texts(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str]]:
    """Beginnings, and what is repeated behind them.

    Signs that any text has, those of the pattern, and before each part that may repeat what leads
    there.
    """
    written = (
        pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    )
    tree = parser.parse(written, pattern.flags & ~re.DEBUG)
    literals = list(dict.fromkeys(_literals(tree)))[:24]
    units = list(dict.fromkeys((*_ALWAYS, *literals)))
    signs = [sign for sign in literals if not sign.isalnum()][:3]
    pairs = [one + other for one in signs for other in (" ", "a", "1", "\n")]
    for unit in dict.fromkeys((*units, *pairs, *(pair[::-1] for pair in pairs))):
        yield "", unit
    for lead, repeated in dict.fromkeys(_repeats(tree, "")):
        for unit in dict.fromkeys((repeated, " ", "1", "a", "-")):
            if unit:
                yield lead, unit


def _literals(tree: Any) -> Iterator[str]:
    for kind, value in tree:
        if kind is kinds.LITERAL:
            yield chr(value)
        elif kind is kinds.IN:
            yield from (
                chr(v if k is kinds.LITERAL else v[0])
                for k, v in value
                if k in (kinds.LITERAL, kinds.RANGE)
            )
        else:
            for part in _parts(value):
                yield from _literals(part)


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, parser.SubPattern):
        yield value
    elif isinstance(value, tuple | list):
        for one in value:
            yield from _parts(one)


def _repeats(tree: Any, lead: str) -> Iterator[tuple[str, str]]:
    """What leads to each part that may repeat without end, and one repetition of it."""
    for kind, value in tree:
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            if value[1] > 16:
                yield lead, _sample(value[2])
            yield from _repeats(value[2], lead)
        elif kind is kinds.BRANCH:
            for branch in value[1]:
                yield from _repeats(branch, lead)
        elif kind is kinds.SUBPATTERN:
            yield from _repeats(value[3], lead)
        elif kind is kinds.ATOMIC_GROUP:
            yield from _repeats(value, lead)
        elif kind is kinds.ASSERT and value[0] > 0:
            yield from _repeats(value[1], lead)
        lead += _sample([(kind, value)])


def _sample(tree: Any) -> str:
    """A short text that the pattern takes, but for what lies around it."""
    text = ""
    for kind, value in tree:
        if kind is kinds.LITERAL:
            text += chr(value)
        elif kind in (kinds.ANY, kinds.NOT_LITERAL):
            text += "a"
        elif kind is kinds.IN:
            text += _sign(value)
        elif kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            text += _sample(value[2]) * value[0]
        elif kind is kinds.BRANCH:
            text += _sample(value[1][0])
        elif kind is kinds.SUBPATTERN:
            text += _sample(value[3])
        elif kind is kinds.ATOMIC_GROUP:
            text += _sample(value)
    return text


def _sign(choices: Any) -> str:
    negated = choices[0][0] is kinds.NEGATE
    for sign in "a1 -.,\n":
        if _holds(choices, sign) != negated:
            return sign
    first = next((v for k, v in choices if k in (kinds.LITERAL, kinds.RANGE)), 0)
    return chr(first if isinstance(first, int) else first[0])


def _holds(choices: Any, sign: str) -> bool:
    for kind, value in choices:
        if kind is kinds.LITERAL and chr(value) == sign:
            return True
        if kind is kinds.RANGE and value[0] <= ord(sign) <= value[1]:
            return True
        if kind is kinds.CATEGORY:
            name = str(value).lower()
            by_name = {
                "digit": sign.isdigit(),
                "space": sign.isspace(),
                "word": sign.isalnum() or sign == "_",
            }
            known = next(found for key, found in by_name.items() if name.endswith(key))
            if known != ("_not_" in name):
                return True
    return False


# --- Measuring ----------------------------------------------------------------------------------


def offences(used: Used, given_at_most: int | None = None) -> Iterator[Offence]:
    """The texts for which a pattern takes much more than twice as long when they are twice as long.

    Processor time is measured, and judged only where it is far above what a busy machine adds. A
    pattern that is never given a longer text may take what it likes, within reason.
    """
    longest = min(given_at_most or _SIZE, _SIZE)
    for method in used.methods:
        find = getattr(used.pattern, method)
        for lead, unit in hostile_texts(used.pattern):
            seconds = _approached(find, used.pattern, lead, unit, longest)
            growth = 0.0
            if longest == _SIZE and _SUSPICIOUS_SECONDS <= seconds < _LONGEST_SECONDS:
                growth, seconds = _grows(find, used.pattern, lead, unit)
            if growth > _WORSE_THAN_LINEAR or seconds >= _LONGEST_SECONDS:
                told = str(used.pattern.pattern)[:200]
                yield Offence(used.where, method, f"{lead!r} + n * {unit!r}", growth, seconds, told)
                return


def _approached(
    find: Callable[[Any], Any], pattern: re.Pattern[Any], lead: str, unit: str, longest: int
) -> float:
    """Seconds for the longest text, or for the first one that already takes too long.

    In small steps up to 36 signs: what takes exponential time is stopped before it would never end.
    """
    size, seconds = 16, 0.0
    while size < longest and seconds < _LONGEST_SECONDS:
        seconds = _seconds(find, pattern, lead, unit, size)
        size += size // 2 if size < 36 else 2 * size
    return seconds if seconds >= _LONGEST_SECONDS else _seconds(find, pattern, lead, unit, longest)


def _grows(
    find: Callable[[Any], Any], pattern: re.Pattern[Any], lead: str, unit: str
) -> tuple[float, float]:
    """By which factor the time grows as the text doubles, and the time.

    Looked at again where it seems too much: another program may have had the processor's memory.
    """
    growth, small = 0.0, 0.0
    for number, size in enumerate((_SIZE, _SIZE, 2 * _SIZE)):
        small = min(_seconds(find, pattern, lead, unit, size) for _ in range(2))
        large = min(_seconds(find, pattern, lead, unit, 4 * size) for _ in range(2))
        growth = (large / small) ** 0.5 if small >= _SUSPICIOUS_SECONDS else 0.0
        if growth <= _WORSE_THAN_LINEAR or (number and growth > _SURELY_WORSE):
            break
    return growth, small


def _seconds(
    find: Callable[[Any], Any], pattern: re.Pattern[Any], lead: str, unit: str, size: int
) -> float:
    text = lead + (unit * (size // len(unit) + 1))[:size] + "\x01"
    given: Any = text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text
    begun = time.process_time()
    find(given)
    return time.process_time() - begun
