"""Tampers with saved answers and counts how often `pincite verify` detects it.

    python benchmarks/receipts.py --tamperings 1000

Receipts are real: answers over the sample documents in every mode (language model: the packaged
SmolLM2), counts, refusals, a report, and pages. One tampering is one random change at one random
place: a character, a number, a field removed, added, duplicated or exchanged. There are four kinds of
tampering:

- careless: changes only the file
- knowing: also recomputes the digest, as anybody can; detection then depends on the files
- knowing, signed: the same with a signed receipt that is verified with the public key
- of pages: changes a random byte of an HTML page
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from pincite import Library
from pincite.errors import ReceiptError
from pincite.ingest.readers import FileReader
from pincite.records.document import Document
from pincite.records.flow import Answer
from pincite.report.asking import make_report
from pincite.report.layout import report_form
from pincite.report.template import load_template
from pincite.settings.loading import changed_settings
from pincite.verify.receipts.saved import check_saved, load_saved, saved_answer
from pincite.verify.receipts.signing import make_keys, sealed

SAMPLES = Path(str(files("pincite.interfaces.samples")))
COUNTED = ("torque", "warehouse", "app", "dragon")
WRITTEN = ("What torque do I need for a size -8 hose end?", "How wide is the planting distance?")
MAX_TOKENS = 80


class CachingReader:
    """Reads each file once, since many answers cite the same."""

    def __init__(self) -> None:
        self.read = cache(self._read)

    def _read(self, path: Path) -> Document:
        return FileReader().read(path)


def answers(library: Library, *, with_model: bool) -> Iterator[Answer]:
    """Answers in every mode, refusals and counts."""
    for line in (SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        yield library.ask(json.loads(line)["question"])
    for words in COUNTED:
        yield library.count(words)
    for mode in ("quoted", "generated") if with_model else ():
        layer = {
            "generation": {
                "mode": mode,
                "model": "smollm2",
                "max_tokens": MAX_TOKENS,
                "timeout_seconds": 600,
            }
        }
        settings = changed_settings(library.settings, layer, origin="benchmark")
        for question in WRITTEN:
            yield library.ask(question, settings=settings)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a form, its containers too."""
    if path:
        yield path
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for name, inner in items:
        yield from places(inner, (*path, name))


def tampered(form: dict[str, Any], chance: random.Random) -> tuple[dict[str, Any], str]:
    """The form with one change, and the name of the field that it is in."""
    while True:
        copy = json.loads(json.dumps(form))
        path = chance.choice(list(places(copy)))
        holder = copy
        for name in path[:-1]:
            holder = holder[name]
        chance.choice([_edit, _edit, _remove, _add, _exchange])(holder, path[-1], chance)
        if json.dumps(copy, sort_keys=True) != json.dumps(form, sort_keys=True):
            field = next((name for name in reversed(path) if isinstance(name, str)), "")
            return copy, field


def _edit(holder: Any, name: Any, chance: random.Random) -> None:
    value = holder[name]
    if isinstance(value, bool) or value is None:
        holder[name] = chance.choice([not value, 1, "x"])
    elif isinstance(value, int | float):
        holder[name] = value + chance.choice([-1, 1, 10, 0.5])
    elif isinstance(value, str):
        place = chance.randrange(len(value) + 1)
        holder[name] = (
            value[:place] + chance.choice("aZ05.-  ") + value[place + chance.randrange(2) :]
        )
    else:
        holder[name] = chance.choice([None, [], {}, "x"])


def _remove(holder: Any, name: Any, _: random.Random) -> None:
    del holder[name]


def _add(holder: Any, name: Any, _: random.Random) -> None:
    if isinstance(holder, list):
        holder.append(holder[name])
    else:
        holder[f"{name}_"] = holder[name]


def _exchange(holder: Any, name: Any, chance: random.Random) -> None:
    other = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    holder[name], holder[other] = holder[other], holder[name]


def is_caught(path: Path, reader: CachingReader, public_key: Path | None) -> bool:
    """Whether `pincite verify` refuses this file or finds something."""
    try:
        return not check_saved(load_saved(path), reader, public_key=public_key).holds
    except ReceiptError:
        return True


def trial(
    number: int, make: Callable[[], tuple[bytes, str]], check: Callable[[Path], bool], path: Path
) -> tuple[int, Counter[str]]:
    """How many of so many tamperings were caught, and the fields of those that were not."""
    missed: Counter[str] = Counter()
    for _ in range(number):
        content, field = make()
        path.write_bytes(content)
        if not check(path):
            missed[field] += 1
    return number - missed.total(), missed


def main() -> None:
    """Reads the options and makes a library of the sample documents."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tamperings", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--without-model", action="store_true")
    chosen = parser.parse_args()
    chance = random.Random(chosen.seed)
    with tempfile.TemporaryDirectory() as folder, Library.open(f"{folder}/library") as library:
        run(library, Path(folder), chosen, chance)


def run(library: Library, folder: Path, chosen: Any, chance: random.Random) -> None:
    """Makes the receipts, then lets each tamperer work."""
    library.ingest([SAMPLES / "documents"])
    found = list(answers(library, with_model=not chosen.without_model))
    key = folder / "key"
    public, _ = make_keys(key)
    forms = [json.loads(saved_answer(one, library.catalog, Path("a.json"))) for one in found]
    forms.append(sealed(report_form(make_report(library, load_template("sop-summary")))))
    pages = [saved_answer(one, library.catalog, Path("a.html"), key) for one in found]
    kinds = Counter(f"{form.get('mode', 'report')}, {form.get('status', '-')}" for form in forms)
    print("receipts:", ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    reader = CachingReader()
    for form in forms:
        (folder / "whole.json").write_text(json.dumps(form))
        assert not is_caught(folder / "whole.json", reader, None)

    def careless() -> tuple[bytes, str]:
        form, field = tampered(chance.choice(forms), chance)
        return json.dumps(form).encode(), field

    def knowing() -> tuple[bytes, str]:
        whole = chance.choice(forms)
        form, field = tampered({name: whole[name] for name in whole if name != "digest"}, chance)
        return json.dumps(sealed(form)).encode(), field

    def of_signed() -> tuple[bytes, str]:
        whole = sealed(chance.choice(forms), key)
        form, field = tampered({name: whole[name] for name in whole if name != "digest"}, chance)
        kept = {"signature": form["signature"]} if "signature" in form else {}
        return json.dumps({**sealed(form), **kept}).encode(), field

    def of_page() -> tuple[bytes, str]:
        content = bytearray(chance.choice(pages))
        place = chance.randrange(len(content))
        content[place] = (content[place] + chance.randrange(1, 256)) % 256
        return bytes(content), "page"

    for name, make, given in (
        ("careless", careless, None),
        ("knowing, not signed", knowing, None),
        ("knowing, signed", of_signed, public),
        ("of pages", of_page, None),
    ):
        check = partial(is_caught, reader=reader, public_key=given)
        caught, missed = trial(chosen.tamperings, make, check, folder / "t")
        told = ", ".join(f"{field} {count}" for field, count in missed.most_common(20))
        print(f"{name}: {caught} of {chosen.tamperings} caught{'; not: ' if told else ''}{told}")


if __name__ == "__main__":
    main()
