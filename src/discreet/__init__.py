"""Differentially private Bayesian inference on probabilistic graphical models.

The names below follow the pipeline: declare what is public, plan, release, and use what was released.
Each is imported when it is first used, so that `import discreet` and the command start without delay.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.chains.effort import Effort
    from discreet.data import Csv, Excel, declare, misfits, spark_table, sql_table
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
    from discreet.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
    from discreet.inference.answer import Answer
    from discreet.inference.calibration import calibrate
    from discreet.inference.changes import Changes, compare_posteriors
    from discreet.inference.combine import Combined, combine
    from discreet.inference.compare import Comparison
    from discreet.inference.confidence import confidence_network, confidence_table
    from discreet.inference.explain import Explanation
    from discreet.inference.linear import Prediction
    from discreet.inference.quantities import Quantity
    from discreet.interop.export import export
    from discreet.interop.registry_entry import write_registry_entry
    from discreet.kernel.ledger import Ledger
    from discreet.learned import Learned
    from discreet.learning.cuts import cuts
    from discreet.learning.graphs import learn
    from discreet.learning.plan import plan
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
        plan_grid,
        release,
    )
    from discreet.model import (
        JEFFREYS,
        UNIFORM,
        BDeu,
        Category,
        Hierarchical,
        LinearModel,
        Network,
        Reading,
        Schema,
        SchemaColumn,
        Symmetric,
        TablePrior,
        Variable,
        chain_network,
        complete_network,
        naive_bayes,
        read_linear_model,
        read_network,
        read_schema,
        read_tables,
        tree_network,
        write_network,
        write_schema,
    )
    from discreet.planning.learning_plan import LearningPlan
    from discreet.planning.plan import Plan, Plans
    from discreet.planning.plan_grid import PlanGrid
    from discreet.planning.question_plan import QuestionPlan
    from discreet.posterior import (
        DirichletPosterior,
        NoiseAwarePosterior,
        PointPosterior,
        Posterior,
        PosteriorDraws,
        ReleasedPosterior,
    )
    from discreet.posterior.coefficients import Coefficients
    from discreet.posterior.linear import RegressionPosterior
    from discreet.posterior.linear_draws import RegressionDraws
    from discreet.posterior.sites import SiteSpread
    from discreet.release_file.document import load
    from discreet.release_file.fuse import fuse
    from discreet.release_file.learned_graph import read_learned
    from discreet.release_file.signature import Signature, sign, verify
    from discreet.releases import Release
    from discreet.unit import Unit
    from discreet.version import __version__

__all__ = [
    "Schema",
    "SchemaColumn",
    "Category",
    "read_schema",
    "write_schema",
    "Variable",
    "Reading",
    "Network",
    "naive_bayes",
    "chain_network",
    "tree_network",
    "complete_network",
    "read_network",
    "read_tables",
    "write_network",
    "LinearModel",
    "read_linear_model",
    "Symmetric",
    "UNIFORM",
    "JEFFREYS",
    "BDeu",
    "Hierarchical",
    "TablePrior",
    "Csv",
    "Excel",
    "sql_table",
    "spark_table",
    "declare",
    "misfits",
    "Ledger",
    "cuts",
    "learn",
    "Learned",
    "read_learned",
    "plan",
    "Plan",
    "Plans",
    "QuestionPlan",
    "LearningPlan",
    "plan_grid",
    "PlanGrid",
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
    "Guarantee",
    "PureDP",
    "ZCDP",
    "ApproxDP",
    "Unit",
    "sign",
    "verify",
    "Signature",
    "load",
    "fuse",
    "Posterior",
    "ReleasedPosterior",
    "NoiseAwarePosterior",
    "DirichletPosterior",
    "PosteriorDraws",
    "PointPosterior",
    "RegressionPosterior",
    "RegressionDraws",
    "Effort",
    "SiteSpread",
    "Answer",
    "Comparison",
    "compare_posteriors",
    "Changes",
    "combine",
    "Combined",
    "Explanation",
    "Quantity",
    "Coefficients",
    "Prediction",
    "confidence_network",
    "confidence_table",
    "calibrate",
    "export",
    "write_registry_entry",
    "DiscreetError",
    "ModelError",
    "BudgetError",
    "LedgerError",
    "DataError",
    "DomainError",
    "FormatError",
    "QueryError",
    "__version__",
]

_HOMES = {
    "discreet.errors": "BudgetError DataError DiscreetError DomainError FormatError LedgerError ModelError QueryError",
    "discreet.guarantee": "ZCDP ApproxDP Guarantee PureDP",
    "discreet.unit": "Unit",
    "discreet.kernel.ledger": "Ledger",
    "discreet.learning.cuts": "cuts",
    "discreet.learning.graphs": "learn",
    "discreet.learning.plan": "plan",
    "discreet.learned": "Learned",
    "discreet.release_file.learned_graph": "read_learned",
    "discreet.mechanisms": "Auto Fourier Gaussian KNorm Laplace MapPoint RegressionMoments RegressionSampler Sampler"
    " plan_grid release",
    "discreet.planning.plan": "Plan Plans",
    "discreet.planning.learning_plan": "LearningPlan",
    "discreet.planning.plan_grid": "PlanGrid",
    "discreet.planning.question_plan": "QuestionPlan",
    "discreet.model": "JEFFREYS UNIFORM BDeu Category Hierarchical LinearModel Network Reading Schema SchemaColumn Symmetric"
    " TablePrior Variable chain_network complete_network naive_bayes read_linear_model read_network read_schema read_tables"
    " tree_network write_network write_schema",
    "discreet.data": "Csv Excel declare misfits spark_table sql_table",
    "discreet.posterior": "DirichletPosterior NoiseAwarePosterior PointPosterior Posterior PosteriorDraws ReleasedPosterior",
    "discreet.release_file.document": "load",
    "discreet.release_file.fuse": "fuse",
    "discreet.release_file.signature": "Signature sign verify",
    "discreet.releases": "Release",
    "discreet.posterior.coefficients": "Coefficients",
    "discreet.chains.effort": "Effort",
    "discreet.posterior.linear": "RegressionPosterior",
    "discreet.posterior.linear_draws": "RegressionDraws",
    "discreet.posterior.sites": "SiteSpread",
    "discreet.inference.answer": "Answer",
    "discreet.inference.calibration": "calibrate",
    "discreet.inference.changes": "Changes compare_posteriors",
    "discreet.inference.combine": "Combined combine",
    "discreet.inference.compare": "Comparison",
    "discreet.inference.confidence": "confidence_network confidence_table",
    "discreet.inference.explain": "Explanation",
    "discreet.inference.linear": "Prediction",
    "discreet.inference.quantities": "Quantity",
    "discreet.interop.export": "export",
    "discreet.interop.registry_entry": "write_registry_entry",
    "discreet.version": "__version__",
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
