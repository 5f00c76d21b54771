import gzip
import json

import polars as pl
import pytest

from discreet import (
    DirichletPosterior,
    FormatError,
    Laplace,
    Ledger,
    Network,
    PointPosterior,
    Variable,
    release,
    write_network,
)
from discreet.posterior.noise_aware import NoiseAwarePosterior
from discreet.release_file.document import read_posterior

NETWORK = Network([Variable("a", ["no", "yes"])])
TABLES = {"a": [[0.25, 0.75]]}


@pytest.mark.parametrize("name", ["net.bif", "net.json", "net.bif.gz", "net.json.gz"])
def test_a_network_with_probabilities_is_a_posterior_without_uncertainty(tmp_path, name):
    write_network(NETWORK, tmp_path / name, TABLES)
    posterior = read_posterior(tmp_path / name)
    assert isinstance(posterior, PointPosterior)
    assert posterior.mean("a").tolist() == TABLES["a"]


@pytest.mark.parametrize("name", ["release.json", "release", "release.bif"])
def test_a_release_is_recognised_by_its_content(tmp_path, name):
    made = release(pl.DataFrame({"a": ["no", "yes"]}), NETWORK, Laplace("1"), ledger=Ledger.unlimited())
    made.save(tmp_path / name)
    assert isinstance(read_posterior(tmp_path / name), NoiseAwarePosterior)
    posterior = read_posterior(tmp_path / name, plugin=True)
    assert isinstance(posterior, DirichletPosterior)
    assert (posterior.concentration("a") == made.plugin.concentration("a")).all()
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress((tmp_path / name).read_bytes()))
    assert isinstance(read_posterior(packed), NoiseAwarePosterior)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"format": "discreet-release"', "not JSON"),
        ('{"format": "discreet-release", "version": 1}', "has no 'software'"),
        ('{"format": "something else"}', "network"),
        ("[]", "no network"),
        ("network n { }", "variable"),
        ("", "no network"),
    ],
)
def test_what_is_neither_is_refused_with_the_name_of_the_file(tmp_path, content, reason):
    (tmp_path / "file").write_text(content)
    with pytest.raises(FormatError, match=reason) as caught:
        read_posterior(tmp_path / "file")
    assert str(tmp_path / "file") in str(caught.value)


def test_a_network_without_probabilities_is_refused(tmp_path):
    write_network(NETWORK, tmp_path / "net.json")
    with pytest.raises(FormatError, match="no probabilities"):
        read_posterior(tmp_path / "net.json")


def test_an_edited_release_is_refused(tmp_path):
    release(pl.DataFrame({"a": ["no"]}), NETWORK, Laplace("1"), ledger=Ledger.unlimited()).save(tmp_path / "release.json")
    content = json.loads((tmp_path / "release.json").read_text())
    (tmp_path / "release.json").write_text(json.dumps({**content, "rows": 2}))
    with pytest.raises(FormatError, match="digest"):
        read_posterior(tmp_path / "release.json")
