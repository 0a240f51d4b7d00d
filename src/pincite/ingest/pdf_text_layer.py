"""Which text of a PDF may not be what its pages show: fonts that tell other letters than they draw,
layers that may be switched off.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from pincite.ingest.pdf_cid_fonts import breaks_its_order, disagrees, letters_by_code
from pincite.ingest.pdf_objects import PdfObjects

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
# Names may be written with the codes of their letters; what is encrypted is not readable here.
_LAYERS = re.compile(rb"/(?:O|#4[Ff])(?:C|#43)(?:P|#50)|/Encrypt")


class _Doubt(Enum):
    """What is wrong with a font's map."""

    NONE = auto()
    ODD = auto()
    LIE = auto()


@dataclass(frozen=True, slots=True)
class TextLayer:
    """What a file says of its text that its pages do not show; empty for nearly every file."""

    lying_fonts: frozenset[bytes] = frozenset()
    """Names of fonts that map a letter or digit to another one."""
    odd_fonts: frozenset[bytes] = frozenset()
    """Names of fonts that seem to, and cannot be compared with what they draw."""
    has_layers: bool = False
    """Whether it may have layers, some of which a viewer may not show."""


def text_layer(objects: PdfObjects) -> TextLayer:
    """Look at the fonts and layers of a file."""
    fonts = list(_fonts(objects))
    lying = frozenset(name for name, doubt in fonts if doubt is _Doubt.LIE)
    odd = frozenset(name for name, doubt in fonts if doubt is _Doubt.ODD)
    return TextLayer(lying, odd, objects.mentions(_LAYERS))


def _fonts(objects: PdfObjects) -> Iterator[tuple[bytes, _Doubt]]:
    """The names of fonts whose map of letters there is something to say about."""
    for number in objects.numbers():
        font = objects.dictionary(number)
        if b"/ToUnicode" not in font or not _FONT.search(font):
            continue
        name = _NAME.match(objects.value(font, b"BaseFont"))
        mapped = objects.reference(font, b"ToUnicode")
        if name and mapped:
            doubt = _doubt(objects, font, list(_told(objects.stream(mapped, _LONGEST_MAP))))
            if doubt is not _Doubt.NONE:
                yield name[1], doubt


def _doubt(objects: PdfObjects, font: bytes, told: list[tuple[int, str]]) -> _Doubt:
    is_simple = any(kind in font for kind in _SIMPLE)
    if is_simple and (drawn := _drawn(objects, font)):
        return _Doubt.LIE if _disagree(drawn, told) else _Doubt.NONE
    # The table in a font's program is no proof: some programs number the shapes of a scan in it.
    inside = {} if is_simple else letters_by_code(objects, font)
    is_odd = disagrees(inside, told) or breaks_its_order(told)
    return _Doubt.ODD if is_odd else _Doubt.NONE


def _drawn(objects: PdfObjects, font: bytes) -> dict[int, str]:
    """The letters and digits that a simple font draws, by code, where its encoding says so."""
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
        base = ""  # it draws what its own table says
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
            # A name that says no letter takes the place of the letter that the code would draw.
            yield code, name.decode("latin-1") if len(name) == 1 and name.isalpha() else ""
        code += 1


def _told(cmap: bytes) -> Iterator[tuple[int, str]]:
    for part in _CHARS.findall(cmap):
        for code, sign in _PAIR.findall(part):
            yield int(code, 16), chr(int(sign, 16))
    for part in _RANGES.findall(cmap):
        for first, last, sign, signs in _RANGE.findall(part):
            listed = [int(one, 16) for one in _HEX.findall(signs)]
            for place, code in enumerate(range(int(first, 16), int(last, 16) + 1)):
                if sign or place < len(listed):
                    yield code, chr(int(sign, 16) + place & 0xFFFF if sign else listed[place])


def _disagree(drawn: Mapping[int, str], told: Iterable[tuple[int, str]]) -> bool:
    """Whether a letter or digit is told for another one; small capitals are no lie."""
    for code, sign in told:
        shown = drawn.get(code, "")
        if shown and sign.isascii() and sign.isalnum() and sign.lower() != shown.lower():
            return True
    return False
