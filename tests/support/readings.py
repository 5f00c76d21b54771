"""Values that are odd, and what each of them is read as, said by hand: the engines and the reference must agree with it."""

import polars as pl

from discreet.model.network import Network
from discreet.model.reading import Includes, Reading, ValueKind, bin_names
from discreet.model.variable import Variable


def cut(name, *cuts, includes="lower", further=(), kind=ValueKind.NUMBER, **options):
    """A variable of numbers or dates between cuts."""
    reading = Reading(kind, cuts=cuts, includes=Includes(includes), **options)
    return Variable(name, [*bin_names(cuts, reading.includes, reading.minimum, reading.maximum), *further], reading)


AGE = cut(
    "age",
    "25",
    "35",
    minimum="0",
    maximum="120",
    other="?",
    missing="gap",
    further=["?", "gap"],
    missing_values=("", "-9", "NA"),
)
AGE_UPPER = cut(
    "age", "25", "35", includes="upper", other="?", missing="gap", further=["?", "gap"], missing_values=("-9", "NA")
)
FOLDED = cut("age", "25", "35", fold=True, other="?", missing="gap", further=["?", "gap"], missing_values=("NA",))
TENTH = cut("age", "0.1", "0.3", other="?", missing="gap", further=["?", "gap"])
VISIT = cut("visit", "2020-03-01", "2024-02-29", kind=ValueKind.DATE, other="?", missing="gap", further=["?", "gap"])
POINTS = Variable(
    "grade", ["1", "2", "0.5", "?", "gap"], Reading(ValueKind.NUMBER, other="?", missing="gap", missing_values=("9",))
)
WORDS = Variable(
    "city",
    ["Köln", "01", "no", "?", "gap"],
    Reading(spellings=(("Cologne", "Köln"), ("2", "no")), fold=True, other="?", missing="gap", missing_values=("n/a",)),
)
PLAIN = Variable("city", ["Köln", "01", "no", "?", "gap"], Reading(other="?", missing="gap", missing_values=("", "n/a")))
# The double after 0.03 is one that DuckDB reads as 0.03 where it stands as a decimal in a statement.
HUNDREDTHS = cut("share", "0.03", "0.12", includes="upper", other="?", missing="gap", further=["?", "gap"])
BOOLEAN = Variable(
    "smoker",
    ["false", "true", "?", "gap"],
    Reading(spellings=(("Y", "true"), ("N", "false")), other="?", missing="gap", missing_values=("",)),
)

LOW, MIDDLE, HIGH, OTHER, MISSING = range(5)
NUMBER_TEXTS = {
    "25": MIDDLE, " 25": OTHER, "25 ": OTHER, "25.0": MIDDLE, "025": MIDDLE, "+25": MIDDLE, "2.5e1": MIDDLE, "24.9": LOW,
    # Its nearest double is 25, which it would be in a column of floats: the same there as here.
    "24.999999999999999999": MIDDLE, "24.99999999999999": LOW, "-0": LOW, "0": LOW, "-1e-200": OTHER, "1e2": HIGH, "1E2": HIGH,
    "120": HIGH, "120.00000000000001": OTHER, "35": HIGH, "34.99999999999999": MIDDLE, "NaN": OTHER, "inf": OTHER, "": MISSING,
    None: MISSING, "-9": MISSING, "-9.0": MISSING, "NA": MISSING, "na": OTHER, "gap": MISSING, "[25, 35)": MIDDLE,
    "2020-01-01": OTHER, "25\n": OTHER, "25\r": OTHER, "25\x85": OTHER, "25\u2028": OTHER,
    "25,0": OTHER, "1_000": OTHER, "0x19": OTHER, "1e999": OTHER, "5e-324": OTHER,
    ".5": LOW, "5.": LOW, "true": OTHER, "٢٥": OTHER, "twenty": OTHER, "-": OTHER, ".": OTHER, "1e": OTHER,
}  # fmt: skip
NUMBER_UPPER = {
    "25": LOW,
    "25.00000000000001": MIDDLE,
    "35": MIDDLE,
    "35.1": HIGH,
    "-1e5": LOW,
    "1e299": HIGH,
    "1e300": OTHER,
    None: MISSING,
    "-9": MISSING,
}
FOLDED_TEXTS = {" 25": MIDDLE, "\t25 \r\n": MIDDLE, " na ": MISSING, "Na": MISSING, "2 5": OTHER, None: MISSING, "-9": LOW}
TENTH_TEXTS = {
    "0.1": MIDDLE,
    "0.3": HIGH,
    "0.30000000000000004": HIGH,
    "0.29999999999999998": HIGH,
    "0.09999": LOW,
    ".1": MIDDLE,
    None: MISSING,
}
DATE_TEXTS = {
    "2020-02-29": LOW, "2020-03-01": MIDDLE, "2024-02-28": MIDDLE, "2024-02-29": HIGH, "2024-02-29T23:59:59": HIGH,
    "2020-02-29 23:59": LOW, "2023-02-29": OTHER, "2023-02-30": OTHER, "2023-2-3": OTHER, "20230203": OTHER,
    "0000-01-01": OTHER,
    "0001-01-01": LOW, "9999-12-31": HIGH, "2024-02-29T00:00:00Z": OTHER, "2024-02-29\n": OTHER, "1900-02-29": OTHER,
    "2024-02-29\r": OTHER, "2024-02-29\u2029": OTHER,
    None: MISSING, "2000-02-29": LOW, "": OTHER, "gap": MISSING,
}  # fmt: skip
POINT_TEXTS = {
    "1": 0,
    "01": 0,
    "1.0": 0,
    "2": 1,
    "0.5": 2,
    ".5": 2,
    "0.50": 2,
    "3": 3,
    "9": 4,
    "9.0": 4,
    "true": 3,
    "?": 3,
    "gap": 4,
    None: 4,
}
WORD_TEXTS = {
    "Köln": 0, "KÖLN": 0, " köln\t": 0, "cologne": 0, "01": 1, "1": 3, "2": 2, "NO": 2, "No ": 2, "n o": 3, "N/A": 4, "": 3,
    None: 4, "no\u212a": 3, "1.0": 3, "ÑO": 3, "No\u0301": 3,
}  # fmt: skip
PLAIN_TEXTS = {"Köln": 0, "KÖLN": 3, "01": 1, "1": 3, "no": 2, " no": 3, "": 4, "n/a": 4, None: 4}

