"""Network files: our JSON format, and the choice between it and BIF."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from discreet.checks import check_path
from discreet.errors import FormatError, ModelError
from discreet.model.files.bif import format_bif, parse_bif, parse_bif_network
from discreet.model.files.plain_shapes import Constant, Text
from discreet.model.files.schema_reference import fill_from_schema
from discreet.model.files.shape import Entry, ListOf, MapOf, Object
from discreet.model.files.strict_json import decode_text, json_list, parse_json, read_limited, show_text
from discreet.model.files.variable_shape import VARIABLE, variable_entries
from discreet.model.network import Network, check_network
from discreet.model.probability import ProbabilityTable, check_tables, check_zeros
from discreet.model.variable import LENGTH_LIMIT, Variable
from discreet.output_file import write_atomically

__all__ = ["NETWORK", "network_from_json", "network_to_json", "read_network", "read_tables", "write_network"]

_BIF_START = re.compile(r"\s*(//|/\*|(network|variable|probability)\b)")

_NAME = Text(LENGTH_LIMIT)
NETWORK = Object(
    {
        "variables": Entry(ListOf(Entry(VARIABLE, "A variable")), "The variables", also={"minItems": 1}),
        "parents": Entry(
            MapOf(
                Entry(ListOf(Entry(_NAME, "A parent")), "The parents of {}", also={"uniqueItems": True}),
                key="A node",
                example="node -> list of parents",
            ),
            "The parents of a network",
        ),
    },
    constants={
        "format": Constant("discreet-network", "This is not a network: its format must be 'discreet-network'."),
        "version": Constant(1, "The version of this network is not 1; a newer discreet may have written it: upgrade."),
    },
    optional={
        "impossible": Entry(
            ListOf(
                Entry(
                    MapOf(Entry(_NAME, "A level that is declared impossible"), key="A node", example="node -> level"),
                    "A combination that is declared impossible",
                    also={"minProperties": 1},
                ),
                least=1,
            ),
            "The combinations that are declared impossible",
            "Combinations of levels that no record has: node -> level, of nodes of which one has all others as parents.",
        ),
        "learned": Entry(
            Constant(True, "Whether the arrows of a network were learned is said by true, or by leaving it out."),
            says="The arrows were learned from records: they are not causes.",
        ),
    },
)
"""A network in a file, without probabilities."""

Parsed = TypeVar("Parsed")


def network_to_json(network: Network) -> dict[str, Any]:
    """Write the network as a JSON object; nodes without parents are left out of ``parents``."""
    parents = {node: parents for node, parents in network.parents.items() if parents}
    further: dict[str, Any] = {"impossible": network.impossible} if network.impossible else {}
    further |= {"learned": True} if network.learned else {}
    variables = [variable_entries(variable) for variable in network.variables]
    return NETWORK.write({"variables": variables, "parents": parents, **further})


def network_from_json(obj: object) -> Network:
    """Check a JSON object and build the network; whatever is wrong is a FormatError."""
    declared = NETWORK.read(obj, "The network")
    try:
        variables = [Variable(**variable) for variable in declared["variables"]]
        learned = declared.get("learned", False)
        return Network(variables, declared["parents"], impossible=declared.get("impossible", ()), learned=learned)
    except ModelError as error:
        raise FormatError(str(error)) from None


def read_network(path: str | os.PathLike[str], *, zeros_impossible: bool = False) -> Network:
    """Read variables and edges from a BIF or JSON file, plain or gzip. Probabilities in it are checked and left aside.

    A probability of zero does not declare anything, because tables are often learned from records. With ``zeros_impossible``
    all of them do: only for files whose zeros follow from what the levels mean.
    """
    if not zeros_impossible:
        return _read(path, parse_bif_network, lambda content: _parse_json_file(content, _folder(path))[0])
    network, tables = read_tables(path)
    impossible = [*network.impossible, *_zeros(network, tables)]
    return Network(network.variables, network.parents, impossible=impossible, learned=network.learned)


def _zeros(network: Network, tables: Mapping[str, ProbabilityTable]) -> Iterator[dict[str, str]]:
    """Every zero of the tables, as the combination of a family's levels that it stands at."""
    for family in network.families:
        levels = [network.variable(member).levels for member in family.members]
        for place in np.argwhere((tables[family.node] == 0).reshape(family.shape)).tolist():
            yield {member: names[at] for member, names, at in zip(family.members, levels, place, strict=True)}


def read_tables(path: str | os.PathLike[str]) -> tuple[Network, dict[str, ProbabilityTable]]:
    """Read a network with its probabilities from a BIF or JSON file, plain or gzip."""
    return _read(path, parse_bif, lambda content: _parse_json_tables(content, _folder(path)))


