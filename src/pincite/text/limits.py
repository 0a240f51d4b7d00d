"""Does this line take something away from what stands below it: "We do not pay for:", "Exclusions"?

Told from words, in each language that questions are asked in. A line that is wrongly taken for one is
quoted once more than needed; one that is missed turns what stands below it into its opposite.
"""

from __future__ import annotations

import re
from functools import cache

from pincite.text.languages import language_of
from pincite.text.negations import without_number_signs

# What stands before a bar is looked for in texts of that language alone, since other languages have
# the same word for something else ("no" is Portuguese for "in the"). A star stands for any ending or,
# in front, for any beginning.
_WORDS = """
ar  | لا ليس ليست لم لن غير بدون إلا باستثناء *استثناء* *ممنوع* *محظور* يحظر موانع
ca  no mai cap sense ni | excepte exclo* exclòs* prohibi* contraindica*
cs  ne* bez | není nejsou kromě vyjma výjimk* vylouč* výluk* zakáz* kontraindik*
da  uden nej | ikke ingen aldrig undtag* udeluk* forbud* kontraindika*
de  nie nur | nicht kein* niemals ohne weder außer ausser ausgenommen ausnahme* *ausgeschl* *ausschl*
    kontraindi* gegenanzeige* *verbot* unzulässig*
el  | δεν μη μην χωρίς εκτός εξαιρ* εξαίρ* αποκλει* απαγορ* αντένδειξη αντενδείξ* ποτέ καμία κανένα*
en  no nor only | not never none without cannot *n't *n’t except* exclu* unless ineligib* exempt*
    contraindicat* contra-indicat* non-cover* non-includ* non-insur* non-refund* non-reimburs*
    non-eligib* prohibit* forbidden banned avoid* unsuitab* uninsured limitation*
es  no sin ni | nunca excepto exclu* excepci* salvo prohib* contraindica* ningun* ningún tampoco
fi  ei en et | eivät emme ette älä älkää ilman paitsi poikkeu* poissul* kiellet* kielt* vasta-aihe*
fr  ne n' n’ ni pas sauf sans | aucun* jamais hormis exclu* exception* interdi* contre-indi*
hi  न मत | नहीं बिना सिवाय छोड़कर अपवाद वर्जित निषिद्ध
hu  ne sem | nem nincs* kivéve kizár* kivétel* tilos ellenjaval* nélkül
hy  | չի չեն ոչ չէ չենք առանց բացի բացառ* արգել*
id  | tidak bukan tanpa kecuali pengecualian dikecualikan jangan dilarang
it  mai no | non senza eccetto salvo tranne esclus* eccezion* vietat* controindica* nessun*
nl  niets | niet geen nooit zonder behalve uitgezonderd uitzondering* *uitgesloten uitsluiting* verboden
    contra-indicatie* tenzij
no  uten nei | ikke ingen aldri unntak* unntatt uteluk* utelat* forbud* forbudt kontraindi*
pl  nie bez | oprócz wyjątk* wyjątek wyłącz* wykluc* zabron* zakaz* przeciwwskaz*
pt  sem nem | não nunca exceto excetua* exceç* exclu* salvo proib* contraindica* nenhum*
ro  nu | fără excepți* exceptând exclu* interzi* contraindica* niciun*
ru  ни | не нет без кроме исключ* искл запрещ* противопоказан* нельзя никогда
sv  ej utan | inte icke ingen inga inget aldrig undanta* uteslut* förbj* förbud* kontraindika*
ta  | ல்லை தவிர அல்ல கூடாது விலக்கு
tr  yok *maz *mez *mıyor* *miyor* *muyor* *müyor* | değil hariç dışında dışı istisna* yasak* olmayan*
vi  trừ cấm | không ngoại
"""
_WITHOUT_BLANKS = (
    "不 没 没有 未 无 除 免责 禁 ない なし ません 除く 禁止 않 없 제외 금지 ไม่ ยกเว้น ห้าม"
)
_JOINED = frozenset({"hi", "ta"})
"""Their vowel signs are no letters to a regular expression, so that a word has no edges."""


def is_limiting(line: str, around: str) -> bool:
    """Whether a line holds a negation, an exception or an exclusion; `around` tells its language."""
    plain = without_number_signs(line).casefold()
    return bool(_pattern(language_of(around)).search(plain))


@cache
def _pattern(language: str) -> re.Pattern[str]:
    own, any_text = _table()
    found = [*own.get(language, ()), *any_text]
    return re.compile("|".join(dict.fromkeys(found)))


@cache
def _table() -> tuple[dict[str, list[str]], list[str]]:
    """Patterns for texts of one language, and those for any text."""
    own: dict[str, list[str]] = {}
    any_text = [re.escape(word) for word in _WITHOUT_BLANKS.split()]
    for entry in re.split(r"\n(?=\w)", _WORDS.strip()):
        here, _, anywhere = entry.partition("|")
        language, *words = here.split()
        own[language] = [_as_pattern(word, language) for word in words]
        any_text += [_as_pattern(word, language) for word in anywhere.split()]
    return own, any_text


def _as_pattern(word: str, language: str) -> str:
    if language in _JOINED:
        return re.escape(word)
    bare = word.strip("*")
    before = r"\b\w+" if word.startswith("*") and not bare[0].isalpha() else r"(?<!\w)"
    before = r"(?<!\w)\w*" if word.startswith("*") else before
    # "Non-disclosure agreement", "no-claims discount": a name, and nothing is taken away.
    after = "" if word.endswith(("*", "'", "’")) else r"(?!\w| ?- ?\w)"
    return f"{before}{re.escape(bare)}{after}"
