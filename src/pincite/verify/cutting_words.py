"""The small words at which a sentence can be cut, in each language.

They are kept apart by language since they look alike: "die" is an article in German, "war" a verb.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CuttingWords:
    """Folded words of one language.

    `articles`, and `light` words such as "that" and "also", may be left out or put in anywhere.
    `joining` words begin or end what they join; `leading` ones may be left out in front of a
    statement, with the pronouns of which it names the subject. What `paired` words lead to is not
    whole before the "and". An event, told in the `past`, may lose what `place_or_time` words begin,
    but not where a `selecting` word, or one that ends as `superlatives` do, says that it holds of a
    part ("was the only town in Ohio"). Words `within` may stand for each other.
    """

    articles: frozenset[str] = frozenset()
    light: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset()
    pronouns: frozenset[str] = frozenset()
    paired: frozenset[str] = frozenset()
    past: frozenset[str] = frozenset()
    place_or_time: frozenset[str] = frozenset()
    selecting: frozenset[str] = frozenset()
    superlatives: tuple[str, ...] = ()
    within: frozenset[str] = frozenset()


def cutting_words(language: str) -> CuttingWords:
    """Those of a language (ISO 639-1); none for one that is not known here."""
    return _OF.get(language, _NONE)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_NONE = CuttingWords()
_OF = {
    "en": CuttingWords(
        articles=_set("a an the"),
        light=_set("that also"),
        joining=_set("and but while whereas although though"),
        leading=_set("also who which"),
        pronouns=_set("he she it they this these"),
        paired=_set("both between either"),
        past=_set("was were had"),
        place_or_time=_set(
            """in at on by after before during from since following near throughout despite alongside
            when where"""
        ),
        selecting=_set(
            """only first last most least best worst all every each any no not never none nobody
            nothing same"""
        ),
        superlatives=("est",),
        within=_set("in at on within"),
    ),
    "de": CuttingWords(
        articles=_set("der die das den dem des ein eine einen einem einer eines"),
        light=_set("dass auch"),
        joining=_set("und aber wahrend jedoch sondern"),
        leading=_set("auch"),
        pronouns=_set("er sie es dieser diese dieses"),
        paired=_set("sowohl zwischen entweder"),
        past=_set("wurde wurden war waren hatte hatten"),
        place_or_time=_set("in im an am auf bei nach vor seit wahrend aus von"),
        selecting=_set(
            "nur einzige einziger einziges erste letzte alle jeder jede kein keine nicht nie niemals"
        ),
        superlatives=("ste", "sten", "ster", "stes"),
        within=_set("in im an am"),
    ),
    "fr": CuttingWords(
        articles=_set("le la les l un une des du"),
        light=_set("que aussi"),
        joining=_set("et mais tandis"),
        leading=_set("aussi qui"),
        pronouns=_set("il elle ils elles ce ceci cela"),
        paired=_set("entre"),
    ),
    "es": CuttingWords(
        articles=_set("el la los las un una unos unas"),
        light=_set("que tambien"),
        joining=_set("y e pero mientras"),
        leading=_set("tambien"),
        pronouns=_set("el ella ello ellos ellas esto"),
        paired=_set("entre"),
    ),
    "it": CuttingWords(
        articles=_set("il lo la i gli le un uno una l"),
        light=_set("che anche"),
        joining=_set("e ed ma mentre"),
        leading=_set("anche"),
        pronouns=_set("egli ella esso essi esse"),
        paired=_set("tra fra"),
    ),
}