def write_network(network: Network, path: str | os.PathLike[str], tables: Mapping[str, npt.ArrayLike] | None = None) -> None:
    """Write a .json or .bif file (or .json.gz, .bif.gz), with probabilities if they are given. Never leaves half a file."""
    check_network(network)
    kind, packed = _kind(path)
    if kind == ".bif" and network.impossible:  # a zero among its probabilities would say something else
        raise FormatError(
            f"{str(path)!r}: BIF has no place for combinations that are declared impossible; write a .json file."
        )
    if kind == ".bif" and any(variable.reading for variable in network.variables):
        raise FormatError(f"{str(path)!r}: BIF has no place for how raw values are read as levels; write a .json file.")
    if kind == ".bif":
        text = format_bif(network, tables)
    elif kind == ".json":
        text = _format_json_file(network, tables)
    else:
        raise FormatError(f"{str(path)!r}: the name of a network file must end in .json or .bif, or one of these and .gz.")
    # Without a time stamp the same network gives the same bytes.
    write_atomically(path, gzip.compress(text.encode("utf-8"), mtime=0) if packed else text)


def _kind(path: str | os.PathLike[str]) -> tuple[str, bool]:
    name = Path(check_path(path))
    packed = name.suffix.lower() == ".gz"
    return (name.with_suffix("") if packed else name).suffix.lower(), packed


def _read(path: str | os.PathLike[str], from_bif: Callable[[str], Parsed], from_json: Callable[[str], Parsed]) -> Parsed:
    content = read_limited(path)
    kind = _kind(path)[0]
    try:
        text = decode_text(content)
        if kind not in (".bif", ".json"):
            kind = _sniffed(text)
        return from_bif(text) if kind == ".bif" else from_json(text)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None


def _sniffed(text: str) -> str:
    """Tell the kind by the first word. Anything else may be somebody's records: no parser may quote from it."""
    if text.lstrip().startswith("{"):
        return ".json"
    if _BIF_START.match(text):
        return ".bif"
    raise FormatError(
        "this is no network; the name of a network file ends in .json or .bif, or one of these and .gz. A linear model is a "
        ".toml file: read_linear_model reads it."
    )


def _format_json_file(network: Network, tables: Mapping[str, npt.ArrayLike] | None) -> str:
    content = network_to_json(network)
    if tables is not None:
        try:
            checked = check_tables(network, tables)
            check_zeros(network, checked)
        except ModelError as error:
            raise FormatError(f"The tables cannot be written. {error}") from None
        content["tables"] = {node: table.tolist() for node, table in checked.items()}
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _folder(path: str | os.PathLike[str]) -> Path:
    """Where a file is: the schema that a network refers to lies beside it."""
    return Path(check_path(path)).parent


def _parse_json_tables(text: str, folder: Path) -> tuple[Network, dict[str, ProbabilityTable]]:
    network, tables = _parse_json_file(text, folder)
    if tables is None:
        raise FormatError("The file has no probabilities; read the network alone, or add 'tables'.")
    return network, tables


def _filled(content: object, folder: Path) -> object:
    """The content with all that it may leave out, or a sentence that says what else it is."""
    if not isinstance(content, dict):
        return content
    if content.get("format") == "discreet-release":
        raise FormatError("this is a release, not a network: read it with discreet.load(path); its value has the network.")
    if "fields" in content:
        raise FormatError("this is a schema, not a network: read it with discreet.read_schema(path) and make a network of it.")
    # Written by hand, a network without edges need not say that it has none.
    return fill_from_schema({**content, "parents": content.get("parents", {})}, folder)


def _parse_json_file(text: str, folder: Path) -> tuple[Network, dict[str, ProbabilityTable] | None]:
    content = _filled(parse_json(text), folder)
    if not (isinstance(content, dict) and "tables" in content):
        return network_from_json(content), None
    network = network_from_json({key: value for key, value in content.items() if key != "tables"})
    tables = content["tables"]
    if not isinstance(tables, dict):
        raise FormatError("The tables of a network must be an object: node -> list of rows.")
    for node, table in tables.items():
        for row in json_list(table, f"The table of {show_text(node)}"):
            if not all(type(value) in (int, float) for value in json_list(row, f"A row of the table of {show_text(node)}")):
                raise FormatError(f"The table of {show_text(node)} must hold numbers only.")
    try:
        checked = check_tables(network, tables)
        check_zeros(network, checked)
        return network, checked
    except ModelError as error:
        raise FormatError(str(error)) from None
