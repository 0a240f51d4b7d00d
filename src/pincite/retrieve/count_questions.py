"""Recognises questions about the whole collection, and what they want counted.

The rules prefer to miss one: "How many bolts does the flange have?" is answered by one sentence,
"How many documents mention bolts?" only by all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pincite.errors import UsageError
from pincite.records.counts import SurveyRequest
from pincite.text.mentions import words_of

# How people ask about a whole collection, in four languages.

THINGS = {
    "en": r"(?:documents|files|texts|sources|pages|pdfs)",
    "de": r"(?:dokumenten?|dateien|texten?|quellen|seiten|unterlagen|pdfs)",
    "fr": r"(?:documents|fichiers|textes|sources|pages|pdfs)",
    "es": r"(?:documentos|archivos|ficheros|textos|fuentes|páginas|pdfs)",
}
"""Words for documents of any kind."""

KINDS = {
    "en": r"(?:reports?|papers?|articles?|manuals?|contracts?|policies|policy|letters?|e-?mails?|"
    r"invoices?|notes?|minutes|memos?|presentations?|spreadsheets?|books?|chapters?|sections?|"
    r"guides?|procedures?|sops?|logs?|records?|leases?|agreements?)",
    "de": r"(?:berichten?|aufsätzen?|artikeln?|handbüchern?|verträgen?|richtlinien|briefen?|"
    r"e-?mails?|rechnungen|protokollen?|präsentationen|büchern?|kapiteln?|anleitungen)",
    "fr": r"(?:rapports?|articles?|manuels?|contrats?|lettres?|courriels?|factures?|notes?|"
    r"présentations?|livres?|chapitres?|guides?|procédures?)",
    "es": r"(?:informes?|artículos?|manuales|contratos?|cartas?|correos?|facturas?|notas?|"
    r"presentaciones|libros?|capítulos?|guías?|procedimientos?)",
}
"""Kinds of documents; counting words cannot distinguish them."""

MENTION = {
    "en": r"(?:mention(?:s|ed|ing)?|refer(?:s|red|ring)? to|name[sd]?|cite[sd]?|"
    r"(?:contain|use|have|include)s?(?: the)? (?:words?|phrase|term|expression|name|text)|"
    r"(?:with|containing|using|including) the (?:words?|phrase|term|expression|name|text)|"
    r"talk(?:s|ing)? about|speaks? of)",
    "de": r"(?:erwähnen|nennen|verweisen auf|sprechen von)",
    "fr": r"(?:mentionnent|citent|nomment|évoquent|font référence à|parlent (?:de|du|des))",
    "es": r"(?:mencionan|citan|nombran|hablan (?:de|del|sobre)|se refieren a)",
}
"""Verbs that ask for the words themselves."""

CONTAIN = {
    "en": r"(?:contain(?:s|ing)?|include[sd]?|including|discuss(?:es|ing)?|cover(?:s|ing)?|"
    r"deals? with|dealing with|(?:are |is )?(?:about|on)|(?:say|says) (?:something|anything) about|"
    r"describe[sd]?|concern(?:s|ing)?|related? to|with)",
    "de": r"(?:enthalten|behandeln|beschreiben|handeln von|über|zu|mit)",
    "fr": r"(?:contiennent|traitent (?:de|du|des)|décrivent|concernent|sur)",
    "es": r"(?:contienen|tratan (?:de|del|sobre)|describen|sobre)",
}
"""Verbs that may ask for the words, or also for the same meaning in other words."""

_OF_MINE = r"(?: of (?:the|my|our|these))?"
_IN_ALL = (
    r"(?: in (?:all |any of )?(?:the |my |our |these )?"
    r"(?:documents|files|collection|library|texts))"
)

DOCUMENTS = {
    "en": (
        rf"how many{_OF_MINE} THING (?:are there(?: (?:that|which))? )?VERB SUBJECT",
        rf"(?:which|what){_OF_MINE} THING (?:all )?VERB SUBJECT",
        r"(?:please )?(?:list|show|find|give|name|get|enumerate)(?: me)?(?: all| every| each| any)?"
        r"(?: of)?(?: the| my| our)? THING(?: (?:that|which))? VERB SUBJECT",
        r"(?:count|number of)(?: all)?(?: the| my| our)? THING(?: (?:that|which))? VERB SUBJECT",
        rf"(?:in|on) (?:how many|which|what){_OF_MINE} THING (?:is|are|was|were) SUBJECT"
        r" (?:mentioned|named|found|referred to|cited|used|discussed)",
        rf"(?:in|on) (?:how many|which|what){_OF_MINE} THING (?:do|does|did) SUBJECT"
        r" (?:appear|occur|stand|come up)",
    ),
    "de": (
        r"wie viele (?:der |meiner |unserer )?THING VERB SUBJECT",
        r"welche (?:der |meiner |unserer )?THING VERB SUBJECT",
        r"(?:liste|zeige?|nenne|finde|zähle)(?: mir)?(?: alle)? THING(?: auf)?,? die SUBJECT"
        r" (?:erwähnen|nennen|enthalten)(?: auf)?",
        r"(?:in|auf) (?:wie vielen|welchen) THING (?:wird|werden|ist|sind) SUBJECT"
        r" (?:erwähnt|genannt|zu finden)",
        r"(?:in|auf) (?:wie vielen|welchen) THING (?:kommt|kommen) SUBJECT vor",
        r"(?:in|auf) (?:wie vielen|welchen) THING (?:steht|stehen)"
        r" (?=[\"„“«]|das wort |der begriff |die worte )SUBJECT",
    ),
    "fr": (
        r"combien de THING VERB SUBJECT",
        r"quel(?:le)?s THING VERB SUBJECT",
        r"(?:liste[rz]?|montre[rz]?|trouve[rz]?|donne[rz]?)(?:-moi)?(?: tous| toutes)?(?: les)?"
        r" THING qui VERB SUBJECT",
        r"dans (?:combien de|quel(?:le)?s) THING SUBJECT"
        r" (?:est|sont)[ -](?:il|elle)s? (?:mentionnée?s?|citée?s?|nommée?s?)",
        r"dans (?:combien de|quel(?:le)?s) THING (?:figure(?:nt)?|appara[iî]t|apparaissent|"
        r"trouve-t-on|se trouve(?:nt)?) SUBJECT",
    ),
    "es": (
        r"cu[aá]nt[oa]s (?:de (?:los|las) )?THING VERB SUBJECT",
        r"(?:qu[eé]|cu[aá]les) THING VERB SUBJECT",
        r"(?:lista|listar|enumera|muestra|encuentra)(?:me)?(?: todos| todas)?(?: los| las)?"
        r" THING que VERB SUBJECT",
        r"en (?:cu[aá]nt[oa]s|qu[eé]) THING se (?:menciona|mencionan|cita|citan|nombran?) SUBJECT",
        r"en (?:cu[aá]nt[oa]s|qu[eé]) THING (?:aparecen?|figuran?) SUBJECT",
    ),
}
"""Questions that ask for documents."""

MENTIONS = {
    "en": (
        r"(?:how often|how many times) (?:is|are|was|were) SUBJECT"
        rf" (?:mentioned|named|referred to|cited){_IN_ALL}?",
        rf"(?:how often|how many times) (?:do|does) SUBJECT (?:appear|occur|come up){_IN_ALL}",
        r"(?:how often|how many times) (?:do|does) (?:the )?(?=[\"“]|word |phrase |term )SUBJECT"
        r" (?:appear|occur|come up)",
        r"(?:how many|count|number of|list|show|find)(?: me)?(?: all)?(?: the)?"
        rf" (?:mentions?|occurrences?) of SUBJECT(?: (?:are|is) there)?{_IN_ALL}?",
        rf"where (?:all )?(?:is|are) SUBJECT mentioned{_IN_ALL}?",
    ),
    "de": (
        r"wie oft (?:wird|werden) SUBJECT (?:erwähnt|genannt)",
        r"wo (?:überall )?(?:wird|werden) SUBJECT erwähnt",
    ),
    "fr": (
        r"combien de fois SUBJECT (?:est|sont)[ -](?:il|elle)s? (?:mentionnée?s?|citée?s?)",
        r"où SUBJECT (?:est|sont)[ -](?:il|elle)s? (?:mentionnée?s?|citée?s?)",
    ),
    "es": (
        r"cu[aá]ntas veces se (?:menciona|mencionan|cita|citan|nombran?) SUBJECT",
        r"d[oó]nde se (?:menciona|mencionan|cita|citan|nombran?) SUBJECT",
    ),
}
"""Questions that ask for places in them."""

_FILED = (
    r"(?:documents|files|pdfs|reports|papers|articles|manuals|contracts|policies|e-?mails|"
    r"invoices|presentations|spreadsheets|procedures|sops|leases|agreements)"
)
_ABGELEGT = (
    r"(?:dokumente|dateien|pdfs|berichte|artikel|handbücher|verträge|richtlinien|e-?mails|"
    r"rechnungen|präsentationen)"
)
_CLASSES = (
    r"(?:documents|fichiers|rapports|articles|manuels|contrats|courriels|factures|présentations|"
    r"procédures)"
)
_ARCHIVADOS = (
    r"(?:documentos|archivos|informes|artículos|manuales|contratos|correos|facturas|"
    r"presentaciones|procedimientos)"
)
# "Which documents are needed?" asks for papers that are not in the library.
_NEEDED = (
    r"(?:do|does|did|can|should|must|shall|may|need|apply|to)\b|"
    r"(?:\w+ ){0,2}(?:needed|required|necessary|submitted|provided)\b"
)
_BENOETIGT = (
    r"(?:muss|müssen|brauch|benötig|darf|dürfen|soll|kann|können)|"
    r"(?:\w+ ){0,3}(?:nötig|notwendig|erforderlich|einzureichen|vorzulegen)\b"
)

ENUMERATIONS = (
    # "Which policies cover dental treatment?" asks for insurance.
    rf"(?:how many|which(?! policies)){_OF_MINE} {_FILED} (?!{_NEEDED})\w+",
    rf"(?:what is |what’s |what's )?the (?:total )?number of{_OF_MINE}(?: all)? {_FILED}",
    r"(?:please )?(?:list|enumerate|name|count) (?:me )?(?:all|every|each)",
    r"(?:give|show) me (?:a list of )?(?:all|every|each)",
    rf"(?:wie viele|welche) {_ABGELEGT} (?!{_BENOETIGT})\w+",
    rf"combien de {_CLASSES} (?!faut|dois|doit|doivent|peut)\w+",
    rf"quel(?:le)?s {_CLASSES} (?!faut|dois|doit|doivent|peut|sont (?:nécessaires|requis))\w+",
    rf"(?:cuánt[oa]s|qué) {_ARCHIVADOS} (?!deb|hay que|puede|necesit|se (?:necesit|requier))\w+",
    r"(?:liste|nenne|zähle)(?: mir)? alle",
    r"(?:liste[rz]?|énumère[rz]?) (?:tous|toutes)",
    r"(?:lista|enumera)(?:me)? (?:todos|todas)",
    r"(?:in|auf) wie vielen (?:der |meiner |unserer )?(?:dokumenten?|dateien|unterlagen)",
    r"dans combien de (?:documents|fichiers)",
    r"en cu[aá]nt[oa]s (?:documentos|archivos|ficheros)",
    r"in quanti (?:documenti|file)",
    r"em quantos (?:documentos|arquivos|ficheiros)",
    r"in hoeveel (?:documenten|bestanden)",
    r"w ilu (?:dokumentach|plikach)",
    r"(?:в скольких (?:документах|файлах)|сколько (?:документов|файлов) (?:упомина|содерж))\w*",
)
"""Beginnings of questions that ask for all of something that a search for words cannot find."""

BOTH = r"^(?:both|sowohl|à la fois|tanto) "
"""Introduces two joined things."""

AND = r" (?:and|as well as|und|sowie|als auch|et|ainsi que|y|e|como) "
"""Joins things that a document may mention separately."""

CHOICE = (
    r"\b(?:or|n?either|nor|(?:but |and )?not|without|except|more than|at least|once|twice|"
    r"oder|weder|aber nicht|nicht|ohne|außer|mehr als|mindestens|ou|ni|mais pas|sans|sauf|plus de|"
    r"pero no|sin|excepto|más de)\b"
)
"""Turns words into a condition whose parts would have to be counted one by one."""


_LONGEST = 500
"""Longest question, in characters, that is checked for these forms."""

_QUOTED = re.compile(r'["“„«‹\'‘](?P<words>[^"“”„«»‹›]+)["”“»›\'’]')
_WORD_OF = re.compile(
    r"^(?:(?:the|das|la|le|el) )?(?:words?|phrase|term|begriff|wort|mot|palabra) ", re.IGNORECASE
)
_ARTICLE = re.compile(
    r"^(?:the|an?|any|der|die|das|den|dem|ein(?:e[nmr]?)?|le|la|les|l['’]|une?|des|du|el|los|las|"
    r"un[ao]?s?)(?:(?<=['’])|\s+)",
    re.IGNORECASE,
)
_BOTH = re.compile(BOTH, re.IGNORECASE)
_AND = re.compile(AND, re.IGNORECASE)
_CHOICE = re.compile(CHOICE, re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    pattern: re.Pattern[str]
    wanted: Literal["documents", "mentions"]
    is_certain: bool


def survey_request(question: str) -> SurveyRequest | None:
    """What a question wants counted over the collection; None for an ordinary question.

    The subject is empty when the question asks for all of something that a search for words cannot
    find ("How many policies were changed?").
    """
    if len(question) > _LONGEST:
        return None
    for rule in _RULES:
        found = rule.pattern.fullmatch(question.strip())
        if found is None:
            continue
        subject, is_exact = _subject(found["subject"])
        if words_of(subject):
            is_condition = not is_exact and _CHOICE.search(subject) is not None
            is_joined = not is_exact and _AND.search(subject) is not None
            is_certain = is_exact or (rule.is_certain and not is_condition and not is_joined)
            kind = found.groupdict().get("kind") or ""
            return SurveyRequest(
                subject=subject,
                wanted=rule.wanted,
                is_exact=is_exact,
                is_certain=is_certain,
                is_condition=is_condition,
                limits=tuple(_limits(subject, kind, is_certain=is_certain)),
            )
    if any(pattern.match(question) for pattern in _ENUMERATIONS):
        return SurveyRequest(subject="", is_certain=False)
    return None


def count_request(words: str) -> SurveyRequest:
    """The request to count `words`. Raises UsageError when there are none."""
    subject, is_exact = _subject(words)
    if not words_of(subject):
        raise UsageError(f"{words!r} has no words to count; give some, such as 'relief valve'")
    is_condition = not is_exact and _CHOICE.search(subject) is not None
    limits = (f"'{subject}' was counted literally; count one thing at a time",)
    return SurveyRequest(
        subject=subject,
        is_exact=is_exact,
        is_condition=is_condition,
        limits=limits if is_condition else (),
    )


def _limits(subject: str, kind: str, *, is_certain: bool) -> Iterator[str]:
    if kind:
        yield (
            f"counted in all documents: the words do not show which are {kind.lower()}; narrow the "
            "count with a collection, --document or --tag"
        )
    if not is_certain:
        yield f"only the words '{subject}' were counted; the same thing in other words was not"


def _subject(written: str) -> tuple[str, bool]:
    """The words to look for, and whether they were quoted."""
    bare = " ".join(written.strip(" ?.!,;:¿¡\t\n").split())
    for words in (bare, _WORD_OF.sub("", bare)):
        if quoted := _QUOTED.fullmatch(words):
            return quoted["words"].strip(), True
    plain = _ARTICLE.sub("", _WORD_OF.sub("", bare)).strip()
    return (_BOTH.sub("", plain) if _AND.search(plain) else plain), False


def _rules() -> Iterator[_Rule]:
    for language, things in THINGS.items():
        either = rf"(?:{things}|(?P<kind>{KINDS[language]}))"
        for form in MENTIONS[language]:
            yield _Rule(pattern=_compiled(form), wanted="mentions", is_certain=True)
        for form in DOCUMENTS[language]:
            sure = form.replace("THING", either).replace("VERB", MENTION[language])
            yield _Rule(pattern=_compiled(sure), wanted="documents", is_certain=True)
            if "VERB" in form:
                unsure = form.replace("THING", things).replace("VERB", CONTAIN[language])
                yield _Rule(pattern=_compiled(unsure), wanted="documents", is_certain=False)


def _compiled(form: str) -> re.Pattern[str]:
    pattern = form.replace("SUBJECT", r"(?P<subject>\S.*?)").replace(" ", r"\s+")
    return re.compile(rf"[¿¡\s]*{pattern}[\s?.!]*", re.IGNORECASE | re.DOTALL)


_RULES = tuple(_rules())
_ENUMERATIONS = tuple(
    re.compile(rf"[¿¡\s]*{form}\b".replace(" ", r"\s+"), re.IGNORECASE) for form in ENUMERATIONS
)
