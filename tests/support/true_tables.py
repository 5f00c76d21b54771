"""True tables behind small releases: all that there are, their law given a release, draws of it, and whether steps keep it."""

from itertools import product

import numpy as np
from scipy.special import gammaln

from discreet.chains.family_state import log_densities
from discreet.chains.family_tables import family_tables
from discreet.chains.sum_forms import SumForms
from discreet.measure.published import Published

LARGEST_Z = 5.0
"""Beyond it a mean is not what it should be. Hundreds of means are looked at: by chance once in thousands of runs."""


def lay_out(network, measurements, rows, known, nodes=None):
    """Families of some nodes, or of all; ``known`` are their Dirichlet parameters: one number, or tables by node."""
    families = [network.family(node) for node in (network.nodes if nodes is None else nodes)]
    given = known if isinstance(known, dict) else dict.fromkeys(network.nodes, known)
    parameters = {each.node: np.zeros((each.configurations, each.levels)) + given[each.node] for each in families}
    return family_tables(Published(network, tuple(measurements), rows), families, parameters)


def all_tables(cells, rows):
    """Every table of so many cells that sums to the number of records: tables x cells."""
    return np.array([table for table in product(range(rows + 1), repeat=cells) if sum(table) == rows], dtype=float)


def all_together(tables, rows):
    """Every combination of tables of all families: combinations x cells."""
    found = np.zeros((1, 0))
    for family in tables.families:
        each = all_tables(family.cells, rows)
        found = np.concatenate([np.repeat(found, len(each), axis=0), np.tile(each, (len(found), 1))], axis=1)
    return found


def joint_logs(tables, listed, prior):
    """Log density of all families' tables together, the shared margins integrated out: one for each column of the list."""
    return log_densities(tables, listed, prior).sum(axis=0) - SumForms(tables, np.random.default_rng(0)).tension(listed).sum(
        axis=0
    )


def exact_law(tables, rows):
    """All tables, and how probable they are, for declared Dirichlet parameters."""
    listed = all_together(tables, rows)
    logs = joint_logs(tables, listed.T, tables.prior[:, None])
    weights = np.exp(logs - logs.max())
    return listed, weights / weights.sum()


def draw_rows(weights, generator):
    """A row of each column, in proportion to its weights."""
    sums = np.cumsum(weights, axis=0)
    return (sums < generator.random(weights.shape[1]) * sums[-1]).sum(axis=0)


def features(values):
    """What a law is looked at by: values, squares, zeros, and products of each value with all others."""
    pairs = [values * np.roll(values, turn, axis=0) for turn in range(1, len(values) // 2 + 1)]
    return np.concatenate([values, values**2, values == 0, *pairs])


def drift(before, after, weights=1.0):
    """By how many standard errors the means of all features change: arrays whose last axis are independent draws."""
    change = weights * (features(after) - features(before))
    error = change.std(axis=1) / np.sqrt(change.shape[1])
    moving = error > 0
    assert moving.mean() > 0.25  # a step that stays where it is keeps every law
    return np.abs(change.mean(axis=1)[moving] / error[moving]).max()


def deviation(kept, listed, weights):
    """The same of what chains visited, rounds x cells x chains, around the means of a law over listed tables."""
    expected = features(listed.T) @ weights
    means = np.array([features(each) for each in np.moveaxis(kept, 2, 0).transpose(0, 2, 1)]).mean(axis=2)
    error = means.std(axis=0) / np.sqrt(len(means))
    apart = means.mean(axis=0) - expected
    assert np.abs(apart[error == 0]).max(initial=0) < 20 / kept[:, 0].size  # what never happens must be as rare as that
    return np.abs(apart[error > 0] / error[error > 0]).max()


def draw_parameters(tables, prior, chains, generator):
    """Logarithms of Dirichlet parameters from a prior that learns, family by family; Jeffreys' for a single row."""
    found = []
    for family in tables.families:
        strength = np.log(family.levels * prior.strength) + prior.spread * generator.standard_normal(chains)
        centre = generator.dirichlet(np.full(family.levels, prior.centre), chains).T
        log = strength + np.log(centre)
        found.append(log if family.configurations > 1 else np.full_like(log, np.log(0.5)))
    return np.concatenate(found)


def parameter_grid(prior, table):
    """A grid over the logarithm of the strength and the centre of two levels, with weights given the rows of an exact table.

    The weights are probabilities of the table as well, up to what does not depend on it.
    """
    strength, centre = np.meshgrid(np.linspace(-9, 9, 241), (np.arange(300) + 0.5) / 300, indexing="ij")
    total = np.exp(strength)
    parameters = np.stack([total * centre, total * (1 - centre)])
    log = -(((strength - np.log(2 * prior.strength)) / prior.spread) ** 2) / 2
    log += (prior.centre - 1) * (np.log(centre) + np.log(1 - centre))
    for row in table:
        log += gammaln(total) - gammaln(total + row.sum()) - gammaln(row + 1).sum()
        log += sum(gammaln(count + each) - gammaln(each) for count, each in zip(row, parameters, strict=True))
    return strength, centre, parameters, np.exp(log)


def draw_together(tables, parameters, records, generator):
    """Tables given the logarithms of each chain's parameters; and weights that make both together draws of their law.

    What the layout knows of the cells are records of one's own.
    """
    own = tables.prior[:, None]
    level = np.arange(len(tables.row_of_cell)) - tables.row_starts[tables.row_of_cell]
    first = np.cumsum([0, *(family.levels for family in tables.families)])
    alone = np.exp(parameters)[first[tables.family_of_cell] + level]
    lists = [all_tables(family.cells, records) for family in tables.families]
    chains = parameters.shape[1]
    single = [log_densities(tables, _one_of_each(lists, place, chains), alone + own) for place in range(max(map(len, lists)))]
    listed, places = all_together(tables, records), np.array(list(product(*map(range, map(len, lists)))))
    logs = -SumForms(tables, np.random.default_rng(0)).tension(listed.T).sum(axis=0)[:, None]
    for number in range(len(lists)):
        logs = logs + np.array(single)[places[:, number], number]
    weights = np.exp(logs - logs.max())
    found = listed[draw_rows(weights, generator)].T
    totals = [tables.sum_rows(each) for each in (alone, alone + own)]
    of_own = (gammaln(alone + own) - gammaln(alone)).sum(axis=0) + (gammaln(totals[0]) - gammaln(totals[1])).sum(axis=0)
    weights = weights.sum(axis=0) * np.exp(of_own - of_own.max())
    return found, weights / weights.mean()


def _one_of_each(lists, place, chains):
    return np.repeat(np.concatenate([each[min(place, len(each) - 1)] for each in lists])[:, None], chains, axis=1)
