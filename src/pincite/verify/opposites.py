"""Does a statement use the opposite of a word of its quotes?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from pincite.text.terms import fold, stem
from pincite.verify.wording import Word

_PAIRS = {
    "en": """increase increases increased increasing rise rises rose risen rising grow grew grown
        growth gain gained higher up / decrease decreases decreased decreasing fall falls fell
        fallen falling drop drops dropped decline declined declines reduce reduced reduction
        lower down shrink;
        above exceeds exceed exceeding / below beneath;
        before prior / after following;
        more greater / less fewer;
        most / least;
        maximum max / minimum min;
        first / last;
        open opens opened opening / close closes closed closing shut shuts;
        on / off;
        left / right;
        start starts started begin begins began / stop stops stopped end ends ended;
        north northern / south southern;
        east eastern / west western;
        upper top / lower bottom;
        inside internal inner / outside external outer;
        early earlier earliest / late later latest;
        allow allowed allows permit permitted permits / forbid forbidden forbids prohibit
        prohibited prohibits ban banned deny denied;
        accept accepted accepts approve approved / reject rejected rejects refuse refused;
        true / false;
        safe / unsafe dangerous;
        valid / invalid;
        include includes included including / exclude excludes excluded excluding;
        buy buys bought purchase purchased acquire acquired / sell sells sold;
        win wins won winner / lose loses lost loser;
        positive / negative;
        hot hotter warm warmer / cold colder cool cooler;
        high highest / low lowest;
        long longer longest / short shorter shortest;
        large larger largest big bigger biggest / small smaller smallest;
        best better / worst worse;
        always / never;
        old older oldest / new newer newest young younger youngest;
        enable enables enabled / disable disables disabled;
        add adds added / remove removes removed;
        push pushed / pull pulled;
        import imports imported / export exports exported;
        majority / minority;
        support supports supported / oppose opposes opposed;
        agree agreed agrees / disagree disagreed disagrees;
        succeed succeeded success successful / fail failed failure unsuccessful;
        profit profits / loss losses;
        debit / credit;
        fast faster fastest / slow slower slowest;
        strong stronger strongest / weak weaker weakest;
        heavy heavier / light lighter;
        possible / impossible;
        legal / illegal;
        likely / unlikely;
        male men man / female women woman;
        husband / wife;
        mother / father;
        son sons / daughter daughters;
        brother / sister;
        teacher / student;
        buyer / seller;
        lender / borrower;
        landlord / tenant;
        employer / employee;
        plaintiff / defendant""",
    "de": """steigt stieg gestiegen steigen erhoht erhohen hoher zunahme / sinkt sank gesunken sinken
        senkt verringert niedriger abnahme;
        uber oberhalb / unter unterhalb;
        vor vorher / nach nachher;
        mehr / weniger;
        maximal maximum hochstens / minimal minimum mindestens;
        erste ersten erster / letzte letzten letzter;
        offnen offnet geoffnet offen auf / schliessen schliesst geschlossen zu;
        ein einschalten eingeschaltet / aus ausschalten ausgeschaltet;
        links linke linken / rechts rechte rechten;
        beginnt beginnen / endet enden;
        innen / aussen;
        erlaubt zulassig / verboten unzulassig untersagt;
        fruh fruher / spat spater;
        gross grosser / klein kleiner;
        hoch hochste / niedrig niedrigste;
        lang langer / kurz kurzer""",
    "fr": """augmente augmenter augmentation hausse / diminue diminuer diminution baisse;
        avant / apres;
        plus / moins;
        maximum maximal / minimum minimal;
        premier premiere / dernier derniere;
        ouvrir ouvre ouvert / fermer ferme;
        gauche / droite;
        autorise permis / interdit""",
}
_SWITCHED = frozenset(
    "turn turns turned turning switch switches switched switching power powered".split()
)
_BACK = 3
_AROUND_CLAIM = 4
_AROUND_QUOTE = 6


def opposite_fault(claim: Sequence[Word], quotes: Sequence[Sequence[Word]], language: str) -> str:
    """The word of the claim whose opposite its quotes use in its place; empty when there is none.

    Where the quotes use both, the one counts that stands with more of the same words.
    """
    pairs = _pairs(language)
    for place, word in enumerate(claim):
        for pair, side in _sides(claim, place, pairs):
            near = _neighbours(claim, place, _AROUND_CLAIM)
            found = [
                (len(near & _neighbours(quote, at, _AROUND_QUOTE)), other_side)
                for quote in quotes
                for at in range(len(quote))
                for other, other_side in _sides(quote, at, pairs)
                if other == pair
            ]
            best = max(found, default=(0, side))[0]
            if found and side not in {own for score, own in found if score == best}:
                return word.text
    return ""


def _sides(
    words: Sequence[Word], place: int, pairs: dict[str, tuple[tuple[int, int], ...]]
) -> tuple[tuple[int, int], ...]:
    word = words[place]
    if word.folded in ("on", "off"):
        before = words[max(0, place - _BACK) : place]
        if not any(other.folded in _SWITCHED for other in before):
            return ()
    return pairs.get(word.folded) or pairs.get(word.key, ())


def _neighbours(words: Sequence[Word], place: int, around: int) -> set[str]:
    near = [*words[max(0, place - around) : place], *words[place + 1 : place + 1 + around]]
    return {word.key for word in near if word.is_content and word.clause == words[place].clause}


@cache
def _pairs(language: str) -> dict[str, tuple[tuple[int, int], ...]]:
    """Pairs, and the side in each, of every listed word and of its stem."""
    found: dict[str, set[tuple[int, int]]] = {}
    for number, line in enumerate(_PAIRS.get(language, "").split(";")):
        for side, words in enumerate(line.split("/")):
            for word in words.split():
                for form in (fold(word), stem(fold(word), language)):
                    found.setdefault(form, set()).add((number, side))
    # What stands on both sides of a pair says nothing about it.
    return {
        form: tuple(sorted(own for own in sides if (own[0], 1 - own[1]) not in sides))
        for form, sides in found.items()
    }
