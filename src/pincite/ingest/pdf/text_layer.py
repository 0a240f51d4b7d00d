"""Finds causes of a PDF's text differing from what its pages show: fonts that map to letters other
than those they draw, and layers that may be switched off.
"""

from __future__ import annotations

import re
import struct
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from pincite.ingest.pdf.objects import PdfObjects

# Evidence for fonts that address glyphs by number: the character map in the font's own program, and
# the order of its glyphs.

_DESCENDANT = re.compile(rb"\[?\s{0,4}(\d{1,9})\s{1,4}\d{1,5}\s{1,4}R\b")
_LONGEST_PROGRAM = 8 << 20
_MOST_GLYPHS = 65_536
_UNICODE_TABLES = {(0, 3), (0, 4), (3, 1), (3, 10)}
# Fewer in a row may be chance: some programs number glyphs in order of their use.
_LEAST_IN_A_ROW = 4
_SHARE_IN_A_ROW = 0.6


def letters_by_code(objects: PdfObjects, font: bytes) -> dict[int, set[str]]:
    """The letters of an embedded TrueType font by code; empty if its character map is missing."""
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
    """The ASCII letters and digits of a TrueType font, by glyph number."""
    letters: dict[int, set[str]] = defaultdict(set)
    try:
        for code, glyph in _coded_glyphs(program):
            if glyph and chr(code).isascii() and chr(code).isalnum():
                letters[glyph].add(chr(code))
    except (struct.error, IndexError):  # truncated, or not a font
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
    """The codes up to the last ASCII letter in a format 4 table."""
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
    """The codes up to the last ASCII letter in a format 12 table."""
    count = min(struct.unpack_from(">I", program, start + 12)[0], _MOST_GLYPHS)
    for number in range(count):
        first, last, glyph = struct.unpack_from(">III", program, start + 16 + 12 * number)
        for code in range(first, min(last, ord("z")) + 1):
            yield code, glyph + code - first


def contradicts_font(inside: Mapping[int, set[str]], mapping: Sequence[tuple[int, str]]) -> bool:
    """Whether a code maps to a different letter or digit than in the font's program, ignoring case."""
    for code, sign in mapping:
        own = {letter.lower() for letter in inside.get(code, ())}
        if own and sign.isascii() and sign.isalnum() and sign.lower() not in own:
            return True
    return False


def breaks_glyph_order(mapping: Sequence[tuple[int, str]]) -> bool:
    """Whether a font's glyphs follow the order of letters or digits, except some by their mapping.

    Glyphs are mostly in the order of the alphabet. If the glyph between those of 0 and 2 maps to 9,
    that is odd; whether it is wrong cannot be determined without rendering it.
    """
    kinds: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for code, sign in mapping:
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


_FONT = re.compile(rb"/Type\s{0,4}/Font(?![A-Za-z])")
_NAME = re.compile(rb"\s{0,4}/([^\s/<>\[\]()]{1,127})")
_SIMPLE = (b"/Type1", b"/TrueType", b"/MMType1")
_ENCODINGS = {b"WinAnsiEncoding": "cp1252", b"MacRomanEncoding": "mac_roman"}
_STANDARD = "ascii"  # as far as letters and digits go
_DIFFERENCES = re.compile(rb"/Differences\s{0,4}\[([^\]]*+)\]")
_CODE_OR_NAME = re.compile(rb"(\d{1,3})(?!\d)|/([^\s/\[\]]{1,63})")
_DIGIT_NAMES = b"zero one two three four five six seven eight nine".split()
_SYMBOLIC = re.compile(rb"/Flags\s{1,4}(\d{1,9})")
_CHARS = re.compile(rb"beginbfchar(.*?)endbfchar", re.DOTALL)
_RANGES = re.compile(rb"beginbfrange(.*?)endbfrange", re.DOTALL)
_PAIR = re.compile(rb"<([0-9A-Fa-f]{2}|[0-9A-Fa-f]{4})>\s{0,4}<([0-9A-Fa-f]{4})>")
_RANGE = re.compile(
    rb"<([0-9A-Fa-f]{2}|[0-9A-Fa-f]{4})>\s{0,4}<([0-9A-Fa-f]{2}|[0-9A-Fa-f]{4})>\s{0,4}(?:<([0-9A-Fa-f]{4})>|\[([^\]]{0,4096})\])"
)
_HEX = re.compile(rb"<([0-9A-Fa-f]{4})>")
_LONGEST_MAP = 1 << 20
# Names may be written with hexadecimal escapes; encrypted content is not readable here.
_LAYERS = re.compile(rb"/(?:O|#4[Ff])(?:C|#43)(?:P|#50)|/Encrypt")


class _Doubt(Enum):
    """What is wrong with a font's character map."""

    NONE = auto()
    ODD = auto()
    WRONG = auto()


