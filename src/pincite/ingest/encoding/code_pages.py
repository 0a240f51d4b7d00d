"""Detects the single-byte Latin code page of a text from the letters it would need.

In a few accented words all Latin code pages look alike. Windows-1252 is the default; another one is
chosen only if it alone yields words in the alphabet of one language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

USUAL = "cp1252"
_WITH_EURO = "iso8859_15"
# The letters beyond A to Z of languages that Windows-1252 can write, related ones together.
_WESTERN = (
    "äöüßéèàêçñáó",  # German with the foreign words it uses
    "éèêëàâçîïôöûùüœæÿ",  # French
    "áéíóúüñçàèòï",  # Spanish and Catalan
    "áéíóúâêôãõàçü",  # Portuguese
    "àèéìíòóùúî",  # Italian
    "äëïöüéèêáíóúàç",  # Dutch
    "åäöæøéèüáòàôó",  # Danish, Norwegian, Swedish and Finnish
    "áéíóúýæöðþ",  # Icelandic
    "äöõüšž",  # Estonian
)
# Code pages that are rarer than Windows-1252, and the languages that indicate them.
_OTHERS = (
    (
        ("cp1250", "iso8859_2", "cp852"),
        (
            "ąćęłńóśźżäöüé",  # Polish
            "áčďéěíňóřšťúůýžäöü",  # Czech
            "áäčďéíĺľňóôŕšťúýžöü",  # Slovak
            "áéíóöőúüűä",  # Hungarian
            "ăâîşţșțé",  # Romanian
            "čćđšžöü",  # Croatian, Slovene and Bosnian
        ),
    ),
    (("cp1254", "iso8859_9"), ("çğıöşüâîûİ",)),  # Turkish
    (("cp1257",), ("ąčęėįšųūž", "āčēģīķļņšūž")),  # Lithuanian, Latvian
    (("cp850", "mac_roman"), _WESTERN),  # written under DOS, or on an old Macintosh
)
# A run of letters and non-ASCII bytes: a word with adjacent punctuation.
_WORD = re.compile(rb"(?<![A-Za-z\x80-\xff])[A-Za-z]*+[\x80-\xff][A-Za-z\x80-\xff]*+")
_MOST_WORDS = 20_000
# Letters and symbols in Windows code pages, control characters in ISO 8859.
_CONTROL_IN_ISO = re.compile(rb"[\x80-\x9f]")
# Non-letters that occur within words: apostrophes, hyphens, dashes, dots.
_JOINERS = frozenset("’‘\u00ad–—…·•×°\u00a0")
# Symbols that Unicode classifies as letters.
_NO_LETTERS = frozenset("ªºµ")
_MOST_FOREIGN = 0.03
_FEWEST_TELLING = 3
_FEWEST_LIKELY = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class CodePage:
    """A code page, and whether the text leaves it in doubt."""

    name: str
    is_doubtful: bool


@dataclass(frozen=True, slots=True)
class _Letters:
    """The non-ASCII bytes decoded by a code page: letters, and other characters within words."""

    letters: Counter[str]
    misplaced: int

    def fits(self, alphabet: str) -> bool:
        """Whether nearly all letters belong to the alphabet and few symbols occur within words."""
        own = set(alphabet) | set(alphabet.upper())
        foreign = sum(count for letter, count in self.letters.items() if letter not in own)
        return foreign + self.misplaced <= _MOST_FOREIGN * (self.letters.total() + self.misplaced)


def latin_code_page(content: bytes) -> CodePage:
    """The most likely code page of a text in the Latin script."""
    words = _words(content)
    if _has_euro(content) and _fits_a_language(words, _WITH_EURO):
        return CodePage(name=_WITH_EURO, is_doubtful=False)
    usual = _letters(words, USUAL)
    if any(map(usual.fits, _WESTERN)):
        return CodePage(name=USUAL, is_doubtful=False)
    likely = list(_likely(words, usual))
    for name in likely:
        telling = _count_changed(words, name)
        if telling >= _FEWEST_LIKELY:
            return CodePage(name=name, is_doubtful=telling < _FEWEST_TELLING)
    # A text in several languages contains letters of all of them.
    return CodePage(name=USUAL, is_doubtful=bool(likely) or not usual.fits("".join(_WESTERN)))


def is_western(content: bytes) -> bool:
    """Whether Windows-1252 decodes to a text in one Western European language."""
    return _fits_a_language(_words(content), USUAL)


def _has_euro(content: bytes) -> bool:
    """Whether there is a byte for the euro in ISO 8859-15; in the others it is the unused `\xa4`."""
    return b"\xa4" in content and not _CONTROL_IN_ISO.search(content)


def _fits_a_language(words: Sequence[bytes], name: str) -> bool:
    return any(map(_letters(words, name).fits, _WESTERN))


def _words(content: bytes) -> list[bytes]:
    return [match[0] for match in islice(_WORD.finditer(content), _MOST_WORDS)]


def _likely(words: Sequence[bytes], usual: _Letters) -> Iterator[str]:
    """The rarer code pages in which the words fit one language and contain no fewer letters."""
    for names, alphabets in _OTHERS:
        for name in names:
            found = _letters(words, name)
            has_all = found.letters.total() >= usual.letters.total()
            if has_all and any(map(found.fits, alphabets)):
                yield name


def _letters(words: Iterable[bytes], name: str) -> _Letters:
    letters: Counter[str] = Counter()
    misplaced = 0
    for word in words:
        text = word.decode(name, "replace")
        for place, sign in enumerate(text):
            if sign.isascii():
                continue
            if sign.isalpha() and sign not in _NO_LETTERS:
                letters[sign] += 1
            elif _is_undefined(sign) or (sign not in _JOINERS and _is_within(text, place)):
                misplaced += 1
    return _Letters(letters, misplaced)


def _is_undefined(sign: str) -> bool:
    """Whether a byte is undefined in a code page, or a control character."""
    return sign == "\ufffd" or "\x80" <= sign <= "\x9f"


def _is_within(text: str, place: int) -> bool:
    """Whether a character has letters on both sides."""
    return 0 < place < len(text) - 1 and text[place - 1].isalpha() and text[place + 1].isalpha()


def _count_changed(words: Iterable[bytes], name: str) -> int:
    """The number of distinct words that a code page decodes differently from the usual one."""
    return len({w for w in words if w.decode(name, "replace") != w.decode(USUAL, "replace")})


# Detects East Asian and Russian code pages of short texts from their most common characters.

_MOST_BYTES = 400
_FEWEST_BYTES = 8
_GUESSES = re.compile(
    r"cp932|cp949|euc_kr|johab|gb18030|shift_jis\w*|euc_ji\w*|mac_(?:cyrillic|greek)"
)
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
_LEAST_COMMON = 0.9
_LEAST_HANGUL = 0.95
"""Chinese text decoded as Korean yields hangul for only half of its characters."""

# The common part of each double-byte code page: punctuation, kana, the more frequent Han, hangul.
_JAPANESE = re.compile(rb"[\x81-\x84\x87-\x97][\x40-\x7e\x80-\xfc]")
_CHINESE = re.compile(rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]")
_KOREAN = re.compile(rb"[\xa1-\xa3\xb0-\xc8][\xa1-\xfe]")
_HALF_WIDTH = re.compile("[\uff61-\uff9f]")
# KOI8-R has lowercase letters where Windows-1251 has capitals, and vice versa.
_KOI8_WORD = re.compile(rb"[\xb3\xe0-\xff]?[\xa3\xc0-\xdf]*|[\xb3\xe0-\xff]+")
_KOI8_CAPITAL = re.compile(rb"[\xb3\xe0-\xff][\xa3\xc0-\xdf]{2}")


def short_text_codec(content: bytes, guess: str | None) -> str | None:
    """The codec of a short text whose `guess` may be wrong; the guess itself without evidence."""
    runs = _BEYOND_ASCII.findall(content)
    beyond = sum(map(len, runs))
    if not _FEWEST_BYTES <= beyond <= _MOST_BYTES:
        return guess
    if all(map(_KOI8_WORD.fullmatch, runs)) and any(map(_KOI8_CAPITAL.match, runs)):
        return "koi8_r"
    if guess is not None and not _GUESSES.fullmatch(guess):
        return guess
    if _share(content, "cp932", _JAPANESE) >= _LEAST_COMMON:
        return "cp932"
    if guess is None or guess.startswith(("mac_", "cp932", "gb18030")):
        return guess
    if _share(content, "cp949", _KOREAN) >= _LEAST_HANGUL:
        return "cp949"
    return "gb18030" if _share(content, "gb18030", _CHINESE) >= _LEAST_COMMON else guess


def _share(content: bytes, encoding: str, common: re.Pattern[bytes]) -> float:
    """The share of common characters among the non-ASCII ones; 0 if the bytes do not decode."""
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return 0.0
    signs = [sign for sign in text if not sign.isascii()]
    if not signs or _HALF_WIDTH.search(text):
        return 0.0
    found = sum(bool(common.fullmatch(sign.encode(encoding))) for sign in signs)
    return found / len(signs)
