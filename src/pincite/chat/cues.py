"""Which English words point back to what was said before, and which words say little?"""

from __future__ import annotations

import re

from pincite.text.stop_words import stop_words

_DETERMINERS = "a an the this that these those my your his her its our their any some each every no"
_AUXILIARIES = """am are be been being can could did do does had has have is isn't may might must
    shall should was wasn't were will would aren't don't doesn't didn't can't won't"""
_QUESTION_WORDS = "how what what's when where which who who's whom whose why"
_PREPOSITIONS = """about after against at before between by during for from in into of on over per
    since than through to under until versus vs with within without"""
_SAY_LITTLE = """also all another available besides best better call called come different does else
    ever exactly explain find further get getting give given go going good happen happened happens
    heard help interested keep know known let like make makes many mean means mention mentioned more
    most much name named need needs new one ones only other please possible put recommend related said
    say says see show so still sure take tell thank thanks then thing things think understand use used
    using very want way well wonder wow"""
_COURTESY = """actually alright all-right awesome bye cool danke fine good gracias grazie great hello
    hey hi interesting merci nice no ok okay perfect right sorry sure thank thanks welcome wow
    yeah yes you you're"""

DETERMINERS = frozenset(_DETERMINERS.split())
AUXILIARIES = frozenset(_AUXILIARIES.split())
QUESTION_WORDS = frozenset(_QUESTION_WORDS.split())
PREPOSITIONS = frozenset(_PREPOSITIONS.split())
FUNCTION = stop_words()["en"] | DETERMINERS | AUXILIARIES | QUESTION_WORDS | PREPOSITIONS
"""Words that only hold a sentence together."""
EMPTY = FUNCTION | frozenset(_SAY_LITTLE.split())
"""Words that cannot be what a question is about."""
COURTESY = frozenset(_COURTESY.split()) | stop_words()["en"]

KINDS = (
    "actor actress album article author band book building car character city club company contract "
    "country county device director document film firm game group island language machine man manual "
    "model movie museum novel organisation organization person planet player policy president product "
    "project region report river school series show singer song sport team town university vehicle "
    "war woman writer"
).split()
"""`the company` means one that was named before."""

LEADING = re.compile(
    r"^(?:(?:and|but|so|also|then|or|well|ok|okay|now|yes|no|thanks|thank you|interesting|wow|great"
    r"|i see|hmm|please|right)\b(?!-\w)(?:[\s,.!:;]|-+(?=\s|$))*)+",
    re.IGNORECASE,
)
"""What a follow-up may begin with, and which asks nothing."""
