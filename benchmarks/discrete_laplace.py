"""Exact noise: time per value against OpenDP's exact sampler, interleaved in one run, median of seven."""

import statistics
import time
from fractions import Fraction
from importlib.metadata import version

import opendp.prelude as dp

from discreet.kernel.bits import OperatingSystemBits
from discreet.kernel.discrete_laplace import discrete_laplace

VALUES, REPEATS = 100_000, 7


def seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def main():
    dp.enable_features("contrib")
    print(f"discreet {version('discreet')} against opendp {version('opendp')}: {VALUES:,} values, median of {REPEATS}")
    for scale in (Fraction(2), Fraction(16), Fraction(74), Fraction(2000)):
        space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
        theirs = dp.m.make_laplace(*space, scale=float(scale))
        zeros = [0] * VALUES
        times = [
            (
                seconds(lambda s=scale: discrete_laplace(s, VALUES, OperatingSystemBits())),
                seconds(lambda t=theirs, z=zeros: t(z)),
            )
            for _ in range(REPEATS)
        ]
        ours, other = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"scale {scale!s:>5}: {ours * 1e3:7.1f} ms, OpenDP {other * 1e3:7.1f} ms, ratio {other / ours:6.1f} (goal: 25)")


if __name__ == "__main__":
    main()
