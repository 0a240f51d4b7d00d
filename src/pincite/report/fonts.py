"""Finds a font for each character of a PDF, which must embed all its fonts."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfbase.ttfonts import TTFError, TTFont

from pincite.errors import UsageError

FOLDERS = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/.local/share/fonts",
    "~/.fonts",
    "/System/Library/Fonts",
    "/Library/Fonts",
    "~/Library/Fonts",
    "C:/Windows/Fonts",
)
_PREFERRED = (("DejaVuSans", "DejaVuSans-Bold"), ("NotoSans-Regular", "NotoSans-Bold"))
_PACKAGED = ("Vera", "VeraBd")
"""reportlab's own fonts: Latin letters only."""
_BROAD = ("noto", "droidsansfallback", "unifont", "arialuni", "wqy", "msgothic", "malgun", "dejavu")
_MOST_FONTS = 300
"""Maximum number of system fonts opened to find characters."""
_HANGUL, _KANA, _HAN = "HYSMyeongJo-Medium", "HeiseiMin-W3", "STSong-Light"
_BY_SCRIPT = {
    "HANGUL": _HANGUL, "HIRAGANA": _KANA, "KATAKANA": _KANA, "CJK": _HAN, "IDEOGRAPHIC": _HAN,
    "FULLWIDTH": _HAN,
}  # fmt: skip
_VIEWERS = {_HANGUL: "Korean", _KANA: "Japanese", _HAN: "Chinese"}
_LAST_OF_CID = 0xFFFF
_UNJOINED = (
    "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA",
    "MALAYALAM", "SINHALA", "KHMER", "MYANMAR", "TIBETAN",
)  # fmt: skip
"""Scripts that need shaping, which is not supported here."""
_NAMED = 8


class Fonts:
    """Chooses a font for each character, and records characters without a font.

    `chosen` are font files that take precedence over the system's. Raises UsageError for bad ones.
    """

    def __init__(self, chosen: Sequence[Path] = (), folders: Sequence[str] = FOLDERS) -> None:
        self._folders = folders
        self._system: Iterator[str] | None = None
        self._of: dict[str, str] = {}
        self._found: list[tuple[str, frozenset[int]]] = []
        for path in chosen:
            if not self._open(path):
                raise UsageError(f"{path}: is not a TrueType font that can be embedded in a PDF")
        self.regular, self.bold = self._base()
        self._bold = dict(self._found)[self.bold]
        self._missing: dict[str, list[str]] = {}
        self._viewers: dict[str, None] = {}
        self._unjoined: dict[str, None] = {}

    def runs(self, text: str, *, bold: bool = False) -> list[tuple[str, str]]:
        """The text split into runs of one font: (font name, characters)."""
        visible = [char for char in text if unicodedata.category(char) != "Cf"]
        chosen = [(self._choose(char, bold=bold), char) for char in visible]
        # Characters without a font are shown as "?".
        shown = [(font or self.regular, char if font else "?") for font, char in chosen]
        return [
            (font, "".join(char for _, char in group))
            for font, group in groupby(shown, key=lambda item: item[0])
        ]

    def notices(self) -> list[str]:
        """Notices about characters that the file cannot show."""
        notices = []
        if self._missing:
            scripts = "; ".join(_named(chars) for chars in list(self._missing.values())[:_NAMED])
            more = f" and {len(self._missing) - _NAMED} more" if len(self._missing) > _NAMED else ""
            notices.append(
                f"no font here has these characters, which are shown as '?': {scripts}{more}. Reports "
                "in HTML, DOCX and Markdown have them; for PDF install a font that has them, or name "
                "one with --font"
            )
        if self._viewers:
            languages = ", ".join(_VIEWERS[font] for font in self._viewers)
            notices.append(
                f"{languages} characters depend on the fonts of the program that shows the PDF, since "
                "no font here has them; some programs leave them blank"
            )
        if self._unjoined:
            notices.append(
                f"{', '.join(self._unjoined)} letters are not joined in the PDF; HTML and DOCX show "
                "them correctly"
            )
        return notices

    def _choose(self, char: str, *, bold: bool) -> str:
        if bold and ord(char) in self._bold:
            return self.bold
        if char not in self._of:
            self._of[char] = self._look_for(char)
        return self._of[char]

    def _look_for(self, char: str) -> str:
        script = unicodedata.name(char, "").partition(" ")[0]
        for name, characters in self._found:
            if ord(char) in characters:
                return self._noting_script(name, script)
        while self._open_next():
            name, characters = self._found[-1]
            if ord(char) in characters:
                return self._noting_script(name, script)
        if script in _BY_SCRIPT and ord(char) <= _LAST_OF_CID:
            self._viewers[_BY_SCRIPT[script]] = None
            registerFont(UnicodeCIDFont(_BY_SCRIPT[script]))
            return _BY_SCRIPT[script]
        self._missing.setdefault(script, []).append(char)
        return ""

    def _noting_script(self, font: str, script: str) -> str:
        if script in _UNJOINED:
            self._unjoined[script.capitalize()] = None
        return font

    def _base(self) -> tuple[str, str]:
        for pair in (*_PREFERRED, _PACKAGED):
            paths = [self._named(name) for name in pair]
            if all(path is not None and self._open(path) for path in paths):
                return pair[0], pair[1]
        raise UsageError("reportlab lacks its own fonts: install pincite[report] again")

    def _named(self, name: str) -> Path | None:
        """A font file by name, from reportlab or the system's folders."""
        if name in _PACKAGED:
            return Path(f"{name}.ttf")
        return next((Path(p) for p in _font_files(self._folders) if Path(p).stem == name), None)

    def _open_next(self) -> bool:
        """Open one more system font; False if there are no more."""
        if self._system is None:
            files = sorted(_font_files(self._folders), key=_breadth)
            self._system = iter(files[:_MOST_FONTS])
        return any(self._open(Path(path)) for path in self._system)

    def _open(self, path: Path) -> bool:
        if path.stem in dict(self._found):
            return False
        try:
            font = TTFont(path.stem, str(path))
        except (TTFError, OSError, ValueError, KeyError, IndexError):
            return False
        registerFont(font)
        self._found.append((path.stem, frozenset(font.face.charToGlyph)))
        return True


def _font_files(folders: Sequence[str]) -> list[str]:
    found = []
    for folder in folders:
        for place, _, names in os.walk(os.path.expanduser(folder)):  # noqa: PTH111  (a string)
            found += [
                os.path.join(place, name)
                for name in names
                if name.lower().endswith((".ttf", ".ttc"))
            ]
    return sorted(found)


def _breadth(path: str) -> tuple[bool, bool, str]:
    """Sort key: fonts with many characters first, regular ones before bold and italic."""
    name = Path(path).stem.lower()
    is_narrow = not any(known in name for known in _BROAD)
    return is_narrow, "bold" in name or "italic" in name or "oblique" in name, path


def _named(chars: Sequence[str]) -> str:
    """`U+0924 DEVANAGARI LETTER TA and 12 more`."""
    first = f"U+{ord(chars[0]):04X} {unicodedata.name(chars[0], 'without a name')}"
    return first if len(chars) == 1 else f"{first} and {len(chars) - 1} more"
