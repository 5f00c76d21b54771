import polars as pl
import pytest
from support.regressions import line_model, line_records

from discreet import Auto, Fourier, Gaussian, KNorm, Laplace, Ledger, MapPoint, Sampler, naive_bayes
from discreet.mechanisms.linear_moments import RegressionMoments
from discreet.mechanisms.linear_sampler import RegressionSampler

NETWORK = naive_bayes("y", ["x"])
DATA = pl.DataFrame({"y": ["0", "1", "1", "0"], "x": ["0", "1", "0", "0"]})
FOR_NETWORKS = [
    Laplace("1/2"), Laplace("1/2", tables="maximal", consistent=True), Fourier("1/2"), KNorm("1/2"), Gaussian(rho="1/50"),
    Auto("1/2"), Auto("1/2", "1e-6"), Sampler("1/2"), Sampler("1/2", draws=40, delta="1e-6"), MapPoint("1/2"),
]  # fmt: skip
FOR_LINES = [RegressionMoments("1/2"), RegressionMoments("1/2", "1e-6"), RegressionSampler("1/2"), RegressionSampler(10**6)]


def charged(ledger):
    """What the ledger itself has on file."""
    (charge,) = ledger.history()
    return charge.guarantee


@pytest.mark.parametrize("mechanism", FOR_NETWORKS, ids=lambda each: each.name)
def test_a_release_states_what_was_charged(mechanism, tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap="2", delta="1e-5")
    release = mechanism.release(DATA, NETWORK, ledger=ledger)
    assert release.guarantee == release.receipts[0].guarantee == charged(ledger)


@pytest.mark.parametrize("mechanism", FOR_LINES, ids=lambda each: f"{each.name}-{each.epsilon}")
def test_a_release_of_a_line_states_what_was_charged(mechanism, tmp_path):
    ledger = Ledger(tmp_path / "ledger", cap=2 * 10**6, delta="1e-5")
    release = mechanism.release(line_records(20), line_model(radius=1, noise="1/2"), ledger=ledger)
    assert release.guarantee == release.receipts[0].guarantee == charged(ledger)
    if mechanism.epsilon == 10**6:
        assert release.guarantee.epsilon < mechanism.epsilon  # draws that are not tempered cost less
