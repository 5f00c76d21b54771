"""A new user at a prompt: what is clear is taken, what is wrong is explained, and nothing private is ever shown."""

import inspect
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import discreet as dc

NETWORK = dc.naive_bayes("y", ["a"])
RECORDS = pl.DataFrame({"y": ["0", "1"] * 20, "a": ["1", "0"] * 20})
SECRET = pl.DataFrame({"secret-column": ["secret-value", "0"]})
LINE = dc.LinearModel({"x": (0, 1)}, ("t", (0, 1)))
POINT = dc.PointPosterior(NETWORK, {"y": [[0.5, 0.5]], "a": [[0.5, 0.5], [0.2, 0.8]]})
PLUGIN = dc.release(RECORDS, NETWORK, dc.Laplace("1"), ledger=dc.Ledger.unlimited()).plugin
AWARE = dc.NoiseAwarePosterior(NETWORK, dc.UNIFORM, PLUGIN.released, effort=dc.Effort(4, 2, 4))

MISPLACED = [
    None, True, 3, -1, 1.5, float("nan"), "word", "", b"bytes", [], [1], ["a"], [("y", "a")], {}, {"a": 1}, {"y": None},
    {"a"}, object(), np.array([1.0, 2.0]), np.int64(3), SECRET, SECRET.to_pandas(), pl.Series([1]), NETWORK, LINE, POINT,
    dc.Laplace, dc.Laplace("1"), dc.Ledger.unlimited(), dc.UNIFORM, dc.PureDP("1"), Fraction(-1), abs, 1j,
]  # fmt: skip
"""Things that end up in the wrong place."""


def gaussian(rho="0.1", epsilon=None, delta=None):
    return dc.Gaussian(epsilon, delta, rho=rho)


def release(
    data=RECORDS, network=NETWORK, mechanism="laplace", epsilon="1", ledger=None, prior="uniform", missing=None, rows=40
):
    account = dc.Ledger.unlimited() if ledger is None else ledger
    return dc.release(data, network, mechanism, epsilon=epsilon, ledger=account, prior=prior, missing=missing, rows=rows)


def explained(guarantee=dc.PureDP, **budgets):
    made = guarantee(**budgets)
    return made.meaning, made.remark, repr(made), made.compose(made)


CALLS = {
    "Variable": (dc.Variable, {"name": "v", "levels": [0, 1]}),
    "Network": (dc.Network, {"variables": NETWORK.variables, "parents": {"a": ["y"]}}),
    "from_edges": (dc.Network.from_edges, {"variables": NETWORK.variables, "edges": [("y", "a")]}),
    "naive_bayes": (dc.naive_bayes, {"label": "y", "features": ["a"], "levels": [0, 1]}),
    "LinearModel": (dc.LinearModel, {"features": {"x": (0, 1)}, "target": ("t", (0, 1)), "precision": 1, "radius": 1}),
    "read_network": (dc.read_network, {"path": "none.json"}),
    "read_tables": (dc.read_tables, {"path": "none.json"}),
    "read_linear_model": (dc.read_linear_model, {"path": "none.toml"}),
    "load": (dc.load, {"path": "none.json"}),
    "sql_table": (dc.sql_table, {"query": "SELECT 1", "connection": "none"}),
    "Symmetric": (dc.Symmetric, {"weight": 1}),
    "BDeu": (dc.BDeu, {"sample_size": 1}),
    "TablePrior": (dc.TablePrior, {"network": NETWORK, "tables": {"y": [1, 1], "a": [[1, 1], [1, 1]]}}),
    "PureDP": (explained, {"epsilon": 1}),
    "charge": (dc.Ledger.unlimited().charge, {"guarantee": dc.PureDP("1"), "purpose": "test"}),
    "compose": (dc.ZCDP("1").compose, {"other": dc.PureDP("1")}),
    "plan": (dc.plan, {"network": NETWORK, "rows": 10, "epsilon": "1", "delta": None}),
    "Laplace": (dc.Laplace, {"epsilon": "1", "tables": "all", "consistent": False}),
    "Fourier": (dc.Fourier, {"epsilon": "1", "stealth": 0.9, "repair": "project", "weights": "optimal"}),
    "Gaussian": (gaussian, {"rho": "0.1", "epsilon": None, "delta": None}),
    "Auto": (dc.Auto, {"epsilon": "1", "delta": None}),
    "Sampler": (dc.Sampler, {"epsilon": "1", "draws": 1, "floor": None, "temper": None, "delta": None}),
    "MapPoint": (dc.MapPoint, {"epsilon": "1", "floor": None, "candidates": None, "permute_and_flip": False}),
    "RegressionMoments": (dc.RegressionMoments, {"epsilon": "1", "delta": None}),
    "RegressionSampler": (dc.RegressionSampler, {"epsilon": "1", "draws": 1}),
    "release": (release, {name: entry.default for name, entry in inspect.signature(release).parameters.items()}),
    "Effort": (dc.Effort, {"chains": 4, "warm_up": 1, "rounds": 4}),
    "DirichletPosterior": (dc.DirichletPosterior, {"network": NETWORK, "prior": dc.UNIFORM}),
    "PointPosterior": (dc.PointPosterior, {"network": NETWORK, "tables": POINT.tables}),
    "confidence_table": (dc.confidence_table, {"posterior": POINT, "data": RECORDS, "target": "y", "missing": None}),
    "calibrate": (dc.calibrate, {"probabilities": [[0.5, 0.5]], "confidence": None}),
    "kl": (PLUGIN.kl, {"other": PLUGIN}),
    "answer": (POINT.query("y", interval=None).__getitem__, {"key": "0"}),
    "plans": (dc.plan(NETWORK, 10, 1).__getitem__, {"mechanism": "laplace"}),
}
for _name, _posterior in {"point": POINT, "plugin": PLUGIN, "aware": AWARE}.items():
    CALLS |= {
        f"{_name}.mean": (_posterior.mean, {"node": "y"}),
        f"{_name}.draws": (_posterior.draws, {"count": 3, "generator": None}),
        f"{_name}.query": (
            _posterior.query,
            {"target": "y", "given": {"a": "0"}, "interval": 0.9, "draws": 5, "generator": 1},
        ),
        f"{_name}.predict": (_posterior.predict, {"data": RECORDS, "target": "y"}),
        f"{_name}.log_likelihood": (_posterior.log_likelihood, {"data": RECORDS}),
        f"{_name}.sample": (_posterior.sample, {"rows": 3, "generator": None}),
    }
