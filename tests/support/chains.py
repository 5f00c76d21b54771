"""Chains from some tables on, for tests: what they visit in the rounds of an effort."""

from discreet.chains.family_chain import GoingChain
from discreet.chains.groups import Groups


def run_chain(tables, start, prior, effort, generator, progress=None):
    """In one group, which draws from a generator."""
    return GoingChain(tables, start, prior, generator).run(effort, progress)


def run_groups(tables, begin, effort, seed, progress=None):
    """In as many groups as the tables need."""
    return Groups(tables, begin, effort, seed).run(effort, progress)
