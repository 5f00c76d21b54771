"""Real numbers to a thousand bits, to see on which side of them a result was rounded."""

from fractions import Fraction

from flint import arb, ctx, fmpq


def certain(value):
    """The middle of a ball, which at a thousand bits is the number for all that tests can tell."""
    mantissa, exponent = value.mid().man_exp()
    return int(mantissa) * Fraction(2) ** int(exponent)


def logarithm(value):
    """The natural logarithm of a fraction, to a thousand bits."""
    with ctx.workprec(1000):
        return certain(arb(fmpq(value.numerator, value.denominator)).log())
