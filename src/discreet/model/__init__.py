"""What everyone may know: variables, networks, linear models, priors and their files."""

from __future__ import annotations

from discreet.model.convert import as_network, from_networkx, from_pgmpy
from discreet.model.files.bif import format_bif, parse_bif, read_bif
from discreet.model.files.linear_file import linear_model_from_json, linear_model_to_json, read_linear_model
from discreet.model.files.network_file import network_from_json, network_to_json, read_network, read_tables, write_network
from discreet.model.linear import INTERCEPT, LinearModel
from discreet.model.network import CELL_LIMIT, Family, Network
from discreet.model.prior import JEFFREYS, UNIFORM, BDeu, Prior, Symmetric, TablePrior
from discreet.model.templates import naive_bayes
from discreet.model.variable import Variable

__all__ = [
    "Variable",
    "Family",
    "Network",
    "CELL_LIMIT",
    "naive_bayes",
    "INTERCEPT",
    "LinearModel",
    "read_linear_model",
    "linear_model_to_json",
    "linear_model_from_json",
    "Prior",
    "Symmetric",
    "UNIFORM",
    "JEFFREYS",
    "BDeu",
    "TablePrior",
    "read_network",
    "read_tables",
    "write_network",
    "network_to_json",
    "network_from_json",
    "read_bif",
    "parse_bif",
    "format_bif",
    "as_network",
    "from_networkx",
    "from_pgmpy",
]
