"""What a guarantee means to a person, in one sentence, and a remark where it means little.

A guarantee bounds how much likelier a release can be with one record than with any other in its place. To someone who knows
all other records that ratio is what multiplies the odds of a statement about the record (Bayes). Three bounds, each on the
logarithm of the factor by which these odds grow:

* pure: epsilon, always.
* zero-concentrated: rho + 2 sqrt(rho log(1/p)), except with probability p. Proof: with L the privacy loss and a > 1,
  P(L > l) <= exp((a - 1)(a rho - l)), which is exp(-(l - rho)^2 / (4 rho)) for a - 1 = (l - rho) / (2 rho).
* approximate: epsilon + log 2, except with probability 2 delta. Proof: on S = {P > 2 exp(epsilon) P'} the guarantee says
  P(S) <= exp(epsilon) P'(S) + delta <= P(S) / 2 + delta. (A factor of exp(epsilon) except with probability delta is false.)

Statements that hold for several values of the record are mixtures of the laws above, for which the same bounds hold.
"""

from __future__ import annotations

import math
from fractions import Fraction

from discreet.guarantee import ZCDP, ApproxDP, Guarantee
from discreet.unit import RECORD, Unit, UnitKind

__all__ = ["BOUNDLESS", "HUGE", "LARGE", "log_factor", "meaning", "remark"]

LARGE, HUGE, BOUNDLESS = 5.0, 10.0, 20.0
"""Log factors from which on a remark is due: an even guess can become 99 %, and 99.99 %, and one in a million 99 % likely."""
_RARE = 1e-6
"""The exception at which zero-concentrated guarantees are explained: one in a million."""
_LARGE_DELTA = Fraction(1, 1000)
_WRITTEN_OUT = 1e6
_MOST_DIGITS = 10**6


def log_factor(guarantee: Guarantee) -> float:
    """The logarithm of the factor by which odds grow at the most; infinite where it cannot be held in a float."""
    match guarantee:
        case ZCDP(rho):
            return _float(rho) + 2 * math.sqrt(_float(rho) * -math.log(_RARE))
        case ApproxDP(epsilon):
            return _float(epsilon) + math.log(2)
    return _float(guarantee.epsilon)


def meaning(guarantee: Guarantee, unit: Unit = RECORD) -> str:
    """How much a release can change what is thought about one record, or person, in one sentence that is true."""
    growth = log_factor(guarantee)
    known, whom = _whom(unit)
    said = f"To someone who knows {known}, the odds of any statement about {whom} grow {_factor(growth)}"
    match guarantee:
        case ZCDP():
            return f"{said}, except with a probability of at most one in a million."
        case ApproxDP(_, delta) if 2 * delta < 1:
            return f"{said}, except with a probability of at most {_small(2 * delta)}."
        case ApproxDP():
            return "Nothing is promised: with so large a delta any record may be published as it is."
    return f"{said}{_of_even_odds(growth)}."


def remark(guarantee: Guarantee) -> str | None:
    """What to say about a guarantee that promises little; None where nothing is to be said."""
    growth, delta = log_factor(guarantee), getattr(guarantee, "delta", None)
    if growth > BOUNDLESS:
        return (
            "That is no protection at all: what was one in a million may become more than 99 % likely. Treat such a release "
            "as if it showed every record; ask for a far smaller budget."
        )
    if growth > HUGE:
        return (
            "That is hardly any protection: what was one in a thousand may become more than 95 % likely. Do not rely on it "
            "for private data; ask for a smaller budget."
        )
    if delta is not None and delta > _LARGE_DELTA:
        return "That delta is large: a record may be published as it is with that probability. Take one far below 1 / rows."
    if growth > LARGE:
        return "That is little protection: what was as likely as not may become over 99 % likely. Spend less if you can."
    return None


def _whom(unit: Unit) -> tuple[str, str]:
    """What somebody is thought to know, and about whom the statement is."""
    match unit.kind:
        case UnitKind.PERSON:
            return "all other persons' records", "one person"
        case UnitKind.ROWS_AT_MOST:
            return "all other records", f"{unit.most} records"
    return "all other records", "one record"


def _factor(growth: float) -> str:
    """``by a factor of at most 1.65``: rounded up, and short however large it is."""
    digits = growth / math.log(10)
    if digits > _MOST_DIGITS:
        return "by a factor of over a million digits at the most"
    if digits > math.log10(_WRITTEN_OUT):
        return f"by a factor of at most 10^{math.ceil(digits)}"
    factor = math.exp(growth)
    if factor >= 100:
        return f"by a factor of at most {math.ceil(factor):,}"
    # Two digits of what exceeds one, so that small budgets can be told apart.
    places = max(2, 1 - math.floor(math.log10(max(math.expm1(growth), 1e-12))))
    return f"by a factor of at most {_up(factor, places):.{places}f}"


def _of_even_odds(growth: float) -> str:
    """What becomes of an even chance, where that is not certainty to four digits."""
    if growth > HUGE:
        return ""
    percent = 100 / (1 + math.exp(-growth))
    places = 1 if percent < 99 else 3
    return f": what was as likely as not becomes at most {_up(percent, places):.{places}f} % likely"


def _small(value: Fraction) -> str:
    """A probability to two digits, rounded up."""
    exponent = math.floor(math.log10(value.numerator) - math.log10(value.denominator))
    tenths = math.ceil(value * Fraction(10) ** (1 - exponent))
    return f"{tenths / 10:g}e{exponent}" if exponent < -3 else f"{tenths * 10.0 ** (exponent - 1):.{1 - exponent}f}"


def _up(value: float, places: int) -> float:
    scale = 10.0**places
    return math.ceil(value * scale) / scale


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