for _name, _posterior in {"plugin": PLUGIN, "aware": AWARE}.items():
    CALLS |= {
        f"{_name}.interval": (_posterior.interval, {"node": "y", "interval": 0.9}),
        f"{_name}.update": (_posterior.update, {"data": RECORDS, "missing": None, "progress": None}),
    }


def run(call, name, given):
    return call(*given.values()) if name in ("answer", "plans") else call(**given)


def message_of(call, name, given):
    """What our error says, or None where there is none; any other error is a failure of the test."""
    try:
        run(call, name, given)
    except dc.DiscreetError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", CALLS)
def test_whatever_is_in_the_wrong_place_is_explained_and_not_shown(name):
    call, right = CALLS[name]
    messages = [message_of(call, name, {**right, parameter: thing}) for parameter in right for thing in MISPLACED]
    explained = [message for message in messages if message is not None]
    assert explained
    assert not [message for message in explained if "secret" in message or not message.endswith((".", "?"))]


def test_the_calls_are_right_when_nothing_is_in_the_wrong_place():
    absent = {"read_network", "read_tables", "read_linear_model", "load", "sql_table", "calibrate"}
    for name, (call, right) in CALLS.items():
        if name not in absent:
            run(call, name, right)


def test_a_seed_is_a_generator_that_gives_the_same_again():
    for posterior in (PLUGIN, AWARE):
        one, two = (posterior.query("y", generator=3) for _ in range(2))
        assert np.array_equal(one.lower, two.lower)
        assert posterior.sample(20, generator=3).equals(posterior.sample(20, generator=np.random.default_rng(3)))
        assert np.array_equal(posterior.draws(5, 3)["y"], posterior.draws(5, np.random.default_rng(3))["y"])
    with pytest.raises(dc.QueryError, match="generator is a seed"):
        PLUGIN.query("y", generator="three")


def test_edges_where_parents_are_wanted_are_sent_to_where_edges_are_wanted():
    with pytest.raises(dc.ModelError, match=r"Network.from_edges\(variables, edges\)"):
        dc.Network(NETWORK.variables, [("y", "a")])
    with pytest.raises(dc.ModelError, match=r"is for Network\(variables, parents\)"):
        dc.Network.from_edges(NETWORK.variables, {"a": ["y"]})
    assert dc.Network.from_edges(NETWORK.variables, [("y", "a")]) == NETWORK


@pytest.mark.parametrize("ending", ["csv", "parquet", "ndjson"])
def test_a_table_is_never_read_as_something_public(tmp_path, ending):
    path = tmp_path / f"patients.{ending}"
    getattr(SECRET, f"write_{ending}")(path)
    for read in (dc.load, dc.read_network, dc.read_tables, dc.read_linear_model):
        with pytest.raises(dc.FormatError, match="this is a table of records, not the file of a release, a") as caught:
            read(path)
        assert "secret" not in str(caught.value)


def test_a_public_file_of_another_kind_is_sent_to_its_reader(tmp_path):
    for name in ("clinic.bif", "clinic.json"):
        dc.write_network(NETWORK, tmp_path / name)
        with pytest.raises(dc.FormatError, match="read_network reads networks"):
            dc.load(tmp_path / name)
    dc.release(RECORDS, NETWORK, dc.Laplace("1"), ledger=dc.Ledger.unlimited()).save(tmp_path / "release.json")
    with pytest.raises(dc.FormatError, match="this is a release, not a network: read it with"):
        dc.read_network(tmp_path / "release.json")


def test_who_asks_a_release_is_sent_to_its_posterior():
    made = dc.release(RECORDS, NETWORK, dc.Laplace("1"), ledger=dc.Ledger.unlimited())
    with pytest.raises(AttributeError, match=r"Ask its posterior: release\.posterior\.query"):
        made.query("y")
    with pytest.raises(AttributeError, match=r"no attribute 'nothing'$"):
        _ = made.nothing
    with pytest.raises(AttributeError, match=r"Ask its guarantee: release\.guarantee\.epsilon$"):
        _ = made.epsilon
    for wrong in (made.map, made.combine):
        with pytest.raises(dc.ModelError):
            wrong(3)


def test_a_word_that_is_nearly_right_is_suggested():
    plans = dc.plan(NETWORK, 10, "1")
    assert plans["laplace"].mechanism == "laplace"
    with pytest.raises(dc.QueryError, match="Did you mean 'laplace'"):
        plans["Laplace"]
    line = dc.plan(LINE, 10, "1")
    with pytest.raises(dc.QueryError, match="Did you mean 'regression-moments'"):
        line["regression moments"]
