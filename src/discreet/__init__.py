"""Differentially private Bayesian inference on probabilistic graphical models.

The names below follow the pipeline: declare what is public, plan, release, and use what was released.
"""

from discreet.errors import (
    BudgetError,
    DataError,
    DiscreetError,
    DomainError,
    FormatError,
    LedgerError,
    ModelError,
    QueryError,
)
from discreet.guarantee import Caveat, Neighbours, PureDP, Receipt
from discreet.kernel.ledger import Ledger
from discreet.mechanisms import Laplace, plan, release
from discreet.model import (
    JEFFREYS,
    UNIFORM,
    BDeu,
    Network,
    Symmetric,
    TablePrior,
    Variable,
    naive_bayes,
    read_network,
    read_tables,
    write_network,
)
from discreet.posterior import DirichletPosterior, PointPosterior, Posterior, Release, load

__all__ = [
    "Variable",
    "Network",
    "naive_bayes",
    "read_network",
    "read_tables",
    "write_network",
    "Symmetric",
    "UNIFORM",
    "JEFFREYS",
    "BDeu",
    "TablePrior",
    "Ledger",
    "plan",
    "Laplace",
    "release",
    "Release",
    "PureDP",
    "Neighbours",
    "Caveat",
    "Receipt",
    "load",
    "Posterior",
    "DirichletPosterior",
    "PointPosterior",
    "DiscreetError",
    "ModelError",
    "BudgetError",
    "LedgerError",
    "DataError",
    "DomainError",
    "FormatError",
    "QueryError",
]
