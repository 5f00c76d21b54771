"""What pictures share: a figure without state, axes without a frame, names as they are, colours that all can tell apart."""

from __future__ import annotations

from typing import Any

from discreet.display import printable
from discreet.errors import DiscreetError

__all__ = ["COLOURS", "as_axes", "new_figure", "plain_axes", "plain_text"]

COLOURS = ("#0072B2", "#E69F00", "#CC79A7", "#009E73", "#D55E00", "#56B4E9", "#000000", "#999999")
"""Okabe and Ito's palette: told apart by readers with any colour vision."""
_LONGEST = 60


def new_figure(width: float, height: float) -> Any:
    """A figure of its own, without the state that pyplot keeps."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise DiscreetError('Pictures need matplotlib. Install it with: pip install "discreet[plots]"') from None
    return Figure(figsize=(width, height), layout="constrained")


def as_axes(ax: Any, width: float, height: float) -> Any:
    """The axes that somebody gave, or those of a new figure."""
    return new_figure(width, height).subplots() if ax is None else ax


def plain_axes(axis: Any, *, rows: bool = True) -> None:
    """No frame; with ``rows``, names stand beside what they name and need neither ticks nor an axis."""
    axis.spines[["left", "right", "top"] if rows else ["right", "top"]].set_visible(False)
    if rows:
        axis.tick_params(axis="y", length=0)


def plain_text(text: str, longest: int = _LONGEST) -> str:
    """A name as it is, at most as long as there is room. Names come from files: a dollar sign would begin a formula."""
    shown = printable(text).replace("\n", "\\n")
    return (shown if len(shown) <= longest else f"{shown[: longest - 3]}...").replace("$", r"\$")
