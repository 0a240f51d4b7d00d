"""What all texts share in an encoder's eyes, so that it can be taken out.

Many encoders place all texts in a narrow cone: two texts that have nothing in common then have a cosine
of .8 (Ethayarajh 2019, arXiv:1909.00512). Taking out the mean spreads them (Mu and Viswanath 2018,
arXiv:1702.01417), and scores mean about the same as with the default encoder, with which the thresholds
for reranking, choosing and refusing were fitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.stages import TokenStates
from pincite.vectors import normalised

UNRELATED = (
    "The relief valve opens at a pressure of 6.5 bar.",
    "She walked along the beach until the sun went down.",
    "Add two eggs and a spoon of sugar to the flour.",
    "The committee adopted the budget by twelve votes to nine.",
    "Photosynthesis turns light into chemical energy.",
    "The tenant shall give notice three months in advance.",
    "Our train leaves from platform four at noon.",
    "The sonata was first performed in Vienna.",
    "Patients received ten milligrams of the drug each day.",
    "Der Vertrag endet mit Ablauf des Kalenderjahres.",
    "Im Winter schlafen die Igel unter dem Laub.",
    "El museo abre todos los días menos el lunes.",
    "La vacuna se administra en dos dosis.",
    "Les abeilles rentrent à la ruche avant l'orage.",
    "Поезд прибывает на станцию в семь часов.",
    "Учёные открыли новую планету.",
    "水在一百摄氏度时沸腾。",
    "图书馆周末关闭。",
    "会議は九時に始まります。",
    "يغلق السوق أبوابه في المساء.",
    "रेलगाड़ी सुबह चलती है।",
    "ร้านอาหารเปิดทุกวัน",
)
"""Sentences without a common subject, in several scripts."""

_NARROW = 0.3
"""Mean cosine of these sentences from which on the mean is taken out: the default encoder has 0.11,
multilingual-e5-small 0.78."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Centre:
    """The mean of an encoder's vectors, and that of its token states of length 1."""

    vector: NDArray[Any]
    state: NDArray[Any]

    def taken_out_of(self, found: TokenStates) -> TokenStates:
        """The same text without what all texts share."""
        return TokenStates(
            vector=normalised(found.vector - self.vector),
            states=normalised(found.states) - self.state,
            offsets=found.offsets,
        )


def is_narrow(found: Sequence[TokenStates]) -> bool:
    """Whether unrelated texts have much in common in the encoder's eyes."""
    vectors = np.stack([each.vector for each in found])
    similar = vectors @ vectors.T
    count = len(vectors)
    return bool((similar.sum() - count) / (count * (count - 1)) > _NARROW)


def centre_of(found: Sequence[TokenStates]) -> Centre:
    """The means over some texts."""
    states = np.concatenate([each.states for each in found])
    return Centre(
        vector=np.stack([each.vector for each in found]).mean(axis=0),
        state=normalised(states).mean(axis=0),
    )
