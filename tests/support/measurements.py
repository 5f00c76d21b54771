"""Measurements for tests: made of tables, and looked at by the nodes of families."""

from fractions import Fraction

from discreet.measure.blocks import Bundle, Group, join_parts
from discreet.measure.laws import KNormNoise, LaplaceNoise
from discreet.measure.measurement import Measurement, Statistic
from discreet.measure.published import Published, Repair
from discreet.measure.strategies.knorm import bundles_of


def counts(nodes, law, numbers=None):
    """Counts of these nodes' levels."""
    return Measurement(tuple(nodes), Statistic.COUNTS, law, numbers)


def noisy_counts(network, tables, scale, rows, repair=Repair.CLAMP):
    """Tables of families, by node and of configurations x levels, all with Laplace noise of one scale."""
    families = [network.family(node) for node in tables]
    law = LaplaceNoise(Fraction(scale))
    made = (counts(family.members, law, tables[family.node].reshape(family.shape)) for family in families)
    return Published(network, tuple(made), rows, repair)


def tables_of(published):
    """The noisy tables of families, configurations x levels, by node."""
    families = {each.nodes[-1]: published.network.family(each.nodes[-1]) for each in published.measurements}
    return {
        node: each.published.reshape(family.configurations, family.levels)
        for each, (node, family) in zip(published.measurements, families.items(), strict=True)
    }


def scales_of(published):
    """The scales of the noise of families' tables, by node."""
    return {each.nodes[-1]: each.law.scale for each in published.measurements}


def blocks_of(measurements):
    """For each bundle and each of its groups the numbers, configurations x width."""
    waiting = iter(measurements)
    return [
        [join_parts(group, [next(waiting).published for _ in group.parts]) for group in bundle.groups]
        for bundle in bundles_of(measurements)
    ]


def part_noise(shape, scale, size=1):
    """The law of a part of so many coordinates in a single block: its density is Gamma(shape, q / scale), upper incomplete."""
    levels = (2 if size == 1 else size,) + (2,) * (shape - 1)
    group = Group((), (), False, tuple(f"n{place}" for place in range(len(levels))), levels)
    return KNormNoise(Bundle((group,), 2 / Fraction(scale)), 0, 0)
