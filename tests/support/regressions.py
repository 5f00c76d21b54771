"""Small regressions for tests: records of a line, and releases of them."""

import numpy as np
import polars as pl

from discreet.kernel.ledger import Ledger
from discreet.mechanisms.linear_moments import RegressionMoments
from discreet.model.linear import LinearModel

SLOPES = (0.3, -0.2, 0.1, 0.05, -0.1, 0.2)
DEVIATION = 0.1


def line_model(features=2, **options):
    """Features in [0, 10] and a target in [-50, 50]."""
    return LinearModel({f"x{place}": (0, 10) for place in range(features)}, ("y", (-50, 50)), **({"precision": 4} | options))


def line_records(rows, features=2, seed=1, intercept=0.1, slopes=SLOPES, deviation=DEVIATION):
    """Records for which the model is true, with the given slopes in scaled units: never clipped in practice."""
    generator = np.random.default_rng(seed)
    x = generator.uniform(-1, 1, (rows, features))
    y = intercept + x @ np.array(slopes[:features]) + deviation * generator.standard_normal(rows)
    columns = {f"x{place}": 5 + 5 * x[:, place] for place in range(features)}
    return pl.DataFrame(columns | {"y": 50 * y})


def line_release(rows=2000, features=2, epsilon="1", delta=None, seed=1, bits=None, offset=0.1, **options):
    """A release of such records."""
    mechanism = RegressionMoments(epsilon, delta)
    data = line_records(rows, features, seed, offset)
    return mechanism.release(data, line_model(features, **options), ledger=Ledger.unlimited(), _bits=bits)