@dataclass(frozen=True, slots=True)
class TextLayer:
    """The fonts and layers that make a file's text doubtful; empty for nearly every file."""

    wrong_fonts: frozenset[bytes] = frozenset()
    """Names of fonts that map a letter or digit to a different one than they draw."""
    odd_fonts: frozenset[bytes] = frozenset()
    """Names of fonts that seem to do so, but cannot be compared with what they draw."""
    has_layers: bool = False
    """Whether it may have layers that a viewer does not show."""


def text_layer(objects: PdfObjects) -> TextLayer:
    """Examine the fonts and layers of a file."""
    fonts = list(_fonts(objects))
    wrong = frozenset(name for name, doubt in fonts if doubt is _Doubt.WRONG)
    odd = frozenset(name for name, doubt in fonts if doubt is _Doubt.ODD)
    return TextLayer(wrong, odd, objects.mentions(_LAYERS))


def _fonts(objects: PdfObjects) -> Iterator[tuple[bytes, _Doubt]]:
    """The names of fonts with a doubtful character map."""
    for number in objects.numbers():
        font = objects.dictionary(number)
        if b"/ToUnicode" not in font or not _FONT.search(font):
            continue
        name = _NAME.match(objects.value(font, b"BaseFont"))
        mapped = objects.reference(font, b"ToUnicode")
        if name and mapped:
            doubt = _doubt(objects, font, list(_mapped(objects.stream(mapped, _LONGEST_MAP))))
            if doubt is not _Doubt.NONE:
                yield name[1], doubt


def _doubt(objects: PdfObjects, font: bytes, mapping: list[tuple[int, str]]) -> _Doubt:
    is_simple = any(kind in font for kind in _SIMPLE)
    if is_simple and (drawn := _drawn(objects, font)):
        return _Doubt.WRONG if _disagree(drawn, mapping) else _Doubt.NONE
    # The map in a font's program is not proof: some programs use it to number the shapes of a scan.
    inside = {} if is_simple else letters_by_code(objects, font)
    is_odd = contradicts_font(inside, mapping) or breaks_glyph_order(mapping)
    return _Doubt.ODD if is_odd else _Doubt.NONE


def _drawn(objects: PdfObjects, font: bytes) -> dict[int, str]:
    """The letters and digits that a simple font draws, by code, as far as its encoding says."""
    descriptor = objects.value(font, b"FontDescriptor")
    encoding = objects.value(font, b"Encoding")
    named = _NAME.match(encoding)
    base = _ENCODINGS.get(named[1]) if named else ""
    if not encoding:
        base = _STANDARD if not descriptor else ""
    elif base is None or (not base and b"/BaseEncoding" in encoding):
        inner = _NAME.match(objects.value(encoding, b"BaseEncoding"))
        base = _ENCODINGS.get(inner[1]) if inner else ""
    symbolic = _SYMBOLIC.search(descriptor)
    if symbolic and int(symbolic[1]) & 4:
        base = ""  # its own character map determines what it draws
    codes = range(0x30, 0x7B)
    drawn = {code: chr(code) for code in codes if base and chr(code).isalnum()}
    return drawn | dict(_differences(encoding))


def _differences(encoding: bytes) -> Iterator[tuple[int, str]]:
    found = _DIFFERENCES.search(encoding)
    code = 0
    for number, name in _CODE_OR_NAME.findall(found[1] if found else b""):
        if number:
            code = int(number)
            continue
        if name in _DIGIT_NAMES:
            yield code, str(_DIGIT_NAMES.index(name))
        else:
            # A name that is not a letter overrides the letter that the code would draw.
            yield code, name.decode("latin-1") if len(name) == 1 and name.isalpha() else ""
        code += 1


def _mapped(cmap: bytes) -> Iterator[tuple[int, str]]:
    for part in _CHARS.findall(cmap):
        for code, sign in _PAIR.findall(part):
            yield int(code, 16), chr(int(sign, 16))
    for part in _RANGES.findall(cmap):
        for first, last, sign, signs in _RANGE.findall(part):
            listed = [int(one, 16) for one in _HEX.findall(signs)]
            for place, code in enumerate(range(int(first, 16), int(last, 16) + 1)):
                if sign or place < len(listed):
                    yield code, chr(int(sign, 16) + place & 0xFFFF if sign else listed[place])


def _disagree(drawn: Mapping[int, str], mapping: Iterable[tuple[int, str]]) -> bool:
    """Whether a letter or digit maps to a different one, ignoring case because of small capitals."""
    for code, sign in mapping:
        shown = drawn.get(code, "")
        if shown and sign.isascii() and sign.isalnum() and sign.lower() != shown.lower():
            return True
    return False
