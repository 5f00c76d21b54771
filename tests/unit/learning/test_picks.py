"""Pairs are picked one by one, and a graph grows from them."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet import ZCDP, PureDP, Variable
from discreet.kernel.stages import Purse
from discreet.learning.directed import grow_directed
from discreet.learning.graphs import prepare_graph
from discreet.learning.picks import pick_pairs
from discreet.learning.search import tables_of
from discreet.learning.steps import PrivateTables, Steps
from discreet.learning.wanted import read_wanted
from discreet.measure.picks import PickedPairs
from discreet.model.tables import TableSet
from discreet.release_file.learned_graph import learned_text
from tests.support.bits import SeededBits
from tests.support.selection import FrozenPurse

SIZES = {"a": 9, "b": 8, "c": 2, "d": 7}
VARIABLES = tuple(Variable(name, [str(level) for level in range(size)]) for name, size in SIZES.items())
ROWS = 6000


def codes(seed=0):
    """b follows a, d follows b; c is alone."""
    generator = np.random.default_rng(seed)
    a, c = generator.integers(0, 9, ROWS), generator.integers(0, 2, ROWS)
    b = np.where(generator.random(ROWS) < 0.7, a % 8, generator.integers(0, 8, ROWS))
    d = np.where(generator.random(ROWS) < 0.7, b % 7, generator.integers(0, 7, ROWS))
    return {"a": a, "b": b, "c": c, "d": d}


def frame(found):
    return pl.DataFrame({name: column.astype(str) for name, column in found.items()})


def wanted(**given):
    return read_wanted(VARIABLES, "dag", None, None, given.get("required", ()), given.get("forbidden", ()))


def steps_of(asked, found, purse):
    counted = TableSet.of(VARIABLES, tables_of(asked))
    counts = {}
    for family, nodes in zip(counted.families, counted.sets, strict=True):
        table = np.zeros([SIZES[node] for node in nodes], dtype=np.int64)
        np.add.at(table, tuple(found[node] for node in nodes), 1)
        counts[family.node] = table.reshape(-1, family.levels)
    return Steps(PrivateTables(counted, counts), ROWS, 1, purse, Fraction(1, 2))


def picked(pairs):
    return {frozenset(each.nodes) for each in pairs.measurements if len(each.nodes) == 2}


@pytest.mark.parametrize("cost", [PureDP("1"), ZCDP("0.03")], ids=["pure", "zero-concentrated"])
def test_what_goes_together_is_picked_and_all_is_spent(cost):
    steps = steps_of(wanted(), codes(), Purse(cost, SeededBits(1)))
    found = pick_pairs(wanted(), steps, cost, 3)
    assert {frozenset("ab"), frozenset("bd")} <= picked(found)
    measured = sum((stage.cost.epsilon if isinstance(cost, PureDP) else stage.cost.rho) for stage in steps.stages)
    whole = cost.epsilon if isinstance(cost, PureDP) else cost.rho
    assert steps.left == 0
    assert whole * Fraction(3, 4) <= measured < whole


def test_required_pairs_are_measured_first_and_forbidden_ones_never():
    asked = wanted(required=[("d", "c")], forbidden=[("a", "b")])
    steps = steps_of(asked, codes(), Purse(PureDP("1"), SeededBits(2)))
    found = pick_pairs(asked, steps, PureDP("1"), 3)
    assert set(steps.stages[1].measurements[0].nodes) == {"c", "d"}
    assert frozenset("ab") not in picked(found)


def test_a_required_pair_is_measured_even_if_it_is_too_wide_to_be_picked(monkeypatch):
    monkeypatch.setattr("discreet.learning.wanted._MOST_TABLE", 60)
    asked = wanted(required=[("a", "b")])
    assert ("a", "b") not in asked.pairs
    steps = steps_of(asked, codes(), Purse(PureDP("1"), SeededBits(2)))
    found = pick_pairs(asked, steps, PureDP("1"), 3)
    assert frozenset("ab") in picked(found)
    assert grow_directed(asked, found, 2000).parents["b"][0] == "a"


def test_no_file_is_longer_than_its_room():
    """A rehearsal meets narrow pairs, the records go together in the widest, which is measured twice if that is all."""
    sizes = (40, 40, 2, 2, 2, 2, 2, 2)
    variables = [Variable(f"c{place}", [str(level) for level in range(size)]) for place, size in enumerate(sizes)]
    generator = np.random.default_rng(1)
    found = {variable.name: generator.integers(0, variable.size, ROWS) for variable in variables}
    found["c1"] = found["c0"]
    ledger = dc.Ledger.unlimited()
    prepared = prepare_graph(frame(found), variables, epsilon="1", form="dag", ledger=ledger, _bits=SeededBits(1))
    learned = prepared.publish()
    assert frozenset(("c0", "c1")) in picked(learned.pairs.pairs)
    rehearsed, real = (len(learned_text(each)) for each in (prepared.rehearse(), learned))
    assert 2 * rehearsed + 8192 < real <= prepared.room


def test_what_stopping_leaves_is_spent_on_what_was_picked(monkeypatch):
    honest, taken = Steps.choose, []

    def stop_after(number):
        def choose(steps, candidates, cost, **given):
            taken.append(given["may_stop"])
            return honest(steps, candidates, cost, **given) if len(taken) <= number else None

        return choose

    for number in (0, 1):
        taken.clear()
        monkeypatch.setattr(Steps, "choose", stop_after(number))
        steps = steps_of(wanted(), codes(), Purse(PureDP("1"), SeededBits(3)))
        found = pick_pairs(wanted(), steps, PureDP("1"), 3)
        assert len(picked(found)) == number
        assert all(taken)
        assert steps.left == 0
        again = {frozenset(each.nodes) for each in steps.stages[-1].measurements}
        assert again == ({frozenset(node) for node in SIZES} if not number else picked(found))


def test_a_rehearsal_picks_as_many_as_can_be():
    steps = steps_of(wanted(), {name: np.zeros(ROWS, dtype=int) for name in SIZES}, Purse(PureDP("1"), SeededBits(3)))
    steps.rehearsal = True
    assert len(picked(pick_pairs(wanted(), steps, PureDP("1"), 3))) == 3


def frozen():
    """Numbers for the columns and for two pairs; the second, (a, c), as contrasts of the levels of a."""
    columns = {"0": np.concatenate([np.full(9, 600), np.full(8, 700), [100], np.full(7, 800)])}
    return [columns, {"0": np.arange(72) * 3}, {"0": np.arange(9) * 5}, {"0": np.arange(63)}]


def test_what_is_asked_for_depends_on_what_was_published_alone():
    """Two quite different tables, the same published numbers and choices: the same candidates against the same references."""
    asked = []
    for found in (codes(), {name: column[::-1] // 2 for name, column in codes(5).items()}):
        purse, seen = FrozenPurse(frozen(), [0, 0, 0]), []
        steps = steps_of(wanted(), found, purse)
        honest = steps.choose

        def watched(candidates, cost, seen=seen, honest=honest, **given):
            seen.append([(each.nodes, each.expected.tolist(), each.penalty, cost) for each in candidates])
            return honest(candidates, cost, **given)

        steps.choose = watched
        pick_pairs(wanted(), steps, PureDP("1"), 3)
        assert len(seen) == 3
        asked.append((seen, purse.costs))
    assert asked[0] == asked[1]


@pytest.mark.parametrize("cost", [PureDP("1"), ZCDP("0.03")], ids=["pure", "zero-concentrated"])
def test_the_spread_of_a_margin_is_that_of_its_own_noise(cost):
    """Beside wide columns one of two levels has more noise."""
    errors = {node: [] for node in SIZES}
    for seed in range(60):
        steps = steps_of(wanted(), codes(), Purse(cost, SeededBits(seed)))
        steps.measure(wanted().network({}), cost)
        found = PickedPairs(SIZES, ROWS, steps.stages[0].measurements)
        for node, column in codes().items():
            errors[node].append(found.margins[node] - np.bincount(column, minlength=SIZES[node]) / ROWS)
    for node, own in errors.items():
        assert np.std(own) == pytest.approx(found.margin_spread(node), rel=0.25)


def test_measurements_of_one_pair_are_averaged_by_how_sure_they_are():
    steps = steps_of(wanted(), codes(), Purse(PureDP("3"), SeededBits(1)))
    steps.measure(wanted().network({}), PureDP("1"))
    network = wanted().network({"b": ["a"]}, ("a", "b"))
    spreads, tables = [], []
    for epsilon in ("0.25", "0.75"):
        steps.measure_pair(network, PureDP(epsilon))
        once = [*steps.stages[0].measurements, *steps.stages[-1].measurements]
        alone = PickedPairs(SIZES, ROWS, tuple(once))
        spreads.append(alone.spread("a", "b"))
        tables.append(alone.pair("b", "a"))
    both = PickedPairs(SIZES, ROWS, tuple(each for stage in steps.stages for each in stage.measurements))
    assert both.spread("a", "b") == pytest.approx((spreads[0] ** -2 + spreads[1] ** -2) ** -0.5)
    np.testing.assert_allclose(both.pair("b", "a"), 0.1 * tables[0] + 0.9 * tables[1], atol=1e-4)


@pytest.mark.parametrize("delta", [None, "1e-6"], ids=["pure", "zero-concentrated"])
def test_a_graph_from_picked_pairs_is_saved_and_asked_and_released(tmp_path, delta):
    records = frame(codes())
    ledger = dc.Ledger.unlimited() if delta is None else dc.Ledger(tmp_path / "ledger", "9", delta="1e-3")
    learned = dc.learn(
        records, list(VARIABLES), epsilon="1", form="dag", ledger=ledger, delta=delta, save=tmp_path / "graph.json"
    )
    assert learned.pairs.pairs.picked
    again = dc.read_learned(tmp_path / "graph.json")
    assert again.learning.cost == learned.learning.cost
    learned.release.save(tmp_path / "release.json")
    for posterior in (again.posterior, dc.load(tmp_path / "release.json").plugin):
        np.testing.assert_allclose(posterior.mean("d"), learned.posterior.mean("d"))
    assert learned.posterior.log_likelihood(records) / ROWS > -6.6
    assert again.prior is None  # the release goes on from the pairs' own numbers
    mechanism = dc.KNorm("1") if delta is None else dc.Gaussian(rho="0.1")
    release = dc.release(records, again, mechanism, ledger=ledger)
    assert len(release.value.released.earlier) >= len(VARIABLES)


def test_a_file_whose_noise_is_not_what_was_paid_for_is_refused(tmp_path):
    from discreet.errors import FormatError
    from discreet.model.files.strict_json import parse_json
    from discreet.release_file.document import digest, release_from_json

    learned = dc.learn(frame(codes()), list(VARIABLES), epsilon="1", form="dag", ledger=dc.Ledger.unlimited())
    learned.release.save(tmp_path / "release.json")
    content = parse_json((tmp_path / "release.json").read_bytes())
    content["statistics"]["learning"]["choices"] = "1/1000"
    content["digest"] = digest(content)
    with pytest.raises(FormatError, match="noise"):
        release_from_json(content)
