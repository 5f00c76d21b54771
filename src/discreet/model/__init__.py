"""What everyone may know: variables, networks, linear models, priors and their files."""

from __future__ import annotations

from discreet.model.convert import as_network, from_networkx, from_pgmpy
from discreet.model.files.bif import format_bif, parse_bif
from discreet.model.files.linear_file import read_linear_model
from discreet.model.files.network_file import read_network, read_tables, write_network
from discreet.model.files.schema_file import read_schema, write_schema
from discreet.model.linear import LinearModel
from discreet.model.network import Network
from discreet.model.prior import JEFFREYS, UNIFORM, BDeu, Hierarchical, Prior, Symmetric, TablePrior
from discreet.model.reading import Reading
from discreet.model.schema import Schema
from discreet.model.schema_column import Category, SchemaColumn
from discreet.model.templates import chain_network, complete_network, naive_bayes, tree_network
from discreet.model.variable import Variable

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
    "LinearModel",
    "read_linear_model",
    "Prior",
    "Symmetric",
    "UNIFORM",
    "JEFFREYS",
    "BDeu",
    "Hierarchical",
    "TablePrior",
    "read_network",
    "read_tables",
    "write_network",
    "parse_bif",
    "format_bif",
    "as_network",
    "from_networkx",
    "from_pgmpy",
]
