"""The random bytes of a release: the operating system's, asked for each time, and no others."""

import os
import random

import numpy as np
import polars as pl
import pytest

from discreet import Auto, Fourier, Gaussian, KNorm, Laplace, Ledger, MapPoint, Sampler, naive_bayes, release
from discreet.kernel.bits import OperatingSystemBits

NETWORK = naive_bayes("y", ["x"])
DATA = pl.DataFrame({"y": ["0", "1", "1", "0"], "x": ["0", "1", "0", "0"]})
POINTS = [{"y": [[0.5, 0.5]], "x": [[share, 1 - share], [0.5, 0.5]]} for share in (0.3, 0.6)]
MECHANISMS = [
    Laplace("1"), Laplace("1", tables="maximal", consistent=True), Fourier("1"), KNorm("1"), Gaussian(rho="1/2"), Auto("1"),
    Sampler("1"), Sampler("1", delta="1e-6", truncated=False), MapPoint("1"), MapPoint("1", candidates=POINTS),
    MapPoint("1", candidates=POINTS, permute_and_flip=True),
]  # fmt: skip


class NoBytesError(Exception):
    """Raised in place of the operating system's bytes."""


def test_every_read_is_one_question_to_the_operating_system(monkeypatch):
    """Bytes from anywhere else, or from a buffer that a fork would copy, are not those that are handed out here."""
    asked = []

    def scripted(count):
        asked.append(count)
        return bytes([len(asked)]) * count

    monkeypatch.setattr(os, "urandom", scripted)
    bits = OperatingSystemBits()
    assert [bits.read(count) for count in (3, 1, 0, 2)] == [b"\1\1\1", b"\2", b"", b"\4\4"]
    assert asked == [3, 1, 0, 2]


def test_no_seed_decides_the_bytes():
    seen = set()
    for _ in range(3):
        random.seed(1)
        np.random.seed(1)  # noqa: NPY002 - the very thing that must have no effect
        seen.add(OperatingSystemBits().read(16))
    assert len(seen) == 3


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_no_release_is_made_without_the_operating_systems_bytes(monkeypatch, mechanism):
    def refused(_count):
        raise NoBytesError

    monkeypatch.setattr(os, "urandom", refused)
    with pytest.raises(NoBytesError):
        release(DATA, NETWORK, mechanism, ledger=Ledger.unlimited())
