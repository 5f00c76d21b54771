"""The Interchange Format for Bayesian networks (BIF): reading and writing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product

import numpy.typing as npt

from discreet.errors import FormatError, ModelError
from discreet.model.files.bif_parser import parse_blocks
from discreet.model.files.strict_json import show_text
from discreet.model.network import Family, Network
from discreet.model.probability import ProbabilityTable, check_tables

__all__ = ["format_bif", "parse_bif", "parse_bif_network"]

_BARE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


def parse_bif(text: str) -> tuple[Network, dict[str, ProbabilityTable]]:
    """Parse a network with its probabilities; every node must have them."""
    network, tables = parse_blocks(text)
    missing = [node for node in network.nodes if node not in tables]
    if missing:
        raise FormatError(f"There are no probabilities for {show_text(missing[0])}; read the network alone, or add them.")
    return network, tables


def parse_bif_network(text: str) -> Network:
    """Parse variables and edges; probabilities may be missing, but those that are there must be right."""
    return parse_blocks(text)[0]


def format_bif(network: Network, tables: Mapping[str, npt.ArrayLike] | None = None) -> str:
    """Write a network as BIF text, with its probabilities where they are given."""
    checked = _check_tables(network, tables)
    lines = ["network unknown {", "}"]
    for variable in network.variables:
        levels = ", ".join(_word(level) for level in variable.levels)
        lines += [f"variable {_word(variable.name)} {{", f"  type discrete [ {variable.size} ] {{ {levels} }};", "}"]
    for family in network.families:
        given = f" | {', '.join(_word(parent) for parent in family.parents)}" if family.parents else ""
        lines.append(f"probability ( {_word(family.node)}{given} ) {{")
        if checked:
            lines += _rows(network, family, checked[family.node])
        lines.append("}")
    return "\n".join(lines) + "\n"


def _check_tables(network: Network, tables: Mapping[str, npt.ArrayLike] | None) -> dict[str, ProbabilityTable]:
    if tables is None:
        return {}
    try:
        return check_tables(network, tables)
    except ModelError as error:
        raise FormatError(f"The tables cannot be written. {error}") from None


def _rows(network: Network, family: Family, table: ProbabilityTable) -> Iterator[str]:
    if not family.parents:
        yield f"  table {_numbers(table[0])};"
        return
    levels = [[_word(level) for level in network.variable(parent).levels] for parent in family.parents]
    for configuration, row in zip(product(*levels), table, strict=True):
        yield f"  ({', '.join(configuration)}) {_numbers(row)};"


def _numbers(row: Iterable[float]) -> str:
    return ", ".join(repr(float(value)) for value in row)  # repr reads back to the same float


def _word(name: str) -> str:
    if _BARE.fullmatch(name):
        return name
    if "\n" in name:
        raise FormatError(f"BIF cannot hold {show_text(name)}, which has more than one line; write a .json file instead.")
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
