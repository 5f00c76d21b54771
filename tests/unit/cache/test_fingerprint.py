"""Two computations have the same fingerprint only if they are the same."""

from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

import numpy as np
import pytest

from discreet.cache import fingerprint as module
from discreet.cache.fingerprint import fingerprint


class Colour(Enum):
    RED = 1
    BLUE = 2


@dataclass(frozen=True)
class Point:
    place: float
    name: str = "a"


@dataclass(frozen=True)
class Other:
    place: float
    name: str = "a"


DIFFERENT = [
    None, False, 0, 0.0, -0.0, "", "0", "None", "ab", Fraction(0), (), [], {}, ((),), (0,), (0, 0), ("a", "b"), ("ab",),
    ("ab", ""), {"a": 1}, {"a": 2}, {"b": 1}, Colour.RED, Colour.BLUE, Point(0.0), Point(0.0, "b"), Point(1.0), Other(0.0),
    Fraction(1, 2), np.zeros(4), np.zeros((2, 2)), np.zeros(4, dtype=np.int64), np.ones(4),
    np.array([2**70, 1], dtype=object),
    np.array([[2**70], [1]], dtype=object), "\ud800",
]  # fmt: skip


def test_different_inputs_have_different_fingerprints():
    found = [fingerprint(each) for each in DIFFERENT]
    assert None not in found
    assert len(set(found)) == len(DIFFERENT)


def test_inputs_do_not_run_into_one_another():
    assert fingerprint("a", "b") != fingerprint("ab", "") != fingerprint("", "ab")
    assert fingerprint(("a",), "b") != fingerprint("a", ("b",))


def test_equal_inputs_have_one_fingerprint():
    assert fingerprint(Point(0.5), np.arange(3)) == fingerprint(replace(Point(1.5), place=0.5), np.arange(3))


@pytest.mark.parametrize("value", [object(), lambda: 1, {1, 2}, (1, (object(),)), Point, 1j])
def test_what_is_not_plainly_data_has_none(value):
    assert fingerprint(value) is None


def test_another_version_or_other_code_or_arithmetic_has_another(monkeypatch, tmp_path):
    found = [fingerprint(1)]
    monkeypatch.setattr(module, "__version__", "0.0")
    found.append(fingerprint(1))
    monkeypatch.setattr(np, "__version__", "0.0")
    found.append(fingerprint(1))
    (tmp_path / "cache").mkdir()
    (tmp_path / "chains").mkdir()
    monkeypatch.setattr(module, "__file__", str(tmp_path / "cache" / "fingerprint.py"))
    for text in ("a = 1", "a = 2"):
        (tmp_path / "chains" / "step.py").write_text(text)
        module._code.cache_clear()
        found.append(fingerprint(1))
    module._code.cache_clear()
    assert len(set(found)) == 5
