"""Letters of symbol fonts, which mean other signs than their codes say, as Unicode."""

from __future__ import annotations

from collections.abc import Mapping

_UNKNOWN = "\ufffd"
_PRIVATE = 0xF000

# Adobe's Symbol encoding, sixteen codes a line from 0x20 on; a blank where the font has no sign.
_SYMBOL_FROM_20 = (
    " !∀#∃%&∋()∗+,−./"
    "0123456789:;<=>?"
    "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟ"
    "ΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_"
    "‾αβχδεφγηιϕκλμνο"
    "πθρστυϖωξψζ{|}∼ "
)
_SYMBOL_FROM_A0 = (
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓"
    "°±″≥×∝∂•÷≠≡≈…|―↵"
    "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉"
    "∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓"
    "◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪"
    " 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭ "
)
_WINGDINGS = {
    **{0x21: "✏", 0x22: "✂", 0x28: "☎", 0x2A: "✉", 0x36: "⌛", 0x3E: "✇", 0x3F: "✍", 0x41: "✌"},
    **{0x43: "👍", 0x44: "👎", 0x45: "☜", 0x46: "☞", 0x47: "☝", 0x48: "☟", 0x4A: "☺", 0x4C: "☹"},
    **{0x4E: "☠", 0x4F: "⚐", 0x52: "☼", 0x54: "❄", 0x6C: "●", 0x6E: "■", 0x6F: "☐", 0x71: "❑"},
    **{0x74: "⬧", 0x75: "◆", 0x76: "❖", 0x77: "⬥", 0x78: "☒", 0x9F: "•", 0xA1: "○", 0xA7: "▪"},
    **{0xA8: "☐", 0xAB: "★", 0xD8: "➢", 0xDC: "➲", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓"},
    **{0xE8: "➔", 0xEF: "⇦", 0xF0: "⇨", 0xF1: "⇧", 0xF2: "⇩", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒"},
    **{0xFE: "☑", 0x20: " "},
    **{0x80 + number: sign for number, sign in enumerate("⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿")},
}
_WINGDINGS_2 = {
    **{0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0xA3: "☐", 0x20: " "},
    **{0x95: "•", 0x96: "●", 0x97: "●", 0x98: "⬤", 0xA0: "▪", 0xA1: "■"},
}
_WEBDINGS = {0x61: "✓", 0x63: "☐", 0x72: "✗", 0x67: "■", 0x6E: "●", 0x20: " "}


def _signs(first: int, signs: str) -> dict[int, str]:
    return {first + place: sign for place, sign in enumerate(signs) if sign != " "}


_FONTS: Mapping[str, Mapping[int, str]] = {
    "symbol": {0x20: " ", **_signs(0x20, _SYMBOL_FROM_20), **_signs(0xA0, _SYMBOL_FROM_A0)},
    "wingdings": _WINGDINGS,
    "wingdings 2": _WINGDINGS_2,
    "webdings": _WEBDINGS,
}


def is_symbol_font(font: str | None) -> bool:
    """Whether the letters of a font are other signs than their codes say."""
    return (font or "").strip().lower() in _FONTS


def symbol(code: int, font: str | None) -> str:
    """The sign of a code in a font; U+FFFD if Unicode has no sign for it, or none is known."""
    signs = _FONTS.get((font or "").strip().lower())
    plain = code - _PRIVATE if _PRIVATE <= code <= _PRIVATE + 0xFF else code
    if signs is not None and plain <= 0xFF:
        return signs.get(plain, _UNKNOWN)
    if 0xE000 <= code <= 0xF8FF or not 32 <= code < 0xD800:
        return _UNKNOWN
    return chr(code)


def in_symbol_font(text: str, font: str | None) -> str:
    """A text as a font shows it; texts in other fonts are unchanged."""
    if not is_symbol_font(font):
        return text
    return "".join(symbol(ord(sign), font) for sign in text)
