"""A release as a prior in NumPyro: one Dirichlet distribution for each row, of the same mean and total variance."""

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS

import discreet as dc


def go_on(release: dc.Release, node: str, own_counts: np.ndarray, draws: int = 1000, seed: int = 1) -> np.ndarray:
    """Posterior mean of a node's table after own counts (configurations x levels), with the release as the prior."""
    prior = release.posterior.as_prior().concentration(release.value.network.family(node))

    def model() -> None:
        with numpyro.plate("configuration", len(prior)):
            table = numpyro.sample(node, dist.Dirichlet(prior))
            numpyro.sample("own", dist.Multinomial(own_counts.sum(axis=1), table), obs=own_counts)

    chain = MCMC(NUTS(model), num_warmup=draws, num_samples=draws, progress_bar=False)
    chain.run(jax.random.PRNGKey(seed))
    return np.asarray(chain.get_samples()[node].mean(axis=0))
