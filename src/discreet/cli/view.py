"""How the command shows what was released: one view for each kind of model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import polars as pl

__all__ = ["INTERVAL", "Request", "Predicted", "View", "view_of"]

INTERVAL = 0.9
"""Credibility of the intervals that `show` gives."""

Predicted: TypeAlias = "tuple[pl.DataFrame, Callable[[], dict[str, Any]]]"
"""Predictions as a table, and how to make a document of plain values of them."""


@dataclass(frozen=True, slots=True)
class Request:
    """What `predict` was asked for."""

    file: Path
    data: Path
    target: str | None
    proba: bool
    confidence: Path | None
    output: Path | None


@dataclass(frozen=True, slots=True)
class View:
    """What the command says about the posteriors of one kind of model, beside what it says about every release."""

    show_node: Callable[[Any, str, bool], None]
    """The table of one node, as JSON if wanted."""
    show_further: Callable[[Any], None]
    """What `show` prints below the facts and the declaration."""
    further: Callable[[Any], dict[str, Any]]
    """The same as plain values."""
    predict: Callable[[Any, Request], Predicted]


def view_of(posterior: Any) -> View:
    """The view of the kind of model that a posterior is about."""
    from discreet.cli.linear import LINEAR_VIEW
    from discreet.cli.network import NETWORK_VIEW
    from discreet.model.declaration import LINEAR_MODELS, NETWORKS, ModelKind

    views: dict[ModelKind[Any], View] = {NETWORKS: NETWORK_VIEW, LINEAR_MODELS: LINEAR_VIEW}
    return views[posterior.model.kind]
