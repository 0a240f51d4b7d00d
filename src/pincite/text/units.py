"""Reads the unit, currency or scale word after a number.

Units are read, never converted: 5 mm and 0.5 cm are two different statements here. Only scale words
("million", "crore") and spellings of the same unit ("litres", "l") are normalised.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

_CURRENCIES = {
    "$": ("$", "US$", "USD", "dollar", "dollars"),
    "A$": ("A$", "AU$", "AUD"),
    "C$": ("C$", "CA$", "CAD"),
    "HK$": ("HK$", "HKD"),
    "S$": ("S$", "SGD"),
    "€": ("€", "EUR", "euro", "euros"),
    "£": ("£", "GBP", "pounds sterling"),
    "₹": ("₹", "Rs", "Rs.", "INR", "rupee", "rupees"),
    "¥": ("¥", "JPY", "yen"),
    "CNY": ("CNY", "RMB", "yuan"),
    "CHF": ("CHF", "Fr.", "francs"),
}
_SYMBOLS = (
    "mm cm dm m km µm nm mg g kg t ml l cl hl ms s min h bar mbar psi Pa hPa kPa MPa GPa V kV mV A mA "
    "Ah mAh W kW MW GW kWh MWh GWh Wh kVA Hz kHz MHz GHz rpm N kN Nm J kJ MJ dB ppm ppb ha ft yd mi "
    "mph kph kt lb oz gal K kcal cal mol mmol lx lm rad sr Bq Sv Gy"
)
_UNITS = {
    "%": ("%", "percent", "per cent", "pct", "pct.", "Prozent", "pour cent", "por ciento"),
    "‰": ("‰", "per mille", "per mil"),
    "pp": ("pp", "percentage point", "percentage points", "Prozentpunkte"),
    "bp": ("bps", "bp", "basis point", "basis points"),
    "°C": ("°C", "° C", "C", "degrees Celsius", "degree Celsius", "degrees C", "Celsius", "℃"),
    "°F": ("°F", "° F", "F", "degrees Fahrenheit", "degree Fahrenheit", "degrees F", "Fahrenheit"),
    "°": ("°", "degree", "degrees", "Grad"),
    "mm": ("millimetre", "millimetres", "millimeter", "millimeters"),
    "cm": ("centimetre", "centimetres", "centimeter", "centimeters"),
    "m": ("metre", "metres", "meter", "meters"),
    "km": ("kilometre", "kilometres", "kilometer", "kilometers"),
    "inch": ("inch", "inches", "in."),
    "ft": ("foot", "feet"),
    "yd": ("yard", "yards"),
    "mi": ("mile", "miles"),
    "µm": ("μm", "micron", "microns", "micrometre", "micrometres", "micrometer", "micrometers"),
    "mg": ("milligram", "milligrams"),
    "g": ("gram", "grams", "gramme", "grammes", "Gramm"),
    "kg": ("kilo", "kilos", "kilogram", "kilograms", "Kilogramm"),
    "t": ("tonne", "tonnes", "ton", "tons", "Tonne", "Tonnen"),
    "lb": ("lbs", "pound", "pounds"),
    "oz": ("ounce", "ounces"),
    "ml": ("mL", "millilitre", "millilitres", "milliliter", "milliliters"),
    "l": ("L", "litre", "litres", "liter", "liters", "Liter"),
    "gal": ("gallon", "gallons"),
    "ms": ("millisecond", "milliseconds", "msec"),
    "s": ("sec", "secs", "second", "seconds", "Sekunde", "Sekunden"),
    "min": ("mins", "minute", "minutes", "Minute", "Minuten"),
    "h": ("hr", "hrs", "hour", "hours", "Stunde", "Stunden", "heures", "horas"),
    "day": ("day", "days", "Tag", "Tage", "Tagen", "jours"),
    "week": ("week", "weeks", "Woche", "Wochen"),
    "month": ("month", "months", "Monat", "Monate", "Monaten", "mois"),
    "year": ("year", "years", "yr", "yrs", "Jahr", "Jahre", "Jahren", "ans", "años"),
    "Pa": ("pascal", "pascals"),
    "V": ("volt", "volts", "Volt"),
    "A": ("amp", "amps", "ampere", "amperes"),
    "W": ("watt", "watts", "Watt"),
    "kW": ("kilowatt", "kilowatts"),
    "kWh": ("kilowatt hour", "kilowatt hours", "kilowatt-hours"),
    "Hz": ("hertz",),
    "rpm": ("RPM", "U/min"),
    "N": ("newton", "newtons"),
    "Nm": ("N·m", "N m", "newton metres", "newton meters"),
    "ha": ("hectare", "hectares", "Hektar"),
    "acre": ("acre", "acres"),
    "mph": ("miles per hour",),
    "kB": ("kB", "KB", "kilobyte", "kilobytes"),
    "MB": ("MB", "megabyte", "megabytes"),
    "GB": ("GB", "gigabyte", "gigabytes"),
    "TB": ("TB", "terabyte", "terabytes"),
    "byte": ("byte", "bytes"),
    "bit": ("bit", "bits"),
    "pence": ("p", "pence"),
    "cents": ("cents", "cent", "¢"),
    "ohm": ("Ω", "ohms"),
    "x": ("x", "times"),
}
_SCALES = {
    2: ("hundred",),
    3: ("thousand", "thousands", "Tsd", "Tsd.", "Tausend", "k"),
    5: ("lakh", "lakhs", "lac", "lacs"),
    6: (
        *("million", "millions", "mn", "mln", "mio", "mio.", "Mio", "Mio.", "Millionen"),
        *("millones", "milioni", "miljoen"),
    ),
    7: ("crore", "crores", "cr", "cr."),
    9: (
        *("billion", "billions", "bn", "bln", "milliard", "milliards", "Mrd", "Mrd.", "Milliarde"),
        *("Milliarden", "miliardi", "miljard"),
    ),
    12: ("trillion", "trillions", "tn", "Billionen"),
}
# "$5m" is five million dollars, "5 m" five metres.
_MONEY_SCALES = {"k": 3, "K": 3, "m": 6, "M": 6, "mm": 6, "MM": 6, "b": 9, "B": 9, "T": 12}

_CASELESS_FROM = 4
"""Words of at least this many letters ignore case: `Bar` and `BAR`, but not `mW` and `MW`."""


def _spellings(table: dict[str, tuple[str, ...]]) -> dict[str, str]:
    found = {spelling: unit for unit, spellings in table.items() for spelling in spellings}
    return found | {
        spelling.lower(): unit
        for spelling, unit in found.items()
        if len(spelling) >= _CASELESS_FROM
    }


_CURRENCY_OF = _spellings(_CURRENCIES)
_UNIT_OF = {**{symbol: symbol for symbol in _SYMBOLS.split()}, **_spellings(_UNITS)}
_SCALE_OF = {spelling: power for power, spellings in _SCALES.items() for spelling in spellings} | {
    spelling.lower(): power for power, s in _SCALES.items() for spelling in s
}


def _any_of(spellings: object) -> str:
    words = sorted(map(str, spellings), key=len, reverse=True)  # type: ignore[call-overload]
    return "|".join(map(re.escape, words))


CURRENCY = rf"(?:{_any_of(s for s in _CURRENCY_OF if not s.islower())})"
"""Regular expression for a currency before a number."""

_SEVERAL_WORDS = _any_of(
    {s for s in (*_UNIT_OF, *_CURRENCY_OF) if " " in s or "." in s or "-" in s}
)
_SQUARE = r"(?P<power>(?:square|sq\.?|cubic|cu\.?)\s+)?"
_LETTERS = r"[A-Za-zµμΩ]"
_WORD = re.compile(
    rf"(?P<gap>[^\S\n]?|-)(?:(?P<phrase>(?:{_SEVERAL_WORDS})(?!\w))|{_SQUARE}"
    rf"(?P<word>%|‰|℃|°\s?[CFK]\b|°|(?:US|A|C|HK|S)?[$]|[€£¥₹]|{_LETTERS}+[²³23]?(?!\w))"
    rf"(?P<rest>(?:[·*/⋅]{_LETTERS}+[²³23]?(?!\w)|\s+per\s+{_LETTERS}+(?!\w))*))",
    re.IGNORECASE,
)
_SCALE_WORD = re.compile(r"[^\S\n]?-?(?P<word>[A-Za-z]+\.?)(?!\w)")
_PARTS = re.compile(rf"(?P<joint>[·*/⋅]|(?<!\s)\s++per\s++)(?P<unit>{_LETTERS}+)(?P<power>[²³23]?)")
_POWERS = {"²": "2", "³": "3", "2": "2", "3": "3", "": ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """The scale word and unit after a number: `end` is where they end, `scale` a power of ten."""

    end: int
    unit: str = ""
    scale: int = 0

    @property
    def factor(self) -> Decimal:
        """The factor that the number is multiplied by."""
        return Decimal(10) ** self.scale


def currency(written: str) -> str:
    """The canonical name of a currency, however it is written; "" if it is not one."""
    written = written.strip()
    return _CURRENCY_OF.get(written) or _CURRENCY_OF.get(written.lower(), "")


def measure_at(text: str, position: int, *, money: bool = False) -> Measure:
    """The scale words and the unit in `text` at `position`, right after a number."""
    scale, end = 0, position
    while found := _SCALE_WORD.match(text, end):
        power = _scale(found["word"], money=money and end == position)
        attached = found.start("word") == position
        if not power or (found["word"] in ("k", "K") and not attached):
            break
        # The full stop after "5 million." ends a sentence.
        dotted = found["word"].endswith(".") and found["word"] in _SCALE_OF
        end = found.end() if dotted or not found["word"].endswith(".") else found.end() - 1
        scale += power
    unit, end = _unit_at(text, end)
    return Measure(end=end, unit=unit, scale=scale)


def scale_of(word: str) -> int:
    """The power of ten of a scale word; 0 for other words."""
    return _scale(word, money=False)


def _scale(word: str, *, money: bool) -> int:
    bare = word.rstrip(".")
    if money and bare in _MONEY_SCALES:
        return _MONEY_SCALES[bare]
    for spelling in (word, bare, bare.lower() if len(bare) > 1 else bare):
        if spelling in _SCALE_OF:
            return _SCALE_OF[spelling]
    return 3 if bare == "K" else 0


def _unit_at(text: str, position: int) -> tuple[str, int]:
    found = _WORD.match(text, position)
    if found is None:
        return "", position
    if phrase := found["phrase"]:
        unit = _named(phrase)
        return (unit, found.end("phrase")) if unit else ("", position)
    word, power = found["word"], ""
    unit = _named(word)
    if not unit and word[-1] in "²³23":
        unit, power = _named(word[:-1]), _POWERS[word[-1]]
    if not unit:
        return "", position
    if word in ("C", "F", "K", "x", "A") and found["gap"] == "-":
        return "", position
    if found["power"]:
        power = "2" if found["power"].lower().startswith("sq") else "3"
    unit, end = unit + power, found.end("word")
    for part in _PARTS.finditer(found["rest"] or ""):
        below = _named(part["unit"])
        if not below:
            break
        joint = "·" if part["joint"] in "·*⋅" else "/"
        unit, end = (
            f"{unit}{joint}{below}{_POWERS[part['power']]}",
            found.start("rest") + part.end(),
        )
    return _named(unit) or unit, end


def _named(written: str) -> str:
    """The canonical name of a unit or currency; "" if it is neither."""
    plain = re.sub(r"\s+", " ", written).strip()
    for spelling in (plain, plain.lower() if len(plain) >= _CASELESS_FROM else plain):
        if spelling in _UNIT_OF:
            return _UNIT_OF[spelling]
        if spelling in _CURRENCY_OF:
            return _CURRENCY_OF[spelling]
    return ""


def is_currency(unit: str) -> bool:
    """Whether a unit is a currency."""
    return unit in _CURRENCIES


# Scales that a head or a line above a table states for its numbers.

IN_SCALE = re.compile(
    r"(?:\bin\s+(?:\w+\s+(?:of\s+)?)?|^|(?<!\d)[(,/]\s*|['’]|[$€£¥₹]\s*['’]?|\b(?:USD|EUR|GBP|INR|Rs\.?|US\$|(?-i:[A-Z]{3}))\s*(?:in\s+)?)"
    r"(?P<word>000s?|thousands?|millions?|billions?|lakhs?|lacs?|crores?|mn|mio\.?|bn|cr\.?|Mio\.?|Mrd\.?|"
    r"(?<=[$€£¥₹DRP])[mMkKbB]|(?<=['’])000s?)(?!\w)",
    re.IGNORECASE,
)
_EXCEPTED = re.compile(r"\bexcept(?:ing|ed)?\b(?P<what>[^)]*)", re.IGNORECASE)
# In a sentence only such words surely refer to a table: "in thousands", "US $000's", "€m";
# on a line of its own, "EUR thousands" and "(thousands of euros)" do too.
REMARK = re.compile(
    r"\bin\s+(?:\w+\s+(?:of\s+)?)?(?:thousands|millions|billions|lakhs|crores)\b|"
    r"[$€£¥₹]\s?['’]?(?:000s?|m|bn)(?!\w)|['’]000s?(?!\w)|"
    r"^\W*(?:(?-i:[A-Z]{3})|US\$|[$€£¥₹]|Rs\.?)\s?"
    r"(?:thousands?|millions?|billions?|lakhs?|crores?|mn|mio\.?|bn)\W*$|"
    r"^\W*(?:thousands|millions|billions|lakhs|crores)(?:\s+of\s+(?:\w+\s+)?"
    r"(?:dollars|euros|pounds|francs|rupees|yen|(?-i:[A-Z]{3})))?\W*$",
    re.IGNORECASE,
)


def scale_word(head: str, label: str = "") -> str:
    """The scale that a head of a table names for a row: "thousands" of "2019 (in thousands)".

    Empty without one, and for a row that the head excepts: "in thousands, except per share data".
    """
    found = IN_SCALE.search(head)
    if found is None:
        return ""
    excepted = _EXCEPTED.search(head)
    words = set(re.findall(r"[^\W\d_]{4,}", excepted["what"].lower())) if excepted else set()
    stems = {word.rstrip("s") for word in words - {"data", "amounts"}}
    is_excepted = any(word.rstrip("s") in stems for word in re.findall(r"\w+", label.lower()))
    return "" if is_excepted else found["word"]


def in_scale(unit: str, head: str, label: str = "") -> str:
    """A unit with the scale that a head names for a row: "$ in thousands"."""
    scale = "" if unit == "%" else scale_word(head, label)
    return f"{unit} in {scale}".strip() if scale else unit