TEXTS = {
    "numbers": (AGE, NUMBER_TEXTS),
    "upper ends": (AGE_UPPER, NUMBER_UPPER),
    "folded numbers": (FOLDED, FOLDED_TEXTS),
    "tenths": (TENTH, TENTH_TEXTS),
    "dates": (VISIT, DATE_TEXTS),
    "points": (POINTS, POINT_TEXTS),
    "folded words": (WORDS, WORD_TEXTS),
    "words": (PLAIN, PLAIN_TEXTS),
    "booleans": (BOOLEAN, {"true": 1, "false": 0, "Y": 1, "N": 0, "True": 2, "y": 2, "": 3, None: 3}),
    "hundredths": (HUNDREDTHS, {"0.03": LOW, "0.030": LOW, "0.030000000000000002": MIDDLE, "0.12": MIDDLE, "0.121": HIGH}),
}
"""Columns of texts: value -> code."""
NUMBERS = {
    "floats": (
        AGE,
        {
            25.0: MIDDLE,
            24.999999999999996: LOW,
            -0.0: LOW,
            100.0: HIGH,
            float("nan"): MISSING,
            None: MISSING,
            -9.0: MISSING,
            float("inf"): OTHER,
            -1.0: OTHER,
            35.0: HIGH,
        },
    ),
    "tenths as floats": (
        TENTH,
        {0.1: MIDDLE, 0.3: HIGH, 0.1 + 0.2: HIGH, 0.09: LOW, 1e300: OTHER, 5e-324: OTHER, None: MISSING},
    ),
    "hundredths as floats": (HUNDREDTHS, {0.03: LOW, 0.030000000000000002: MIDDLE, 0.12: MIDDLE, 0.12000000000000001: HIGH}),
    "whole numbers": (AGE, {25: MIDDLE, 24: LOW, 0: LOW, 120: HIGH, 121: OTHER, -9: MISSING, None: MISSING}),
    "large whole numbers": (AGE_UPPER, {2**53 + 1: HIGH, -(2**62): LOW, 25: LOW, 26: MIDDLE}),
    "points as floats": (POINTS, {1.0: 0, 2.0: 1, 0.5: 2, 9.0: 4, 0.25: 3, None: 4}),
    "points as whole numbers": (POINTS, {1: 0, 2: 1, 9: 4, 5: 3}),
    "codes as whole numbers": (PLAIN, {1: 3, 2: 3, None: 4}),
}
"""Columns of numbers: value -> code."""


def world(columns):
    """All columns in one table, short ones filled up with gaps: network, frame, and the codes of every column."""
    height = max(len(expected) for _, expected in columns.values())
    variables, series, codes = [], [], {}
    for name, (variable, expected) in columns.items():
        variables.append(Variable(name, variable.levels, variable.reading))
        kind = next(type(value) for value in expected if value is not None)
        gaps = height - len(expected)
        series.append(pl.Series(name, [*expected, *[None] * gaps], dtype=_TYPES[kind]))
        codes[name] = [*expected.values(), *[variable.levels.index("gap")] * gaps]
    rows = pl.Series("row", [f"r{number}" for number in range(height)])
    network = Network([Variable("row", rows.to_list()), *variables], {name: ["row"] for name in columns})
    return network, pl.DataFrame([rows, *series]), codes


_TYPES = {str: pl.String, float: pl.Float64, int: pl.Int64}
