"""Whose a record is: shares that make every person count as one, and what is refused."""

from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from support.bits import FailingBits, ScriptedBits, SeededBits
from support.optional import need

from discreet import DataError, ModelError, Network, Unit, Variable
from discreet.data.persons import read_person_codes, read_persons
from discreet.errors import FormatError

NOON, EAST = datetime(2020, 3, 1, 12, tzinfo=UTC), timezone(timedelta(hours=5))


NETWORK = Network([Variable("a", ["0", "1"])])


def table(identities):
    return pl.DataFrame({"id": identities, "a": ["0"] * len(identities)})


def shares(data, unit, bits=None):
    return read_person_codes(data, NETWORK, unit, (bits or SeededBits(1)).read).shares.tolist()


@pytest.mark.parametrize("most", [1, 2, 3, 12])
def test_shares_of_every_person_sum_to_one(most):
    identities = [number % 7 for number in range(40)] + [7, 8, 8]
    unit = Unit.person("id") if most == 1 else Unit.person("id", "average", most)
    sums = defaultdict(Fraction)
    for identity, share in zip(identities, shares(table(identities), unit), strict=True):
        sums[identity] += Fraction(1, share) if share else 0
    assert set(sums.values()) == {1}


def test_the_records_with_the_lowest_tickets_count():
    drawn = np.array([5, 3, 9, 1, 7], dtype=np.uint64).tobytes()
    data = table(["x", "x", "x", "y", "x"])
    assert shares(data, Unit.person("id"), ScriptedBits(drawn)) == [0, 1, 0, 1, 0]
    assert shares(data, Unit.person("id", "average", 2), ScriptedBits(drawn)) == [2, 2, 0, 1, 0]
    assert shares(data, Unit.person("id", "average", 12), ScriptedBits(drawn)) == [4, 4, 4, 1, 4]


def test_shares_of_a_person_do_not_depend_on_the_others():
    """With the same tickets, a person's records have the same shares whoever else is there."""
    for others in (["y"] * 5, ["y", "z", "z", "y", "z"], list("abcde")):
        drawn = np.array([4, 2, 6, 0, 9, 8, 1, 3], dtype=np.uint64).tobytes()
        assert shares(table(["x", "x", "x", *others]), Unit.person("id", "average", 2), ScriptedBits(drawn))[:3] == [2, 2, 0]


@pytest.mark.parametrize("make", [str, int, float])
def test_persons_are_whole_however_few_are_shared_out_at_a_time(monkeypatch, make):
    identities = [make(number * number % 23) for number in range(200)]
    whole = shares(table(identities), Unit.person("id", "average", 20))
    monkeypatch.setattr("discreet.data.persons._BUCKET", 7)
    parted = shares(table(identities), Unit.person("id", "average", 20))
    held = Counter(identities)
    assert [Counter(found)[0] for found in (whole, parted)] == [sum(max(0, each - 20) for each in held.values())] * 2
    assert [share for share in parted if share] == [
        min(20, held[identity]) for identity, share in zip(identities, parted, strict=True) if share
    ]


