"""docs/develop/file-kind.md, followed: one file and one line, and releases of the new kind are written, read and described."""

from fractions import Fraction

import numpy as np
import pytest
from support.files import check_loaded, content_of, forged
from support.mechanisms import NETWORK
from support.optional import need
from support.recipes import edits, follow, load_recipe, new_files, run, tool

import discreet as dc
from discreet.guarantee import Neighbours
from discreet.kernel.noise.laplace import DiscreteLaplace
from discreet.kernel.publish import PrivateNumbers, publish
from discreet.release_file import kinds
from discreet.release_file.facts import facts
from discreet.release_file.schema import release_schema
from discreet.releases import MechanismRecord, Release

RECIPE = "file-kind.md"
EPSILON = dc.PureDP("1/2")


@pytest.fixture
def made(monkeypatch):
    """A release of the new kind, charged and drawn by the kernel."""
    module = load_recipe(RECIPE)["discreet.release_file.level_count"]
    monkeypatch.setattr(kinds, "KINDS", (*kinds.KINDS, module.KIND))
    noise = DiscreteLaplace(Fraction(2), 1)
    private = {"count": PrivateNumbers(np.array([3]), noise)}
    noisy, receipt = publish(private, EPSILON, dc.Ledger.unlimited(), "level-count")
    value = module.LevelCount(NETWORK, dc.UNIFORM, "x", noise.scale, int(noisy["count"][0]), 4)
    record = MechanismRecord("level-count", {"epsilon": "1/2"})
    return Release(value, EPSILON, Neighbours.REPLACE_ONE, record, (), (receipt,), "test")


def test_a_kind_is_one_file_and_one_line():
    assert list(new_files(RECIPE)) == ["src/discreet/release_file/level_count.py"]
    assert [(path, len(lines)) for path, lines in edits(RECIPE).items()] == [("src/discreet/release_file/kinds.py", 2)]


def test_it_is_written_read_described_and_in_the_schema(made, tmp_path):
    assert check_loaded(made, tmp_path / "x.json").value == made.value
    assert ("node", "x") in list(facts(made))
    validator = need("jsonschema").Draft202012Validator(release_schema())
    validator.validate(content_of(made))
    assert not validator.is_valid({**content_of(made), "statistics": {"kind": "level-count", "node": "x", "scale": "2"}})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda file: file["statistics"].update(scale="1"), "noise .* does not fit its guarantee"),
        (lambda file: file["statistics"].update(scale="4"), "noise .* does not fit its guarantee"),
        (lambda file: file["statistics"].update(node="z"), "does not exist"),
        (lambda file: file["statistics"].update(count=1.5), "whole number"),
        (lambda file: file["mechanism"]["parameters"].update(epsilon="1/3"), "does not fit its guarantee"),
        (lambda file: file["mechanism"].update(name="laplace"), "not those of its mechanism"),
        (lambda file: file["mechanism"].update(name="magic"), "not known to this version"),
    ],
)
def test_a_file_whose_noise_does_not_fit_is_refused(made, change, reason, tmp_path):
    with pytest.raises(dc.FormatError, match=reason):
        dc.load(forged(made, tmp_path / "x.json", change))


@pytest.mark.slow
def test_the_line_that_the_recipe_adds_is_enough(tmp_path):
    folder = follow(RECIPE, tmp_path, offer=True)
    script = 'from discreet.release_file.schema import schema_text; print(\'"const": "level-count"\' in schema_text())'
    done = run(folder, "-c", script)
    assert done.stdout.strip() == "True", done.stderr
    layers = tool("check_layers")
    assert layers.offences(layers.read_tree(folder / "src" / "discreet")) == []
