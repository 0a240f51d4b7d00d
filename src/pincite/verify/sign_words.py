"""Words that say what a minus or brackets say in accounts."""

from __future__ import annotations

import re

_FALLS = (
    r"loss(?:es)?|lost|decreas\w*|declin\w*|deficit|reduc\w*|fell|fall\w*|drop\w*|lower\w*|negative|minus|"
    r"outflows?|less|down|shr[aiu]nk\w*|below|gesunken|Verlust\w*|Rückgang\w*|perte\w*|baisse\w*"
)
FALL = re.compile(rf"\b(?:{_FALLS})\b", re.IGNORECASE)
# Accounts write these with brackets or a minus, people without.
OUTGOING = re.compile(
    rf"\b(?:{_FALLS}|expens\w*|costs?|used|paid|payments?|deduct\w*|charges?|benefit|impairment\w*|"
    r"allowance|depreciation|amorti[sz]ation|owed|debit\w*|write-?\w*|repay\w*|purchas\w*|"
    r"repurchas\w*|dispos\w*|spent|forfeit\w*|exercis\w*|expir\w*|dividends?|tax\w*|obligations?|"
    r"liabilit\w*|lapsed|vested|cancel\w*|granted)\b",
    re.IGNORECASE,
)