def test_every_record_of_a_person_is_chosen_as_often():
    people, each = 4000, 3
    found = np.array(shares(table([number // each for number in range(people * each)]), Unit.person("id")))
    chosen = Counter((np.flatnonzero(found) % each).tolist())
    for place in range(each):  # five standard deviations
        assert abs(chosen[place] - people / each) < 5 * (people * 2 / 9) ** 0.5


@pytest.mark.parametrize("identities", [["x", None], ["x", ""], ["x", "  "], [1.0, float("nan")], [1, None]])
def test_a_record_of_nobody_is_refused_before_anything_is_drawn(identities):
    with pytest.raises(DataError, match="does not say whose it is: the column 'id'") as refused:
        shares(table(identities), Unit.person("id"), FailingBits())
    assert "x" not in str(refused.value).split()


def test_columns_that_are_held_as_they_are_have_the_same_shares_and_refusals():
    for identities in (["x", "y", "x"], [3, 3, 3], [0.5, 1.0, 0.5]):
        for unit in (Unit.person("id"), Unit.person("id", "average", 2)):
            held = read_persons(table(identities), ["a"], unit, SeededBits(1).read)
            assert held.shares.tolist() == shares(table(identities), unit)
    for wrong in (table(["x", None]), table([["x"]]), table(["x"]).drop("id"), table(["x"]).clear()):
        with pytest.raises(DataError):
            read_persons(wrong, ["a"], Unit.person("id"), FailingBits().read)
        with pytest.raises(DataError):
            shares(wrong, Unit.person("id"), FailingBits())


def test_a_table_without_the_column_is_refused():
    with pytest.raises(DataError, match="has no column 'patient'"):
        shares(table(["x"]), Unit.person("patient"), FailingBits())


def test_a_column_of_the_model_cannot_say_whose_a_record_is():
    with pytest.raises(ModelError, match="cannot be a column of the model as well"):
        shares(table(["x"]), Unit.person("a"), FailingBits())


@pytest.mark.parametrize(
    ("dtype", "pair"),
    [
        (pl.Int128, [2**100, 2**100 + 1]),
        (pl.UInt64, [2**64 - 1, 2**64 - 2]),
        (pl.UInt8, [255, 0]),
        (pl.Int8, [-128, 127]),
        (pl.Float32, [0.5, 1.5]),
        (pl.Decimal(10, 2), ["1.10", "1.1"]),
        (pl.Categorical, ["x", "y"]),
        (pl.Boolean, [True, False]),
        (pl.Date, [NOON.date(), NOON.date() + timedelta(1)]),
    ],
    ids=str,
)
def test_values_of_every_type_tell_persons_apart(dtype, pair):
    one, other = pair
    values = (
        pl.Series("id", [one, other, one]).cast(dtype) if isinstance(one, str) else pl.Series("id", [one, other, one], dtype)
    )
    same = values[0] == values[1]
    assert same == (dtype == pl.Decimal(10, 2))
    found = shares(pl.DataFrame([values, pl.Series("a", ["0"] * 3)]), Unit.person("id", "average"))
    assert found == ([3, 3, 3] if same else [2, 1, 2])


def test_lists_do_not_tell_persons_apart():
    with pytest.raises(DataError, match="does not tell persons apart"):
        shares(table([["x"], ["y"]]), Unit.person("id"), FailingBits())


def test_a_person_may_be_spread_over_files(tmp_path):
    table(["x", "y"]).write_csv(tmp_path / "1.csv")
    table(["x", "z", "x"]).write_csv(tmp_path / "2.csv")
    assert shares(str(tmp_path / "*.csv"), Unit.person("id", "average")) == [3, 1, 3, 1, 3]


def test_one_file_under_two_names_is_refused(tmp_path):
    table(["x", "y"]).write_csv(tmp_path / "1.csv")
    (tmp_path / "2.csv").symlink_to(tmp_path / "1.csv")
    with pytest.raises(DataError, match="given more than once"):
        shares(str(tmp_path / "*.csv"), Unit.person("id"), FailingBits())


def test_one_file_under_two_hard_links_is_refused(tmp_path):
    table(["x", "y"]).write_csv(tmp_path / "1.csv")
    (tmp_path / "2.csv").hardlink_to(tmp_path / "1.csv")
    with pytest.raises(DataError, match="given more than once"):
        shares(str(tmp_path / "*.csv"), Unit.person("id"), FailingBits())


def test_a_file_is_read_once_so_that_no_share_goes_to_another_record(tmp_path):
    path = tmp_path / "records.parquet"
    table(["x", "y", "x"]).write_parquet(path)
    records = read_persons(str(path), ["a"], Unit.person("id", "average"), SeededBits(1).read)
    path.unlink()
    assert records.held.frame["id"].to_list() == ["x", "y", "x"]
    assert records.shares.tolist() == [2, 1, 2]


@pytest.mark.parametrize(
    "make",
    [
        lambda frame: frame.to_arrow(),
        lambda frame: frame.lazy(),
        lambda frame: frame.to_arrow().to_reader(),
        lambda frame: frame.to_pandas(),
    ],
    ids=["arrow", "lazy", "stream", "pandas"],
)
def test_tables_of_all_kinds_are_held_once(make):
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    records = read_persons(make(table(["x", "x", "y"])), ["a"], Unit.person("id", "average"), SeededBits(1).read)
    assert records.shares.tolist() == [2, 2, 1]
    assert isinstance(records.held.frame, pl.DataFrame)


@pytest.mark.parametrize("stranger", [5.5, "x", True, Decimal(5), datetime(2020, 3, 1)], ids=repr)  # noqa: DTZ001
@pytest.mark.parametrize(
    "identities", [[1, 1.0], [Decimal(1), Decimal("1.0")], [2**53, 2**53 + 1], [NOON, NOON.astimezone(EAST)]], ids=repr
)
@pytest.mark.parametrize("frame", [dict, lambda columns: need("pandas").DataFrame(columns)], ids=["dict", "pandas"])
def test_nobody_makes_one_person_of_two_others_or_two_of_one(frame, identities, stranger):
    """The type of a column depends on all of its values, so values that it would part or join are refused."""

    def found(*beside):
        held = [*identities, *beside]
        try:
            return shares(frame({"id": held, "a": ["0"] * len(held)}), Unit.person("id", "average"))[:2]
        except DataError:
            return None

    alone, beside = found(), found(stranger)
    assert alone is None or beside is None or alone == beside


@pytest.mark.parametrize("identities", [[7, "x", "7"], [np.int64(7), "x", 7]])
def test_whole_numbers_beside_texts_are_the_texts_that_they_are(identities):
    assert shares({"id": identities, "a": ["0"] * 3}, Unit.person("id", "average")) == [2, 1, 2]


@pytest.mark.parametrize(("dtype", "number"), [(pl.Float64, 2**53), (pl.Float32, 2**24), (pl.Float64, float("inf"))])
def test_floats_that_stand_for_several_whole_numbers_are_refused(dtype, number):
    with pytest.raises(DataError, match="taken for one"):
        shares(table(pl.Series([1, -number], dtype=dtype)), Unit.person("id"), FailingBits())


def test_what_cannot_be_written_as_text_is_refused_in_our_words():
    with pytest.raises(FormatError, match="does not tell persons apart") as refused:
        shares(table([timedelta(1), timedelta(2)]), Unit.person("id"), FailingBits())
    assert refused.value.__cause__ is refused.value.__context__ is None
