"""Flags text in a document that may be meant to deceive; the document is not changed."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from pincite.records.document import Document, Flag, FlagKind, Range

_MOST_ORDERS = 50
_SHOWN_CHARS = 120


def with_flags(document: Document) -> Document:
    """The document with the findings of `inspect` added to its flags."""
    found = inspect(document)
    return replace(document, flags=(*document.flags, *found)) if found else document


def inspect(document: Document) -> tuple[Flag, ...]:
    """Flags prompt injections and invisible characters."""
    return (*_orders(document), *_invisible(document))


def _orders(document: Document) -> Iterator[Flag]:
    places = find_orders(document.text)
    for number, (start, end) in enumerate(places[:_MOST_ORDERS], start=1):
        words = " ".join(document.text[start:end].split())
        detail = f'"{words[:_SHOWN_CHARS]}"'
        if number == _MOST_ORDERS < len(places):
            detail += f", and {len(places) - number} more"
        yield Flag(
            kind=FlagKind.INSTRUCTION,
            detail=detail,
            start=start,
            end=end,
            page=_page(document, start),
        )


def _invisible(document: Document) -> Iterator[Flag]:
    for found in find_invisible(document.text):
        start, end = found.first
        yield Flag(
            kind=FlagKind.INVISIBLE_CHARACTERS,
            detail=f"{found.count} {found.what}",
            start=start,
            end=end,
            page=_page(document, start),
        )


def _page(document: Document, position: int) -> int | None:
    at = bisect_right(document.pages, position, key=lambda page: page.start) - 1
    return document.pages[at].number if at >= 0 else None


# Finds invisible characters without a typographic purpose: they may carry a hidden message.

_ZERO_WIDTH = "\u200b-\u200d\u2060-\u2064\ufeff\u180e\u115f\u1160\u3164\uffa0"
_SUSPECT = re.compile(
    f"[{_ZERO_WIDTH}]+|[\u202d\u202e]+|[\u200e\u200f\u202a\u202b\u2066-\u2069]+"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}|[\U000e0000-\U000e007f]+"
    "|[\ue000-\uf8ff\U000f0000-\U0010fffd]{24,}"
)
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff]")
_LONGEST_ORDINARY_RUN = 2
_TAG_SHIFT = 0xE0000
_SPELLED_CHARS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Invisible:
    """Characters of one kind: how many, where the first ones are, and what they spell."""

    what: str
    count: int
    first: Range


def find_invisible(text: str) -> list[Invisible]:
    """One entry for each kind of suspicious characters, in order of first occurrence."""
    if text.isascii():
        return []
    counts: dict[str, int] = {}
    firsts: dict[str, Range] = {}
    spelled = ""
    directions_are_needed = _RIGHT_TO_LEFT.search(text) is not None
    for match in _SUSPECT.finditer(text):
        sort = _sort(text, *match.span(), directions_are_needed=directions_are_needed)
        if sort:
            counts[sort] = counts.get(sort, 0) + len(match[0])
            firsts.setdefault(sort, match.span())
            if sort == _TAGS and len(spelled) < _SPELLED_CHARS:
                spelled += "".join(_spelled(match[0]))
    return [
        Invisible(
            what=f"{sort} that spell {spelled[:_SPELLED_CHARS]!r}" if sort == _TAGS else sort,
            count=count,
            first=firsts[sort],
        )
        for sort, count in counts.items()
    ]


_TAGS = "tag characters"
_ZERO = "zero-width characters"


def _sort(text: str, start: int, end: int, *, directions_are_needed: bool) -> str:
    """The name of the kind of characters, or an empty string if their use is legitimate."""
    first = text[start]
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if first in "\u202d\u202e":
        return "characters that override the writing direction"
    if first in "\u200e\u200f\u202a\u202b" or "\u2066" <= first <= "\u2069":
        return "" if directions_are_needed else "direction marks in a text that needs none"
    if _TAG_SHIFT <= ord(first) <= _TAG_SHIFT + 0x7F:
        return "" if before == "\U0001f3f4" else _TAGS
    if "\ufe00" <= first <= "\ufe0f" or (ord(first) >= 0xE0100 and ord(first) <= 0xE01EF):
        return "variation selectors in a row"
    if unicodedata.category(first) == "Co":
        return "private use characters in a row"
    if end - start > _LONGEST_ORDINARY_RUN:
        return _ZERO
    # A single one is harmless next to a space; within a word it hides the word from search.
    return _ZERO if _is_plain(before) and _is_plain(after) else ""


def _is_plain(sign: str) -> bool:
    """Whether it is a Latin, Greek or Cyrillic letter: these scripts need no invisible joiners."""
    return sign.isalpha() and (sign < "\u0530" or "\u1e00" <= sign <= "\u1fff")


def _spelled(tags: str) -> Iterator[str]:
    return (chr(ord(tag) - _TAG_SHIFT) for tag in tags if 0x20 <= ord(tag) - _TAG_SHIFT < 0x7F)


# The phrases that `find_orders` searches for.

_EARLIER = "(?:previous|prior|preceding|earlier|above|foregoing|existing|original)"
_INSTRUCTIONS = "(?:instruction|prompt|direction|directive|guideline|command|constraint)s?"
_MODEL = (
    r"(?:ai|a\.i\.|llms?|(?:large )?language models?|chat ?bots?|chatgpt|gpt|claude|gemini|copilot"
    r"|ai assistants?)\b"
)

ALONE = {
    "en": (
        f"ignore|disregard|forget|override > ~{_EARLIER}~{_INSTRUCTIONS}",
        f"ignore|disregard|forget >  (?:all )?(?:of )?your~(?:{_INSTRUCTIONS}|training)",
        f"ignore|disregard|forget >  (?:all )?(?:the )?{_INSTRUCTIONS} (?:above|before|so far)",
        "reveal|print|output|repeat|leak|disclose|show me > ~system (?:prompt|message|instructions)",
        "new system > (?: prompt| instructions?) ?:",
        f"if you are >  (?:an? |the )?{_MODEL}",
        f"instructions for|instruction to|note to|message to|attention > (?: all| any| the)? {_MODEL}:",
        "you are now >  (?:dan|jailbroken|in developer mode|unrestricted)\\b",
        f"you are now >  (?:an?|my)~{_MODEL}",
        "give a positive > ~review only",
    ),
    "de": (
        "ignorier|missacht|vergiss|vergess > \\w*~(?:vorherig|bisherig|vorangehend|vorangegangen"
        "|obig|früher)\\w*~(?:anweisung|anleitung|instruktion|befehl|vorgabe)",
    ),
    "fr": (
        "ignore|oublie|ne tiens pas compte|ne tenez pas compte > [rz]?~(?:instruction|consigne"
        "|directive|ordre)s?~(?:précédent|antérieur|ci-dessus)",
    ),
    "es": (
        "ignora|ignore|olvida|olvide|haz caso omiso > r?~(?:instrucciones|órdenes|indicaciones"
        "|directrices)~(?:anteriores|previas|precedentes)",
    ),
    "it": (
        "ignora|dimentica > (?:re|te)?~(?:istruzioni|indicazioni|direttive)~(?:precedenti|anteriori)",
        "ignora|dimentica > (?:re|te)?~precedenti~(?:istruzioni|indicazioni|direttive)",
    ),
    "pt": (
        "ignore|ignora|esqueça|desconsidere > r?~(?:instruções|orientações|diretrizes|ordens)"
        "~(?:anteriores|prévias|acima)",
    ),
    "nl": (
        "negeer|vergeet > ~(?:vorige|eerdere|voorgaande|bovenstaande)~(?:instructies|opdrachten"
        "|aanwijzingen)",
    ),
    "pl": (
        "ignoruj|zignoruj|pomiń|zapomnij o > ~(?:poprzedni|wcześniejsz|powyższ)\\w*~(?:instrukcj"
        "|poleceni)",
    ),
    "ru": (
        "игнориру|проигнориру|забуд > \\w*~(?:предыдущ|прежни|вышеуказанн)\\w*~(?:инструкци|указани"
        "|команд)",
    ),
    "zh": (
        "忽略|无视|忘记|無視|忘記 > .{0,6}(?:之前|以前|上述|以上|先前|前面).{0,6}"
        "(?:指令|指示|提示|命令)",
    ),
    "ja": (
        "以前の|これまでの|上記の|先ほどの > .{0,8}(?:指示|命令|プロンプト).{0,6}(?:無視|忘れ)",
    ),
    "ko": ("이전|앞의|위의 > .{0,10}(?:지시|명령|프롬프트).{0,8}(?:무시|잊)",),
    "ar": ("تجاهل|انس > \\w*~(?:التعليمات|الأوامر|التوجيهات)~(?:السابقة|أعلاه)",),
}

NEAR_A_MODEL = {
    "en": (
        "do not|don't|never >  (?:tell|inform|alert|notify) the user",
        "without >  (?:telling|informing|alerting|notifying) the user",
        "you are now >  an?\\b",
        "from now on >  you (?:are|will|must)\\b",
        "pretend|act as > ~(?:without|no) (?:restrictions|rules|filters)",
        "ignore|disregard >  (?:all|any) (?:rules|safety|restrictions)",
    ),
    "de": ("dem nutzer|dem benutzer >  nicht", "du bist >  (?:jetzt|nun) ein"),
    "fr": (
        "ne dis|ne dites > ~l'utilisateur",
        "tu es|vous êtes >  (?:désormais|maintenant) une?\\b",
    ),
    "es": ("no digas|no le digas|no diga > ~usuario", "ahora eres >  una?\\b"),
    "it": ("non dire|non dirlo > ~utente", "ora sei >  une?\\b"),
    "pt": ("não diga|não conte|não informe > ~usuário", "agora você é >  uma?\\b"),
    "nl": ("vertel de gebruiker|vertel het de gebruiker >  niet", "je bent nu >  een"),
    "pl": ("nie mów > ~użytkownikowi", "jesteś teraz|od teraz jesteś > "),
    "ru": ("не говори|не сообщай > \\w*~пользовател", "ты теперь|теперь ты > "),
    "zh": ("不要告诉|不要告訴|不要告知|请勿告诉 > (?:用户|用戶|使用者)", "你现在是|你現在是 > "),
    "ja": ("ユーザーに > .{0,8}(?:言わない|伝えない|知らせない)", "あなたは今から > "),
    "ko": ("사용자에게 > .{0,8}말하지", "너는 이제 > "),
    "ar": ("لا تخبر > ~المستخدم", "أنت الآن > "),
}

CHAT_MARKS = (
    *("<|im_start|>", "<|im_end|>", "<|start_header_id|>", "<|eot_id|>", "<|system|>"),
    *("[inst]", "[/inst]", "<<sys>>", "<start_of_turn>"),
)
"""Delimiters between turns in chat formats, in lower case."""

ADDRESSES_A_MODEL = (
    r"\b(?:AI|A\.I\.|LLMs?|[Ll]anguage [Mm]odels?|[Cc]hat ?[Bb]ots?|ChatGPT|GPT|Claude|Gemini)\b"
    r"|\bCopilot\b|\b[Aa]ssistants?\b|\b[Pp]rompts?\b|\bKI\b|[Ss]prachmodell|\bIA\b"
    r"|[Mm]odèle de langage|[Mm]odelo de lengua|[Mm]odello linguistico|[Mm]odelo de linguagem"
    r"|[Tt]aalmodel|[Mm]odel językowy"
    r"|\bИИ\b|[Яя]зыков\w+ модел|人工智能|人工智慧|语言模型|語言模型|言語モデル|アシスタント|언어 ?모델"
    r"|الذكاء الاصطناعي"
)


# Finds sentences that give instructions to a language model, in a dozen languages.

_NEAR_CHARS = 160
_LONGEST_QUOTED_CHARS = 200
_OPENING = "\"'“‘«„‚`「『《‹"
_CLOSING = "\"'”’»“`」』》›"
# A line break or a bullet may separate two words, and emphasis markup may surround them.
_BETWEEN = r"[\s,;:*_\"'“”-]{1,4}"
_FEW_WORDS = rf"(?:{_BETWEEN}[^\W_]\w{{0,20}}){{0,4}}{_BETWEEN}"


@dataclass(frozen=True, slots=True)
class _Pattern:
    first: str
    whole: re.Pattern[str]
    alone: bool


def _compiled(line: str, *, alone: bool) -> Iterator[_Pattern]:
    """One pattern for each first word of `first|first > rest`."""
    firsts, _, rest = line.partition(" > ")
    for first in firsts.split("|"):
        expression = rest.replace("~", "\0").replace(" ", _BETWEEN).replace("\0", _FEW_WORDS)
        yield _Pattern(first, re.compile(re.escape(first) + expression), alone)


@cache
def _patterns() -> tuple[_Pattern, ...]:
    """All patterns, compiled on first use, because asking a question also imports this module."""
    return tuple(
        pattern
        for table, alone in ((ALONE, True), (NEAR_A_MODEL, False))
        for lines in table.values()
        for line in lines
        for pattern in _compiled(line, alone=alone)
    )


_ADDRESSED = re.compile(ADDRESSES_A_MODEL)


def find_orders(text: str) -> list[Range]:
    """The ranges of such instructions, in order and without overlaps."""
    small = _lowercased(text)
    found: list[Range] = []
    addressed = _Addressed(text)
    for pattern in _patterns():
        places = _places(pattern, small, text)
        found.extend(place for place in places if pattern.alone or addressed.near(place))
    for mark in CHAT_MARKS:
        found.extend((at, at + len(mark)) for at in _occurrences(small, mark))
    return _without_overlaps(found)


def _places(pattern: _Pattern, small: str, text: str) -> Iterator[Range]:
    for at in _occurrences(small, pattern.first):
        if at and pattern.first[0].isascii() and small[at - 1].isalnum():
            continue
        match = pattern.whole.match(small, at)
        if match is not None and not _is_quoted(text, *match.span()):
            yield match.span()


class _Addressed:
    """The places where a text addresses a model, found once on first use."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends: list[int] | None = None

    def near(self, place: Range) -> bool:
        """Whether a model is addressed within a few lines."""
        if self._ends is None:
            self._ends = [match.end() for match in _ADDRESSED.finditer(self._text)]
        at = bisect_left(self._ends, place[0] - _NEAR_CHARS)
        return at < len(self._ends) and self._ends[at] <= place[1] + _NEAR_CHARS


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def _is_quoted(text: str, start: int, end: int) -> bool:
    if text[max(0, start - 1) : start] not in tuple(_OPENING):
        return False
    after = text[end : end + _LONGEST_QUOTED_CHARS].partition("\n\n")[0]
    return any(sign in after for sign in _CLOSING)


def _lowercased(text: str) -> str:
    """The text in lower case at unchanged offsets, although some letters would become two."""
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(sign if len(sign.lower()) > 1 else sign.lower() for sign in text)


def _without_overlaps(ranges: list[Range]) -> list[Range]:
    kept: list[Range] = []
    for start, end in sorted(ranges):
        if kept and start < kept[-1][1]:
            kept[-1] = kept[-1][0], max(end, kept[-1][1])
        else:
            kept.append((start, end))
    return kept
