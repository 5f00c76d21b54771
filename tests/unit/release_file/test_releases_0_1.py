"""Files that version 0.1 wrote are read, give the answers that they gave, and would be written the same."""

import json
from pathlib import Path

import numpy as np
import pytest

from discreet import FormatError, load
from discreet.release_file.document import digest, release_text

FOLDER = Path(__file__).parents[2] / "fixtures" / "releases-0.1"
ANSWERS = json.loads((FOLDER / "answers.json").read_text())
NOISY = [name for name, answers in ANSWERS.items() if "aware" in answers]


def test_there_is_a_file_for_every_mechanism():
    kinds = {json.loads((FOLDER / f"{name}.json").read_text())["statistics"]["kind"] for name in ANSWERS}
    assert kinds == {
        "family-counts", "maximal-counts", "parities", "blocks", "margins", "draws", "point", "candidate", "moments",
        "regression-draws",
    }  # fmt: skip
    assert {path.stem for path in FOLDER.glob("*.json")} == {*ANSWERS, "answers"}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_file_of_version_0_1_is_written_as_it_was(name):
    path = FOLDER / f"{name}.json"
    assert release_text(load(path)) == path.read_bytes()


@pytest.mark.parametrize("name", [name for name, answers in ANSWERS.items() if "plugin" in answers])
def test_the_plug_in_posterior_gives_the_answers_of_version_0_1(name):
    """To rounding; but the nearest tables of parities were found by another search for the same minimum, to its own end."""
    posterior = load(FOLDER / f"{name}.json").plugin
    within = 5e-7 if name.startswith("fourier-project") else 1e-9
    for node, expected in ANSWERS[name]["plugin"].items():
        np.testing.assert_allclose(posterior.mean(node), expected, rtol=0, atol=within)


@pytest.mark.parametrize("name", [name for name in NOISY if ANSWERS[name]["fused"] is not None])
def test_the_fused_tables_are_those_of_version_0_1(name):
    fused = load(FOLDER / f"{name}.json").plugin.released.fused
    assert fused.keys() == ANSWERS[name]["fused"].keys()
    for node, expected in ANSWERS[name]["fused"].items():
        np.testing.assert_allclose(fused[node], expected, rtol=0, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", NOISY)
def test_the_posterior_that_knows_of_the_noise_gives_nearly_the_answers_of_version_0_1(name):
    """Its chains are others, and tables now learn from one another: answers are the same within what is not known.

    All other nodes have the first for a parent, and one of its levels is rare: believed once for each table that has it, it
    would be pulled away by many standard deviations.
    """
    posterior = load(FOLDER / f"{name}.json").posterior
    for node, expected in ANSWERS[name]["aware"].items():
        assert (np.abs(posterior.mean(node) - expected) < 1.5 * np.sqrt(posterior.variance(node))).all()


@pytest.mark.parametrize("name", [name for name, answers in ANSWERS.items() if "coefficients" in answers])
def test_a_regression_has_the_coefficients_of_version_0_1(name):
    found = [each.mean for each in load(FOLDER / f"{name}.json").posterior.summary()]
    np.testing.assert_allclose(found, ANSWERS[name]["coefficients"], rtol=1e-9)


def forge(tmp_path, name, **changes):
    """A file with other statistics and a digest that fits them."""
    content = json.loads((FOLDER / f"{name}.json").read_text())
    content["statistics"] |= changes
    path = tmp_path / "forged.json"
    path.write_text(json.dumps(content | {"digest": digest(content)}))
    return path


@pytest.mark.parametrize("changes", [{"repair": "increment", "increment": 2**62 - 1}, {"increment": 7}, {"repair": "clamp"}])
def test_a_repair_that_the_mechanism_does_not_name_is_refused(tmp_path, changes):
    load(forge(tmp_path, "fourier-project-optimal"))
    with pytest.raises(FormatError, match="not that of the mechanism"):
        load(forge(tmp_path, "fourier-project-optimal", **changes))


def test_an_exponent_that_no_float_holds_is_refused(tmp_path):
    load(forge(tmp_path, "map-candidates"))
    with pytest.raises(FormatError):
        load(forge(tmp_path, "map-candidates", exponent="9" * 999))
