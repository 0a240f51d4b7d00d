"""Words that decide whether a full stop ends a sentence."""

from __future__ import annotations

ORDINARY = frozenset(
    """accent acres ago aims all arcade arrows backs bail bank bat bed bee bets black bleak bold bond
    book broad bull bus call can cancer car cent century chaos chase chest chip civilization cliff
    climb coal code cold consume cow cranes crazy day depot deserved dig disc divide drunk enter
    enters equal faded fin fish flag flip flourish found free galaxies galleries hall hand hard
    helper highs holidays horse how human ill invaders joke just knees lab lack laughter lead leaps
    leg life lit lock low luck mass mess met mills misplaced miss month mum nonsense nor oils onwards
    overt parade park pen penny pet pick pin pop port pub quantified rash raw rehab reporter reports
    rest rich roll rounds row ruined sand sane sat saw scam scandal scatter sent series sick sleep
    south splash stake stars stock story sum sun super tables tale talent tasks tax ten thanks thinner
    trench vain vet victories walk wall wash wave week west wheat wheel whites will win wings woods
    works yard yet lid box bag key map file page line list text user data time date name type mode host
    site test tool""".split()
)
"""English words that the trained splitter takes for abbreviations, and that seldom are."""

UNITS = (
    "kg mg km cm mm ml kW kWh MHz GHz kHz Hz bar psi Nm sec hr hrs min mins ppm °C °F"
    " h л г кг м км см мм"
).split()

MONTHS = frozenset(
    """januar jänner jan februar feber feb märz mär april apr mai juni jun juli jul august aug
    september sept sep oktober okt november nov dezember dez""".split()
)
NUMBERED = frozenset(
    """absatz abschnitt abteilung akt artikel auflage ausgabe band bezirk etage gang generation
    geburtstag geschoss grad gruppe halbjahr halbzeit hälfte instanz jahr jahrestag
    jahrhundert jahrtausend kalendertag kalenderwoche kapitel klasse kw kreis lebensjahr
    lebensmonat liga mahnung mal mann monat nachtrag obergeschoss person platz preis punkt
    quartal rate rang reihe runde satz schritt semester sitzung spalte spieltag spur staffel
    stelle stock stockwerk strophe stufe stunde tag teil termin tisch untergeschoss version
    versuch vers verwarnung weltkrieg werktag wiederholung woche zeile zug zylinder""".split()
)
"""German words behind a number with a full stop, which is an ordinal: "zum 3. Werktag"."""

OPENERS = frozenset(
    """anschließend außerdem bitte daher danach deshalb ferner heute morgen später trotzdem zuvor
    zudem""".split()
)
"""German words that often open a sentence and are no stop words."""
