"""Confidence calibration from a library's own labelled questions, stored next to its catalog."""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from pincite.errors import LibraryError
from pincite.records.files import read_json

CALIBRATION_FILE = "calibration.json"
FEWEST_QUESTIONS = 100
"""With fewer labelled questions there is no calibration."""
UNCALIBRATED = "uncalibrated"
_FORMAT = 1
_MOST_COUNTED = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A promise: of the answers given, at most a share of `risk` is wrong.

    It holds with a probability of `sureness` for questions like those it was fitted on. `threshold`
    is the confidence of the shipped model that is needed; `answered` of those questions reached it,
    and `wrong` of these were wrong.
    """

    risk: float
    sureness: float
    threshold: float
    answered: int
    wrong: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How often answers of each confidence were right, for one library and its settings.

    `curve` has points (shipped model's confidence, share right), both ascending in 0..1. `made_for`
    is a digest of settings, encoder and shipped model; it is not valid for others. `bound` is None
    if no threshold keeps the promise. `error` is the cross-validated expected calibration error.
    """

    made_for: str
    corpus_version: str
    questions: int
    method: Literal["isotonic", "logistic"]
    curve: tuple[tuple[float, float], ...]
    error: float
    bound: Bound | None

    def right(self, confidence: float) -> float:
        """The share of right answers at this confidence, by linear interpolation."""
        place = bisect_right(self.curve, (confidence, 1.0))
        if place == 0 or place == len(self.curve):
            return self.curve[min(place, len(self.curve) - 1)][1]
        (left, low), (right, high) = self.curve[place - 1 : place + 1]
        return low + (high - low) * (confidence - left) / (right - left) if right > left else high

    def message(self, corpus_version: str) -> str:
        """The description shown with every answer."""
        made_from = f"from {self.questions} questions"
        changed = "" if corpus_version == self.corpus_version else "; documents changed since"
        if self.bound is None:
            return f"calibrated {made_from}, without a bound on wrong answers{changed}"
        bound = self.bound
        return (
            f"at most {bound.risk:.0%} wrong among answered ({bound.sureness:.0%} sure), "
            f"{made_from}{changed}"
        )


def load_calibration(folder: Path) -> Calibration | None:
    """The calibration of a library, or None. Raises LibraryError if it is damaged."""
    path = folder / CALIBRATION_FILE
    try:
        return _calibration(read_json(path))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LibraryError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise LibraryError(
            f"{path}: is not a calibration ({error}); run 'pincite calibrate' again, or delete it"
        ) from error


def _calibration(found: Any) -> Calibration:
    """Parses a file's JSON. Raises a built-in exception that describes the fault."""
    if found.pop("format") != _FORMAT:
        raise ValueError("it has another format version")
    bound = found.pop("bound")
    curve = tuple((float(left), float(right)) for left, right in found.pop("curve"))
    made = Calibration(**found, curve=curve, bound=Bound(**bound) if bound else None)
    if not curve or list(curve) != sorted(curve):
        raise ValueError("its curve does not ascend")
    shares = [value for point in curve for value in point] + [made.error]
    if made.bound:
        shares += [made.bound.risk, made.bound.sureness, made.bound.threshold]
    if not all(_is_share(value) for value in shares):
        raise ValueError("a share is not between 0 and 1")
    counts = [made.questions, *([made.bound.answered, made.bound.wrong] if made.bound else ())]
    if not all(type(count) is int and 0 <= count < _MOST_COUNTED for count in counts):
        raise ValueError("a count is not a number of questions")
    if not all(isinstance(word, str) for word in (made.made_for, made.corpus_version, made.method)):
        raise ValueError("a name is not text")
    return made


def _is_share(value: object) -> bool:
    return type(value) in (int, float) and 0 <= value <= 1  # type: ignore[operator]


def save_calibration(folder: Path, calibration: Calibration) -> Path:
    """Write it atomically into a library's folder."""
    path = folder / CALIBRATION_FILE
    draft = folder / f".{CALIBRATION_FILE}.draft"
    form = {"format": _FORMAT, **asdict(calibration)}
    try:
        draft.write_text(json.dumps(form, indent=1) + "\n", encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise LibraryError(f"{path}: cannot be written ({error.strerror})") from error
    return path
