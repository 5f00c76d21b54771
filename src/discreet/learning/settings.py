"""How a budget is shared between the steps of learning: fixed beforehand, for everybody, from public facts alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.learning.wanted import Form, Wanted
from discreet.measure.learning import Budget, amount_of, like
from discreet.planning.form_kinds import graph_share, margin_share

__all__ = ["Settings", "settings_for"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Shares and limits. They were chosen on other splits of two data sets, before those of the benchmark were looked at."""

    whole: Fraction
    """The share of the whole budget that learning takes, where one budget pays for graph and release."""
    margins: Fraction
    """The share of learning's budget that measures what candidates are held against."""
    bound: Fraction
    """Where the slope of the divergence is clipped."""
    penalty: Fraction
    """How many times what noise alone would score is taken off."""
    fill: Fraction
    """How many deviations of the noise a cell must hold on average, for its table to be looked at."""

    def release(self, cost: Budget) -> Budget:
        """What a release can spend beside learning at this cost, if both share a budget as is advised."""
        return like(cost, amount_of(cost) * (1 - self.whole) / self.whole)


_TREE, _TAN = (
    Settings(graph_share(form), margin_share(form), Fraction(1, 2), Fraction(1), Fraction(1, 2))
    for form in (Form.TREE, Form.TAN)
)


def settings_for(wanted: Wanted) -> Settings:
    """The settings of a form.

    Claim:      depends on the form alone.
    Requires:   nothing.
    Checked by: tests/unit/learning/test_search.py::test_a_tree_leaves_nothing
    """
    return _TAN if wanted.form is Form.TAN else _TREE
