"""Differentially private Bayesian inference on probabilistic graphical models.

The names below follow the pipeline: declare what is public, plan, release, and use what was released.
Each is imported when it is first used, so that `import discreet` and the command start without delay.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from discreet.errors import (
        BudgetError,
        DataError,
        DiscreetError,
        DomainError,
        FormatError,
        ModelError,
    )
    from discreet.guarantee import ZCDP, ApproxDP, PureDP
    from discreet.kernel.ledger import Ledger
    from discreet.mechanisms import (
        Auto,
        Fourier,
        Gaussian,
        KNorm,
        Laplace,
        MapPoint,
        RegressionMoments,
        RegressionSampler,
        Sampler,
        plan,
        release,
    )
    from discreet.model import (
        JEFFREYS,
        UNIFORM,
        BDeu,
        LinearModel,
        Network,
        Symmetric,
        TablePrior,
        Variable,
        naive_bayes,
        read_linear_model,
        read_network,
        read_tables,
        write_network,
    )
    from discreet.posterior import DirichletPosterior, PointPosterior, Posterior, PosteriorDraws, Release, load

__all__ = [
    "Variable",
    "Network",
    "naive_bayes",
    "read_network",
    "read_tables",
    "write_network",
    "LinearModel",
    "read_linear_model",
    "Symmetric",
    "UNIFORM",
    "JEFFREYS",
    "BDeu",
    "TablePrior",
    "Ledger",
    "plan",
    "Laplace",
    "Fourier",
    "KNorm",
    "Gaussian",
    "Auto",
    "Sampler",
    "MapPoint",
    "RegressionMoments",
    "RegressionSampler",
    "release",
    "Release",
    "PureDP",
    "ZCDP",
    "ApproxDP",
    "load",
    "Posterior",
    "PosteriorDraws",
    "DirichletPosterior",
    "PointPosterior",
    "DiscreetError",
    "ModelError",
    "BudgetError",
    "DataError",
    "DomainError",
    "FormatError",
]

_HOMES = {
    "discreet.errors": "BudgetError DataError DiscreetError DomainError FormatError ModelError",
    "discreet.guarantee": "ApproxDP PureDP ZCDP",
    "discreet.kernel.ledger": "Ledger",
    "discreet.mechanisms": "Auto Fourier Gaussian KNorm Laplace MapPoint RegressionMoments RegressionSampler Sampler"
    " plan release",
    "discreet.model": "Variable Network naive_bayes read_network read_tables write_network LinearModel read_linear_model"
    " Symmetric UNIFORM JEFFREYS BDeu TablePrior",
    "discreet.posterior": "DirichletPosterior PointPosterior Posterior PosteriorDraws Release load",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a public name where it lives, once."""
        if name not in _HOME:
            raise AttributeError(f"module 'discreet' has no attribute {name!r}")
        globals()[name] = value = getattr(import_module(_HOME[name]), name)
        return value


def __dir__() -> list[str]:
    return [*globals(), *(name for name in __all__ if name not in globals())]
