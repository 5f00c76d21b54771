"""Uniform numbers by the array, against ball arithmetic on the same bits."""

import pytest
from flint import arb, ctx
from support.bits import ScriptedBits, SeededBits

from discreet.kernel import digits as digits_file
from discreet.kernel.digits import LOG_ERROR, PLACES, SIGNED_ERROR, first_digits
from discreet.kernel.exact import draw_uniforms

EXTREMES = [
    2**128 - 1,
    2**128 - 2**64,
    2**127 + 1,
    2**127 - 1,
    2**64,
    2**65 - 1,
    *((index << 118) + rest for index in range(512, 1024) for rest in (0, 2**118 - 1)),
    *(((index << 118) + 12345) >> zeros for index in range(512, 1024, 37) for zeros in range(1, 64)),
]


def digits_of(values):
    return first_digits(b"".join(value.to_bytes(16, "little") for value in values), 1)


def furthest(values, logs):
    """How far the logarithms may be from the truth, over all continuations of the bits, in units of the last place."""
    with ctx.workprec(300):
        truths = [(-(arb(value + more) / 2**128).log() * 2**PLACES, log) for value, log in zip(values, logs, strict=True)
                  for more in (0, 1)]  # fmt: skip
        return max(abs(float(truth - int(log))) for truth, log in truths)


def test_digits_are_those_of_the_same_bytes():
    block = SeededBits(1).read(16 * 12)
    found = first_digits(block, 4)
    assert found.high.shape == (3, 4)
    wanted = [each.value for each in draw_uniforms(12, ScriptedBits(block))]
    assert [each.value for row in range(3) for each in found.uniforms(row)] == wanted
    first, others = found.split(1)
    assert [each.value for each in first.uniforms(2)] == wanted[8:9]
    assert [each.value for each in others.uniforms(2)] == wanted[9:]
    assert [each.value for each in found.rows_of(6).uniforms(1)] == wanted[6:]


def test_logarithms_are_as_near_as_they_say():
    block = SeededBits(2).read(16 * 4000)
    logs, known = first_digits(block, 4000).logarithms()
    assert known.all()
    values = [each.value for each in draw_uniforms(4000, ScriptedBits(block))]
    assert 1 < furthest(values, logs[0]) <= LOG_ERROR


def test_the_most_extreme_digits_have_right_logarithms_or_none():
    logs, known = digits_of(EXTREMES).logarithms()
    assert known.all()
    assert furthest(EXTREMES, logs[:, 0]) <= LOG_ERROR
    assert logs.min() >= 0
    logs, known = digits_of([0, 1, 2**64 - 1]).logarithms()
    assert not known.any()
    assert logs.min() >= 0


@pytest.mark.parametrize("table", range(4))
def test_a_wrong_entry_of_a_table_is_noticed(monkeypatch, table):
    """Planted: in each table entries that are off by a part of 2^30."""
    wrong = [each.copy() for each in digits_file._tables()]
    wrong[table][1:] += wrong[table][1:] >> 30
    wrong[table][1:] += 1 << 23
    monkeypatch.setattr(digits_file, "_tables", lambda: tuple(wrong))
    logs, _ = digits_of(EXTREMES).logarithms()
    assert furthest(EXTREMES, logs[:, 0]) > LOG_ERROR


def test_many_pieces_are_the_same_as_one(monkeypatch):
    block = SeededBits(3).read(16 * 1000)
    whole = first_digits(block, 10).logarithms()[0]
    monkeypatch.setattr(digits_file, "_PIECE", 7)
    assert (first_digits(block, 10).logarithms()[0] == whole).all()


def test_signed_numbers_are_those_of_the_digits():
    values = [*EXTREMES, 0, 1, 2**127, *(each.value for each in draw_uniforms(500, SeededBits(4)))]
    sizes, signs, rest = digits_of(values).signed()
    for row, value in enumerate(values):
        ends = [2 * (value + more) - 2**128 for more in (0, 1)]  # of 2 U - 1, in units of 2^-128
        assert {end >= 0 for end in ends} == {signs[row, 0] > 0} or 0 in ends
        close, far = sorted(abs(end) for end in ends)
        width = 128 - PLACES
        size = int(sizes[row, 0])
        assert (size - SIGNED_ERROR) << width <= close
        assert far <= (size + SIGNED_ERROR) << width
        (own,) = rest.uniforms(row)
        assert own.value <= close
        assert far <= own.value + 2
