"""How different the sites are that were fused: one number for each node, with its interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.checks import check_probability
from discreet.display import Display, Displayed
from discreet.errors import QueryError
from discreet.inference.answer import interval_heading
from discreet.model.network import Network

__all__ = ["SiteSpread", "Spread", "find_site_spread"]


@dataclass(frozen=True, slots=True)
class Spread:
    """How far the probabilities of a node vary from site to site: one of p by spread x sqrt(p (1 - p))."""

    node: str
    value: float
    lower: float
    upper: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"node": self.node, "value": self.value, "lower": self.lower, "upper": self.upper}


@dataclass(frozen=True, slots=True, repr=False)
class SiteSpread(Displayed):
    """The spread of every node, the largest first. It is 0 where sites are alike, and 1 where they have nothing in common."""

    spreads: tuple[Spread, ...]
    interval: float

    def __iter__(self) -> Iterator[Spread]:
        return iter(self.spreads)

    def __len__(self) -> int:
        return len(self.spreads)

    def __getitem__(self, node: str) -> Spread:
        for spread in self.spreads:
            if spread.node == node:
                return spread
        raise QueryError(f"There is no node {node!r}.")

    @property
    def remark(self) -> str:
        """What the numbers mean."""
        return (
            "A probability of one half varies from site to site by about half the spread (a standard deviation), one of p by "
            "spread x sqrt(p (1 - p))."
        )

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Headings and rows of a table for people."""
        rows: list[tuple[str, ...]] = [
            (each.node, f"{each.value:.3f}", f"{each.lower:.3f} to {each.upper:.3f}", f"0.5 ± {each.value / 2:.3f}")
            for each in self.spreads
        ]
        return ("node", "spread", interval_heading(self.interval), "one half at a site"), rows

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"interval": self.interval, "spreads": [each.to_dict() for each in self.spreads], "meaning": self.remark}

    def _display(self) -> Display:
        headings, rows = self.table()
        return Display("How different the sites are", (), headings, rows, (self.remark,), numbers=3)


def find_site_spread(visited: Mapping[str, Floats] | None, network: Network, interval: float) -> SiteSpread:
    """From what the chains visited; refused where sites were taken to be alike."""
    if visited is None:
        raise QueryError(
            "The sites were taken to be alike, so nothing is known about how they differ. Fuse their releases with "
            "sites_differ=True, or --sites-differ of the command."
        )
    tail = (1 - check_probability(interval)) / 2
    found = []
    for node in network.nodes:
        lower, upper = np.quantile(visited[node], [tail, 1 - tail])
        found.append(Spread(node, float(np.mean(visited[node])), float(lower), float(upper)))
    return SiteSpread(tuple(sorted(found, key=lambda each: -each.value)), float(interval))
