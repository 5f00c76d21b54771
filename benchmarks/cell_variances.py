"""The predicted noise of every mechanism on well-known graphs, read as binary: python -m benchmarks.cell_variances

Mean variance of a family cell at epsilon 1 (Gaussian noise: epsilon 1, delta 1e-6), before negative cells are repaired. It
depends on the graph alone; the table is the one of docs/guide/mechanisms.md.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import discreet as dc
from discreet.mechanisms.auto import noise_mechanisms

from .networks import bif

_NAMES = ("asia", "alarm", "hepar2", "win95pts", "andes")


def main() -> None:
    """Print the table."""
    graphs = {"naive Bayes, 16 features": dc.naive_bayes("y", [f"x{i}" for i in range(16)])}
    graphs["chain of 20"] = _binary({f"x{i}": [f"x{i - 1}"] if i else [] for i in range(20)})
    with TemporaryDirectory() as folder:
        for name in _NAMES:
            graphs[name] = _binary(dc.read_network(bif(name, Path(folder))).parents)
    candidates = noise_mechanisms(Fraction(1), Fraction(1, 10**6))
    print("| graph | " + " | ".join(each.name for each in candidates) + " |")
    print("|---" * (len(candidates) + 1) + "|")
    for name, network in graphs.items():
        cells = [_mean(each, network) for each in candidates]
        print(f"| {name} | " + " | ".join(f"{value:,.0f}" for value in cells) + " |")


def _binary(parents: dict) -> dc.Network:
    return dc.Network([dc.Variable(node, ["0", "1"]) for node in parents], parents)


def _mean(mechanism, network: dc.Network) -> float:
    noise = mechanism.cell_noise(network)
    return sum(noise[family.node].cell * family.cells for family in network.families) / network.cells


if __name__ == "__main__":
    main()
