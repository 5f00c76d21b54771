"""Grammar of BIF: blocks, headers and probabilities.

Where a block says ``table``, the values stand in counting order of (node, parents...), the last parent fastest, as the
format's description lays down and as pgmpy and pyAgrum read it: all configurations of the first level, then all of the
second. ``(level, ...)`` rows list the node's levels for one configuration. A ``default`` row holds for configurations that
have no row of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NoReturn, final

import numpy as np

from discreet.errors import FormatError, ModelError, suggestion
from discreet.model.files.bif_scanner import Scanner
from discreet.model.files.strict_json import show_text
from discreet.model.network import Network
from discreet.model.probability import ProbabilityTable, check_probabilities, name_configuration
from discreet.model.variable import Variable

__all__ = ["parse_blocks"]


@dataclass(frozen=True, slots=True)
class _Block:
    """A probability block: its header as read (``given`` is None without a bar), and where header and content start."""

    names: list[list[str]]
    given: list[list[str]] | None
    header: int
    content: int


def parse_blocks(text: str) -> tuple[Network, dict[str, ProbabilityTable]]:
    """Parse a text; a node that has no probabilities has no table in the result."""
    scanner = Scanner(text)
    variables: dict[str, Variable] = {}
    blocks: list[_Block] = []
    while scanner.kind != "end":
        if scanner.take("network"):
            _skip_network(scanner)
        elif scanner.take("variable"):
            variable = _read_variable(scanner, variables)
            variables[variable.name] = variable
        elif scanner.take("probability"):
            blocks.append(_read_header(scanner))
        else:
            scanner.fail("'network', 'variable' or 'probability'")
    headers = _resolve_headers(scanner, variables, blocks)
    try:
        network = Network(variables.values(), {node: parents for node, (parents, _) in headers.items()})
    except ModelError as error:
        raise FormatError(str(error)) from None
    # Only now are the tables known to be of a bearable size.
    tables = {node: _TableReader(text, network, node, start).read() for node, (_, start) in headers.items()}
    return network, {node: table for node in network.nodes if (table := tables.get(node)) is not None}


def _skip_network(scanner: Scanner) -> None:
    while scanner.kind in ("word", "quoted"):
        scanner.advance()
    scanner.expect("{", "after the name of the network")
    while scanner.take("property"):
        scanner.skip_property()
    scanner.expect("}", "at the end of the network block")


def _read_variable(scanner: Scanner, known: Mapping[str, Variable]) -> Variable:
    start = scanner.start
    name = " ".join(word for group in scanner.groups("{", "after the name of the variable") for word in group)
    scanner.advance()
    if name in known:
        scanner.refuse(f"the variable {show_text(name)} is declared twice; keep one.", start)
    levels: list[str] | None = None
    while not scanner.take("}"):
        if scanner.take("property"):
            scanner.skip_property()
        elif levels is None and scanner.take("type"):
            levels = _read_levels(scanner)
        else:
            scanner.fail("'property' or '}'" if levels else "'type discrete [ ... ] { ... };'")
    try:
        return Variable(name, levels or ())
    except ModelError as error:
        scanner.refuse(str(error), start)


def _read_levels(scanner: Scanner) -> list[str]:
    scanner.expect("discrete", "(only discrete variables can be used)")
    scanner.expect("[", "before the number of levels")
    if not re.fullmatch("[0-9]{1,9}", scanner.value):
        scanner.fail("the number of levels")
    count = int(scanner.value)
    scanner.advance()
    scanner.expect("]", "after the number of levels")
    start = scanner.start
    scanner.expect("{", "before the levels")
    groups = scanner.groups("}", "after the levels")
    scanner.advance()
    levels = _words(groups, count)
    if levels is None:
        scanner.refuse(f"{count} levels are announced, but {len(groups)} are listed; correct one of the two.", start)
    scanner.expect(";", "after the levels")
    return levels


def _words(groups: list[list[str]], count: int) -> list[str] | None:
    """Pick so many names. Commas part them; some programs write only white space, others names with spaces and no quotes."""
    if len(groups) == count:
        return [" ".join(group) for group in groups]
    words = [word for group in groups for word in group]
    return words if len(words) == count else None


def _read_header(scanner: Scanner) -> _Block:
    header = scanner.start
    scanner.expect("(", "after 'probability'")
    names = scanner.groups(")|", "or '|' after the name of the node")
    given: list[list[str]] | None = None
    if scanner.take("|"):
        given = scanner.groups(")", "after the parents")
    scanner.advance()
    if not scanner.at("{"):
        scanner.fail("'{' before the probabilities")
    content = scanner.start + 1
    scanner.advance()
    scanner.skip_block()
    return _Block(names, given, header, content)


def _resolve_headers(
    scanner: Scanner, variables: Mapping[str, Variable], blocks: Iterable[_Block]
) -> dict[str, tuple[list[str], int]]:
    """Find the parents of each node and where its probabilities start. Variables may be declared after the block."""
    found: dict[str, tuple[list[str], int]] = {}
    for block in blocks:
        names = _resolve_names(scanner, variables, block.names, block.header)
        given = _resolve_names(scanner, variables, block.given or [], block.header)
        if not names or (block.given is not None and len(names) != 1):
            scanner.refuse("expected one node, then '|' and its parents.", block.header)
        node, *parents = [*names, *given]
        if node in found:
            scanner.refuse(f"the probabilities of {show_text(node)} are given twice; keep one block.", block.header)
        found[node] = (parents, block.content)
    return found


def _resolve_names(scanner: Scanner, variables: Mapping[str, Variable], groups: list[list[str]], start: int) -> list[str]:
    """Find declared names: a group is several of them, or one whose name has spaces and no quotes."""
    names: list[str] = []
    for group in groups:
        together = " ".join(group)
        if together in variables:
            names.append(together)
            continue
        for word in group:
            if word not in variables:
                scanner.refuse(f"there is no variable {show_text(word)}.{suggestion(word, variables)}", start)
        names.extend(group)
    return names


@final
class _TableReader:
    """Fills the table of one node from the content of its block."""

    __slots__ = ("_default", "_family", "_filled", "_indices", "_network", "_scanner", "_table")

    def __init__(self, text: str, network: Network, node: str, start: int) -> None:
        self._scanner = Scanner(text, start)
        self._network = network
        self._family = network.family(node)
        self._table = np.zeros((self._family.configurations, self._family.levels))
        self._filled = np.zeros(self._family.configurations, dtype=np.bool_)
        self._default: list[float] | None = None
        self._indices = [
            {level: index for index, level in enumerate(network.variable(parent).levels)} for parent in self._family.parents
        ]

    def read(self) -> ProbabilityTable | None:
        """Return the table, or None for a block without probabilities."""
        scanner, start = self._scanner, self._scanner.start
        while not scanner.at("}"):
            if scanner.take("property"):
                scanner.skip_property()
            elif scanner.at("table"):
                self._read_all()
            elif scanner.at("default"):
                self._read_default()
            elif scanner.take("("):
                self._read_row()
            else:
                scanner.fail(f"'table', 'default', '(' or '}}' in the probabilities of {show_text(self._family.node)}")
        if self._default is None and not self._filled.any():
            return None
        self._complete(start)
        try:
            return check_probabilities(self._network, self._family.node, self._table)
        except ModelError as error:
            scanner.refuse(str(error), start)

    def _read_all(self) -> None:
        if self._filled.any():
            self._twice(self._scanner.start)
        values = self._scanner.numbers(self._family.cells, f"in the table of {show_text(self._family.node)}")
        self._table[:] = np.reshape(values, (self._family.levels, self._family.configurations)).T
        self._filled[:] = True

    def _read_default(self) -> None:
        if self._default is not None:
            self._twice(self._scanner.start)
        self._default = self._scanner.numbers(self._family.levels, f"in the default row of {show_text(self._family.node)}")

    def _read_row(self) -> None:
        scanner, start = self._scanner, self._scanner.start
        levels = _words(scanner.groups(")", "after the levels of the parents"), len(self._indices))
        if levels is None:
            scanner.refuse(f"a row of {show_text(self._family.node)} must name one level for each of its parents.", start)
        row = 0
        for level, indices in zip(levels, self._indices, strict=True):
            if level not in indices:
                scanner.refuse(f"{show_text(level)} is not a level of the parent.{suggestion(level, indices)}", start)
            row = row * len(indices) + indices[level]
        if self._filled[row]:
            self._twice(start)
        self._table[row] = scanner.numbers(self._family.levels, f"in a row of {show_text(self._family.node)}")
        self._filled[row] = True

    def _complete(self, start: int) -> None:
        if self._default is not None:
            self._table[~self._filled] = self._default
        elif not self._filled.all():
            where = name_configuration(self._network, self._family, int(self._filled.argmin()))
            self._scanner.refuse(f"{show_text(self._family.node)} has no probabilities for the configuration {where}.", start)

    def _twice(self, start: int) -> NoReturn:
        self._scanner.refuse(f"probabilities of {show_text(self._family.node)} are given twice; keep one.", start)
