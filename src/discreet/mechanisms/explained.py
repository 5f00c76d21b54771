"""How a mechanism shows itself, and whom it can protect: the call that makes it, what a release costs, what that means."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

from discreet.display import Display, Displayed, call_text
from discreet.errors import ModelError
from discreet.guarantee import Guarantee
from discreet.unit import Unit

__all__ = ["Explained", "check_unit"]


class Explained(Displayed):
    """A mechanism that can be read at a prompt and in a notebook."""

    __slots__ = ()

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What one release costs at the most."""

    def __repr__(self) -> str:
        return call_text(self)

    def _display(self) -> Display:
        said = (str(self.guarantee), self.guarantee.meaning, self.guarantee.remark)
        return Display(call_text(self), notes=tuple(filter(None, said)))


class _Averaging(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def takes_averages(self) -> bool: ...


def check_unit(mechanism: _Averaging, unit: Unit) -> None:
    """Refuse averages where nobody has proved what they cost, or where their sums would be taken for counts.

    Claim:      afterwards the unit is not counted in parts, or the mechanism reckons with them.
    Requires:   nothing; called before anything is read.
    Checked by: tests/unit/mechanisms/test_persons.py::test_averages_are_refused_where_nobody_has_proved_what_they_cost
    """
    if unit.parts > 1 and not mechanism.takes_averages:
        raise ModelError(
            f'There is no {mechanism.name} release of averages over persons. Use rows_per_person="one", or a mechanism that '
            "adds noise to counts or moments."
        )
