"""Release files of linear models: they come back exactly, and what is damaged or promises too much is refused."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from support.bits import SeededBits
from support.files import check_loaded, check_schema, content_of

import discreet as dc
from discreet.errors import FormatError
from discreet.release_file.document import digest, release_from_json, release_to_json

MODEL = dc.LinearModel(
    {"age": (16, 90), "hours": (0, 60)}, ("income", (0, 100)), {"(intercept)": 1, "age": "1/3", "hours": 2}, 2, "1/3"
)


@pytest.fixture(scope="module")
def made():
    generator = np.random.default_rng(1)
    frame = pl.DataFrame(
        {"age": generator.uniform(16, 90, 50), "hours": generator.uniform(0, 60, 50), "income": np.arange(50)}
    )
    return dc.release(frame, MODEL, dc.RegressionSampler("2", draws=4), ledger=dc.Ledger.unlimited(), _bits=SeededBits(2))


def changed(made, **changes):
    content = content_of(made) | changes
    return content | {"digest": digest(content)}


def test_a_release_comes_back_exactly(made, tmp_path):
    assert check_loaded(made, tmp_path / "release.json").value == made.value


def test_the_file_keeps_the_published_schema(made):
    check_schema(made)


def statistics(made, **changes):
    return {"statistics": release_to_json(made)["statistics"] | changes}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda made: statistics(made, tempering="1/100"), "noise in the release file does not fit"),
        (lambda made: statistics(made, tempering="2"), "noise in the release file|a temper in"),
        (lambda made: statistics(made, tempering=0.5), "must be a text"),
        (lambda made: statistics(made, steps=[[1, 2, 3]]), "as many draws"),
        (lambda made: statistics(made, steps=[[1, 2]] * 4), "do not fit the model"),
        (lambda made: statistics(made, steps=[[1.0, 2, 3]] * 4), "whole numbers"),
        (lambda made: statistics(made, steps=[[True, 2, 3]] * 4), "whole numbers"),
        (lambda made: statistics(made, steps=[[2**121, 2, 3]] * 4), "whole numbers"),
        (lambda made: statistics(made, steps=[[2**33, 0, 0]] * 4), "outside the radius"),
        (lambda made: statistics(made, extra=1), "unknown entry"),
        (lambda made: {"guarantee": {"kind": "pure", "epsilon": "1"}}, "does not fit its guarantee"),
        (lambda made: {"guarantee": {"kind": "zcdp", "rho": "2"}}, "does not fit|receipt"),
        (
            lambda made: {"mechanism": {"name": "regression-sampler", "parameters": {"epsilon": "1", "draws": "4"}}},
            "does not fit",
        ),
        (
            lambda made: {"mechanism": {"name": "regression-sampler", "parameters": {"epsilon": "2", "draws": "3"}}},
            "as many draws",
        ),
        (lambda made: {"mechanism": {"name": "laplace", "parameters": {"epsilon": "2"}}}, "not those of its mechanism"),
        (lambda made: {"model": release_to_json(made)["model"] | {"radius": "3"}}, "noise in the release file does not fit"),
        (lambda made: {"model": release_to_json(made)["model"] | {"noise": None}}, "declare noise"),
        (lambda made: {"model": release_to_json(made)["model"] | {"radius": None}}, "declare radius"),
        (lambda made: {"rows": 0}, "number of rows"),
        (lambda made: {"network": {}}, "unknown entry"),
    ],
)
def test_a_file_that_promises_more_than_it_keeps_is_refused(made, change, message):
    with pytest.raises(FormatError, match=message):
        release_from_json(changed(made, **change(made)))


def test_a_draw_may_be_rounded_out_of_the_ball_by_half_a_step_and_no_more():
    """With radius 2/3 the largest draw is 2863311530.67 steps, which is rounded up."""
    model = dc.LinearModel({"x": (-1, 1)}, ("y", (-1, 1)), 1, "2/3", 1, intercept=False)
    made = dc.release(pl.DataFrame({"x": [1.0], "y": [1.0]}), model, dc.RegressionSampler(1), ledger=dc.Ledger.unlimited())
    assert release_from_json(changed(made, **statistics(made, steps=[[2863311531]]))).value.steps == ((2863311531,),)
    with pytest.raises(FormatError, match="outside the radius"):
        release_from_json(changed(made, **statistics(made, steps=[[-2863311532]])))


def test_a_draw_on_the_edge_of_the_ball_can_be_saved(tmp_path):
    model = dc.LinearModel({"x": (-1, 1), "z": (-1, 1)}, ("y", (-1, 1)), 1, "1/3", 1)
    frame = pl.DataFrame({"x": [1.0] * 40, "z": [-1.0] * 40, "y": [1.0] * 40})
    for seed in range(8):
        sampler = dc.RegressionSampler(10**6)
        made = dc.release(frame, model, sampler, ledger=dc.Ledger.unlimited(), _bits=SeededBits(seed))
        made.save(tmp_path / f"{seed}.json")
        assert dc.load(tmp_path / f"{seed}.json").guarantee.epsilon == Fraction(4, 3)


def test_a_regression_is_not_a_posterior_of_a_network(made, tmp_path):
    from discreet.release_file.document import read_posterior, read_value

    made.save(tmp_path / "release.json")
    assert read_value(tmp_path / "release.json") == made.value
    with pytest.raises(FormatError, match="not about a network"):
        read_posterior(tmp_path / "release.json")
