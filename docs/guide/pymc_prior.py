"""A release as a prior in PyMC: go on from `clinic.json` with counts of one's own.

The posterior of the release becomes one Dirichlet distribution for each row, of the same mean and total variance. That is an
approximation; `noise_model` beside it is exact: the true count behind a published one is summed over, with the law of the
noise that the release file states.
"""

import numpy as np
import pymc as pm

import discreet as dc


def go_on(release: dc.Release, node: str, own_counts: np.ndarray, draws: int = 1000, seed: int = 1) -> np.ndarray:
    """Posterior mean of a node's table after own counts (configurations x levels), with the release as the prior."""
    prior = release.posterior.as_prior().concentration(release.value.network.family(node))
    with pm.Model():
        table = pm.Dirichlet(node, a=prior)
        pm.Multinomial("own", n=own_counts.sum(axis=1), p=table, observed=own_counts)
        sampled = pm.sample(draws, tune=draws, chains=2, cores=1, random_seed=seed, progressbar=False)
    return np.asarray(sampled.posterior[node].mean(("chain", "draw")))


def noise_model(release: dc.Release, draws: int = 1000, seed: int = 1) -> np.ndarray:
    """Draws of the probability of the second level of a network's only node, of two levels and uniform beforehand.

    Published counts are count + discrete Laplace noise: P(noise = k) is proportional to exp(-|k| / scale).
    """
    (measured,) = release.value.released.measurements
    rows, scale = release.value.released.rows, float(measured.law.scale)
    counts = np.arange(rows + 1)  # of the second level: all that could be behind the release
    noise = np.abs(measured.numbers[0] - (rows - counts)) + np.abs(measured.numbers[1] - counts)
    with pm.Model():
        p = pm.Uniform("p", 0, 1)
        logs = pm.logp(pm.Binomial.dist(n=rows, p=p), counts) - noise / scale
        pm.Potential("published", pm.math.logsumexp(logs))
        sampled = pm.sample(draws, tune=draws, chains=2, cores=1, random_seed=seed, progressbar=False)
    return np.asarray(sampled.posterior["p"]).ravel()
