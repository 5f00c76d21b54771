"""How a mechanism shows itself: the call that makes it, what one release costs, and what that means."""

from __future__ import annotations

from abc import abstractmethod

from discreet.display import Display, Displayed, call_text
from discreet.guarantee import Guarantee

__all__ = ["Explained"]


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
