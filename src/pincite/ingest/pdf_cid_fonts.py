"""What the fonts of a PDF that name their glyphs by number can be compared with: the table of letters
in the font's own program, and the order of its glyphs.
"""

from __future__ import annotations

import re
import struct
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from pincite.ingest.pdf_objects import PdfObjects

_DESCENDANT = re.compile(rb"\[?\s{0,4}(\d{1,9})\s{1,4}\d{1,5}\s{1,4}R\b")
_LONGEST_PROGRAM = 8 << 20
_MOST_GLYPHS = 65_536
_UNICODE_TABLES = {(0, 3), (0, 4), (3, 1), (3, 10)}
# Fewer in a row may be chance: some programs number glyphs as they come up in the text.
_LEAST_IN_A_ROW = 4
_SHARE_IN_A_ROW = 0.6


def letters_by_code(objects: PdfObjects, font: bytes) -> dict[int, set[str]]:
    """The letters of an embedded TrueType font by their codes; empty where its table was left out."""
    listed = objects.value(font, b"DescendantFonts")
    refers = _DESCENDANT.match(listed)
    inner = objects.dictionary(int(refers[1])) if refers else listed
    if b"/Identity" not in objects.value(font, b"Encoding")[:12]:
        return {}
    program = objects.reference(objects.value(inner, b"FontDescriptor"), b"FontFile2")
    if not program:
        return {}
    glyphs = letters_of_glyphs(objects.stream(program, _LONGEST_PROGRAM))
    mapped = objects.reference(inner, b"CIDToGIDMap")
    if not mapped:
        return glyphs
    numbers = objects.stream(mapped, 2 * _MOST_GLYPHS)
    places = struct.unpack(f">{len(numbers) // 2}H", numbers[: len(numbers) // 2 * 2])
    return {code: glyphs[glyph] for code, glyph in enumerate(places) if glyph in glyphs}


def letters_of_glyphs(program: bytes) -> dict[int, set[str]]:
    """The ASCII letters and digits of a TrueType font by the numbers of their glyphs."""
    letters: dict[int, set[str]] = defaultdict(set)
    try:
        for code, glyph in _coded_glyphs(program):
            if glyph and chr(code).isascii() and chr(code).isalnum():
                letters[glyph].add(chr(code))
    except (struct.error, IndexError):  # cut off, or no font at all
        return {}
    return dict(letters)


def _coded_glyphs(program: bytes) -> Iterator[tuple[int, int]]:
    for number in range(struct.unpack_from(">H", program, 4)[0]):
        name, _, table, _ = struct.unpack_from(">4sIII", program, 12 + 16 * number)
        if name != b"cmap":
            continue
        for part in range(struct.unpack_from(">H", program, table + 2)[0]):
            platform, kind, offset = struct.unpack_from(">HHI", program, table + 4 + 8 * part)
            if (platform, kind) in _UNICODE_TABLES:
                start = table + offset
                written = struct.unpack_from(">H", program, start)[0]
                if written == 4:
                    yield from _segments(program, start)
                elif written == 12:
                    yield from _groups(program, start)


def _segments(program: bytes, start: int) -> Iterator[tuple[int, int]]:
    """The codes up to the last letter of ASCII in a table of format 4."""
    double = struct.unpack_from(">H", program, start + 6)[0]
    for place in range(0, double, 2):
        ends = start + 14 + place
        last, first, step, offset = (
            struct.unpack_from(">H", program, ends + behind)[0]
            for behind in (0, double + 2, 2 * double + 2, 3 * double + 2)
        )
        for code in range(first, min(last, ord("z")) + 1):
            glyph = code
            if offset:
                at = ends + 3 * double + 2 + offset + 2 * (code - first)
                glyph = struct.unpack_from(">H", program, at)[0]
            yield code, (glyph + step) % _MOST_GLYPHS if glyph else 0


def _groups(program: bytes, start: int) -> Iterator[tuple[int, int]]:
    """The codes up to the last letter of ASCII in a table of format 12."""
    count = min(struct.unpack_from(">I", program, start + 12)[0], _MOST_GLYPHS)
    for number in range(count):
        first, last, glyph = struct.unpack_from(">III", program, start + 16 + 12 * number)
        for code in range(first, min(last, ord("z")) + 1):
            yield code, glyph + code - first


def disagrees(inside: Mapping[int, set[str]], told: Sequence[tuple[int, str]]) -> bool:
    """Whether another letter or digit is told than the font's program has; capitals count as small."""
    for code, sign in told:
        own = {letter.lower() for letter in inside.get(code, ())}
        if own and sign.isascii() and sign.isalnum() and sign.lower() not in own:
            return True
    return False


def breaks_its_order(told: Sequence[tuple[int, str]]) -> bool:
    """Whether a font has its letters or digits one after another, but for some that it tells.

    Glyphs mostly keep the order of the alphabet. Where the glyph between those of 0 and 2 is told to be
    a 9, something is odd; that it is a lie cannot be said without looking at it.
    """
    kinds: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for code, sign in told:
        if sign.isascii() and sign.isalnum():
            kinds["0" if sign.isdigit() else "A" if sign.isupper() else "a"].append((code, sign))
    return any(_breaks_row(signs, base) for base, signs in kinds.items())


def _breaks_row(signs: Sequence[tuple[int, str]], base: str) -> bool:
    first = ord(base)
    last = ord("9") if base == "0" else first + 25
    offsets: Mapping[int, int] = Counter(code - ord(sign) for code, sign in signs)
    offset = max(offsets, key=lambda one: offsets[one])
    if offsets[offset] < max(_LEAST_IN_A_ROW, _SHARE_IN_A_ROW * len(signs)):
        return False
    return any(
        first <= code - offset <= last and code - offset != ord(sign) for code, sign in signs
    )
