"""Texts of network files that other programs read: BIF, XMLBIF, XDSL (GeNIe, SMILE) and NET (Hugin).

All of them list the levels of the node fastest, then those of the last parent, the first parent slowest: as our tables do.
Probabilities are written so that they read back as the same floats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from discreet.arrays import Floats
from discreet.interop.plain_names import ANY_TEXT, Alphabet, Renamed
from discreet.model.files.bif import format_bif
from discreet.model.network import Family

__all__ = ["FORMATS", "Format"]

Tables = Mapping[str, Floats]

_BIF_WORDS = {"network", "variable", "probability", "property", "type", "discrete", "table", "default"}
_NEXT = "\n  "  # between parents: a reader takes "node " at the end of a name for the beginning of a node
_NET_WORDS = {"net", "node", "potential", "states", "label", "data", "class", "utility", "decision", "function", "continuous"}


@dataclass(frozen=True, slots=True)
class Format:
    """How networks are written for a family of programs."""

    endings: tuple[str, ...]
    nodes: Alphabet
    levels: Alphabet
    write: Callable[[Renamed, Tables, list[str]], str]
    """A network with names that fit, its tables, and remarks for whoever opens the file."""


def _bif(renamed: Renamed, tables: Tables, remarks: list[str]) -> str:
    return "".join(f"// {line}\n" for line in remarks) + format_bif(renamed.network, tables)


def _xmlbif(renamed: Renamed, tables: Tables, remarks: list[str]) -> str:
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', *_comments(remarks), '<BIF VERSION="0.3">', "<NETWORK>"]
    lines.append("<NAME>discreet</NAME>")
    for variable in renamed.network.variables:
        lines += ['<VARIABLE TYPE="nature">', f"  <NAME>{escape(variable.name)}</NAME>"]
        lines += [f"  <OUTCOME>{escape(level)}</OUTCOME>" for level in variable.levels]
        lines.append("</VARIABLE>")
    for family in renamed.network.families:
        lines += ["<DEFINITION>", f"  <FOR>{escape(family.node)}</FOR>"]
        lines += [f"  <GIVEN>{escape(parent)}</GIVEN>" for parent in family.parents]
        lines += [f"  <TABLE>{_numbers(tables[family.node])}</TABLE>", "</DEFINITION>"]
    return "\n".join([*lines, "</NETWORK>", "</BIF>", ""])


def _xdsl(renamed: Renamed, tables: Tables, remarks: list[str]) -> str:
    network, titles = renamed.network, {new: old for old, new in renamed.nodes.items()}
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', *_comments(remarks)]
    lines += ['<smile version="1.0" id="discreet" numsamples="10000" discsamples="10000">', "  <nodes>"]
    for node in network.topological_order:  # GeNIe wants parents before their children
        lines.append(f"    <cpt id={quoteattr(node)}>")
        lines += [f"      <state id={quoteattr(level)} />" for level in network.variable(node).levels]
        parents = network.family(node).parents
        lines += [f"      <parents>{' '.join(parents)}</parents>"] if parents else []
        lines += [f"      <probabilities>{_numbers(tables[node])}</probabilities>", "    </cpt>"]
    lines += ["  </nodes>", "  <extensions>", '    <genie version="1.0" app="discreet" name="discreet">']
    for place, node in enumerate(network.topological_order):
        left, top = 40 + 180 * (place % 5), 40 + 100 * (place // 5)
        title = f"<name>{escape(_visible(titles[node]))}</name>"
        lines.append(
            f"      <node id={quoteattr(node)}>{title}<position>{left} {top} {left + 140} {top + 50}</position></node>"
        )
    return "\n".join([*lines, "    </genie>", "  </extensions>", "</smile>", ""])


def _net(renamed: Renamed, tables: Tables, remarks: list[str]) -> str:
    network, titles = renamed.network, {new: old for old, new in renamed.nodes.items()}
    lines = [*(f"% {line}" for line in remarks), "net", "{", "}"]
    for variable in network.variables:
        states = " ".join(f'"{level}"' for level in variable.levels)
        title = _title(titles[variable.name], variable.name)
        lines += [f"node {variable.name}", "{", f"  states = ({states});", f'  label = "{title}";', "}"]
    for family in network.families:
        given = f" | {_NEXT.join(family.parents)}" if family.parents else ""
        lines += [f"potential ({family.node}{given})", "{", f"  data = {_nested(family, tables)};", "}"]
    return "\n".join([*lines, ""])


def _title(name: str, word: str) -> str:
    """The name as it was, unless a reader that looks for words of the format everywhere would find one in it."""
    said = _visible(name).replace("\\", "/").replace('"', "'")
    return word if any(each in said.lower() for each in ("node", "states", "potential", "data")) else said


def _nested(family: Family, tables: Tables) -> str:
    """A table with a pair of brackets for each parent around the rows."""
    shape = family.shape[:-1]
    rows = iter(tables[family.node])

    def brackets(depth: int) -> str:
        if depth == len(shape):
            return f"({_numbers(next(rows))})"
        return f"({''.join(brackets(depth + 1) for _ in range(shape[depth]))})"

    return brackets(0)


def _numbers(table: Floats) -> str:
    return " ".join(repr(value) for value in np.ravel(table).tolist())  # repr reads back to the same float


def _comments(remarks: list[str]) -> Iterator[str]:
    """XML comments may not hold two hyphens in a row."""
    return (f"<!-- {line.replace('--', '- -').rstrip('-')} -->" for line in remarks)


def _visible(name: str) -> str:
    """A name as one line without control characters: XML cannot hold all of them, and a title does not need them."""
    return "".join(character if ANY_TEXT.fits(character) or character == " " else "?" for character in name)


_WORD = Alphabet(r"[A-Za-z0-9_]+", frozenset(_BIF_WORDS))
_BIF_NODE = Alphabet(r"[A-Za-z_][A-Za-z0-9_]*", frozenset(_BIF_WORDS), "x", one_case=True)
_IDENTIFIER = Alphabet(r"[A-Za-z][A-Za-z0-9_]*", frozenset(), "x")
FORMATS: Mapping[str, Format] = {
    "bif": Format((".bif",), _BIF_NODE, _WORD, _bif),
    "xmlbif": Format((".xmlbif", ".bifxml", ".xml"), ANY_TEXT, ANY_TEXT, _xmlbif),
    "xdsl": Format((".xdsl",), _IDENTIFIER, _IDENTIFIER, _xdsl),
    "net": Format((".net",), Alphabet(_IDENTIFIER.pattern, frozenset(_NET_WORDS), "x"), _WORD, _net),
}
"""All that networks can be exported to, by the word for it."""
