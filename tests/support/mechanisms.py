"""Every mechanism, with a small network or line that it can release."""

import polars as pl

from discreet import (
    Auto,
    Fourier,
    Gaussian,
    KNorm,
    Laplace,
    MapPoint,
    RegressionMoments,
    RegressionSampler,
    Sampler,
    naive_bayes,
)
from support.recipes import even_shares
from support.regressions import line_model, line_records

NETWORK = naive_bayes("y", ["x"])
DATA = pl.DataFrame({"y": ["0", "1", "1", "0"], "x": ["0", "1", "0", "0"]})
POINTS = [{"y": [[0.5, 0.5]], "x": [[share, 1 - share], [0.5, 0.5]]} for share in (0.3, 0.6)]
FOR_NETWORKS = {
    "laplace": Laplace("1/2"),
    "laplace-maximal": Laplace("1/2", tables="maximal"),
    "laplace-consistent": Laplace("1/2", tables="maximal", consistent=True),
    "fourier": Fourier("1/2"),
    "knorm": KNorm("1/2"),
    "gaussian": Gaussian(rho="1/50"),
    "of one's own": even_shares()("1/2"),
    "auto": Auto("1/2"),
    "auto with delta": Auto("1/2", "1e-6"),
    "sampler": Sampler("1/2"),
    "sampler-zcdp": Sampler("1/2", draws=40, delta="1e-6"),
    "sampler-renyi": Sampler("1/2", delta="1e-6", truncated=False),
    "map": MapPoint("1/2"),
    "candidates": MapPoint("1/2", candidates=POINTS),
}
FOR_LINES = {
    "moments": RegressionMoments("1/2"),
    "moments with delta": RegressionMoments("1/2", "1e-6"),
    "sampler": RegressionSampler("1/2"),
}
LINE = line_model(radius=1, noise="1/2")
EVERY = {
    **{name: (each, DATA, NETWORK) for name, each in FOR_NETWORKS.items()},
    **{f"line: {name}": (each, line_records(20), LINE) for name, each in FOR_LINES.items()},
}
"""All of them, with records and model."""
