"""Whom a guarantee protects: what a unit costs, and which words belong together."""

from fractions import Fraction

import pytest

from discreet import ApproxDP, BudgetError, ModelError, PureDP, Unit
from discreet.guarantee import ZCDP, Neighbours
from discreet.meaning import meaning
from discreet.unit import RECORD, UnitKind, choose_unit


def test_a_group_of_records_costs_its_number_times_epsilon_and_its_square_times_rho():
    unit = Unit.rows_at_most(4)
    assert unit.protect(PureDP("0.3")) == PureDP("1.2")
    assert unit.protect(ZCDP("0.1")) == ZCDP("1.6")
    assert unit.protect_one(PureDP("1.2")) == PureDP("0.3")
    assert unit.protect_one(ZCDP("1.6")) == ZCDP("0.1")


def test_a_group_has_no_exact_approximate_guarantee():
    with pytest.raises(BudgetError, match="pure or zero-concentrated"):
        Unit.rows_at_most(2).protect(ApproxDP("1", "1e-6"))
    assert Unit.person("id").protect(ApproxDP("1", "1e-6")) == ApproxDP("1", "1e-6")


def test_every_share_of_an_average_is_a_whole_number_of_parts():
    for most in range(2, 21):
        unit = Unit.person("id", "average", most)
        assert all(unit.parts % share == 0 for share in range(1, most + 1))
    assert Unit.person("id", "average").parts == 27720
    assert Unit.person("id").parts == RECORD.parts == Unit.rows_at_most(5).parts == 1


def test_every_unit_names_its_neighbours_and_itself():
    units = [RECORD, Unit.person("id"), Unit.person("id", "average"), Unit.rows_at_most(3)]
    assert [unit.neighbours for unit in units] == [
        Neighbours.REPLACE_ONE,
        Neighbours.REPLACE_PERSON,
        Neighbours.REPLACE_PERSON,
        Neighbours.REPLACE_ROWS,
    ]
    assert len({str(unit) for unit in units}) == 4
    assert not any("id" in str(unit).split() for unit in units)


def test_what_a_guarantee_means_is_said_about_the_unit():
    guarantee = PureDP("1")
    assert "one record grow" in meaning(guarantee) == guarantee.meaning
    assert "all other persons' records" in meaning(guarantee, Unit.person("id"))
    assert "about 3 records grow" in meaning(guarantee, Unit.rows_at_most(3))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((None, "one", None, None), "whose a record is"),
        ((None, None, 5, None), "whose a record is"),
        (("id", None, None, 4), "Leave it out beside person"),
        (("id", "most", None, None), '"one" or "average"'),
        (("id", "one", 5, None), "belongs to"),
        (("id", "average", 1, None), "from 2 to 20"),
        (("id", "average", 21, None), "from 2 to 20"),
        (("id", "average", True, None), "from 2 to 20"),
        (("", None, None, None), "name of the column"),
        ((3, None, None, None), "name of the column"),
        ((None, None, None, 1), "from 2 to 1000"),
        ((None, None, None, 2.0), "from 2 to 1000"),
    ],
)
def test_words_that_do_not_belong_together_are_refused(words, message):
    with pytest.raises(ModelError, match=message):
        choose_unit(*words)


def test_words_declare_the_unit():
    assert choose_unit(None, None, None, None) == RECORD
    assert choose_unit("id", None, None, None) == choose_unit("id", "one", None, None) == Unit.person("id")
    assert choose_unit("id", "average", None, None).most == 12
    assert choose_unit("id", "average", 3, None).most == 3
    assert choose_unit(None, None, None, 4).group == 4
    assert Fraction(Unit.person("id").group) == 1


@pytest.mark.parametrize(
    "made",
    [
        (UnitKind.ROWS_AT_MOST, None, Fraction(1, 1000)),
        (UnitKind.ROWS_AT_MOST, None, 0),
        (UnitKind.ROWS_AT_MOST, "id", 2),
        (UnitKind.RECORD, None, 7),
        (UnitKind.PERSON, None, 1),
        (UnitKind.PERSON, "id", 21),
        ("person", "id", 1),
    ],
)
def test_what_is_no_unit_cannot_be_made(made):
    with pytest.raises(ModelError, match="no such unit"):
        Unit(*made)
