"""Tables that could be behind several releases of different persons: what a posterior of all of them is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.chains.effort import Effort
from discreet.chains.visits import Visits, by_node, known_parameters, learned_parameters, near_tables
from discreet.measure.together import PublishedTogether
from discreet.model.network import Network
from discreet.model.prior import Prior

__all__ = ["visit_together"]


def visit_together(
    network: Network,
    prior: Prior,
    released: PublishedTogether,
    own: Mapping[str, Floats] | Mapping[str, Integers],
    effort: Effort,
    seed: int,
    progress: Callable[[int], None] | None = None,
) -> Visits:
    """Run the chains over the tables of all releases, given one prior and exact records of one's own.

    Every family has a table in every release. A node without parents that was not measured by itself is not read off its
    children's tables, as it is for one release alone: what other releases say of it could then not reach this one's.
    """
    if released.sites_differ:
        return _visit_sites(network, prior, released, own, effort.within(network.cells), seed, progress)
    # Visits that were kept are read without any of this.
    from discreet.chains.family_tables import family_tables
    from discreet.chains.fused_chain import run_fused
    from discreet.chains.row_priors import row_priors

    effort, generator = effort.within(network.cells), np.random.default_rng(seed)
    known = known_parameters(prior, own, network.families)
    tables = [family_tables(each, network.families, known) for each in released.parts]
    starts = [near_tables(*each, effort.chains, generator) for each in zip(tables, released.parts, strict=True)]
    rows = row_priors(tables[0], prior, effort.chains, generator)
    visited = run_fused(tables, starts, rows, effort, generator, progress)
    parameters = {family.node: prior.concentration(family)[None] for family in network.families}
    if visited.logs is not None:
        parameters |= learned_parameters(tables[0], visited.logs)
    return Visits(effort.chains, effort.rounds, by_node(tables[0], visited.counts), parameters, own)


def _visit_sites(
    network: Network,
    prior: Prior,
    released: PublishedTogether,
    own: Mapping[str, Floats] | Mapping[str, Integers],
    effort: Effort,
    seed: int,
    progress: Callable[[int], None] | None,
) -> Visits:
    """The same for sites that differ: the visits are of the common tables, and records of one's own are a further site."""
    from discreet.chains.family_tables import family_tables
    from discreet.chains.row_priors import row_priors
    from discreet.chains.site_chain import run_sites

    generator, families = np.random.default_rng(seed), network.families
    nothing = {family.node: np.zeros((family.configurations, family.levels)) for family in families}
    tables = [family_tables(each, families, nothing) for each in released.parts]
    starts = [near_tables(*each, effort.chains, generator) for each in zip(tables, released.parts, strict=True)]
    layout = family_tables(released.parts[0], families, known_parameters(prior, {}, families))
    common = row_priors(layout, prior, effort.chains, generator)
    known = [np.concatenate([np.ravel(own[family.node]) for family in layout.families]).astype(np.float64)] if own else []
    visited = run_sites(tables, starts, common, known, effort, generator, progress)
    parameters = {family.node: prior.concentration(family)[None] for family in families}
    if visited.logs is not None:
        parameters |= learned_parameters(layout, visited.logs)
    spreads = {family.node: visited.spreads[:, place].ravel() for place, family in enumerate(layout.families)}
    return Visits(effort.chains, effort.rounds, by_node(layout, visited.firsts), parameters, {}, spreads)
