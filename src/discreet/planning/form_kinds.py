"""Forms of graphs that can be learned, and how a budget is divided for each."""

from __future__ import annotations

import math
from enum import Enum
from fractions import Fraction

from discreet.guarantee import PureDP
from discreet.measure.learning import Budget

__all__ = ["Form", "graph_share", "margin_share", "table_deviation"]


class Form(Enum):
    """What graphs are looked for."""

    TREE = "tree"
    """Every node has at most one parent, and as many have one as can."""
    FOREST = "forest"
    """The same, but edges that do not pay are left out."""
    TAN = "tan"
    """Tree-augmented naive Bayes: the target is a parent of all others, which may have one more."""
    DAG = "dag"
    """Every node has at most so many parents."""
    NAIVE_BAYES = "naive_bayes"
    """The target is the only parent of all others: nothing is looked for."""
    EMPTY = "empty"
    """No edges: nothing is looked for."""

    @property
    def has_target(self) -> bool:
        """Whether it is a form for predicting one column."""
        return self in (Form.TAN, Form.NAIVE_BAYES)

    @property
    def is_fixed(self) -> bool:
        """Whether the graph is known before any record is looked at."""
        return self in (Form.NAIVE_BAYES, Form.EMPTY)

    @property
    def words(self) -> str:
        """How it is called in a sentence."""
        return {Form.NAIVE_BAYES: "naive Bayes", Form.EMPTY: "no edges"}.get(self, f"a {self.value}")


_GRAPH = {Form.TREE: Fraction(2, 5), Form.FOREST: Fraction(2, 5), Form.TAN: Fraction(1, 2), Form.DAG: Fraction(1)}
_MARGINS = {Form.TREE: Fraction(1, 4), Form.FOREST: Fraction(1, 4), Form.TAN: Fraction(1, 2)}


def graph_share(form: Form) -> Fraction:
    """Which share of a budget goes to the graph, where one budget pays for the graph and its release.

    Of a dag all of it: its probabilities follow from the pairs that were measured. Of a graph that is known, nothing.
    """
    return _GRAPH.get(form, Fraction(0))


def margin_share(form: Form) -> Fraction:
    """Which share of the graph's budget measures what candidates are held against, before edges are chosen."""
    return _MARGINS.get(form, Fraction(0))


def table_deviation(release: Budget, tables: int) -> float:
    """About how far noise will move a cell when so many tables share what a release has to spend."""
    if isinstance(release, PureDP):
        return math.sqrt(2) * 2 * tables / float(release.epsilon)
    return math.sqrt(tables / float(release.rho))
