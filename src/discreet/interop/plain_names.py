"""Names that other programs can read: most of their files hold words of letters, digits and underscores alone.

What is no such word becomes one, and no two names become the same. What was changed is told, and stands in the file.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from discreet.model.network import Network
from discreet.model.variable import Variable

__all__ = ["ANY_TEXT", "Alphabet", "Renamed", "rename"]

_LONGEST = 60
"""Characters of a word that is made of a name. Names may be long, and come from anybody's file."""
_SPELLED = {
    "<=": "at_most_", "\u2264": "at_most_", ">=": "at_least_", "\u2265": "at_least_", "<": "below_", ">": "above_",
    "+": "_plus", "%": "_percent",
}  # fmt: skip
"""Marks that tell levels apart, such as <=50K from >50K, are spelled out."""


@dataclass(frozen=True, slots=True)
class Alphabet:
    """Which names a format can hold: those that the pattern matches, but for some words that mean something else in it."""

    pattern: str
    taken: frozenset[str] = frozenset()
    first: str = ""
    """What is put before a word that may not begin as it does."""
    one_case: bool = False
    """Whether some reader takes names for the same that differ in capitals alone."""

    def fits(self, name: str) -> bool:
        """Whether a name can stay as it is."""
        return re.fullmatch(self.pattern, name) is not None and name.lower() not in self.taken

    def word(self, name: str) -> str:
        """The nearest word, which may be that of another name, too. Accents go, other marks become underscores."""
        spelled = name
        for mark, said in _SPELLED.items():
            spelled = spelled.replace(mark, said)
        plain = unicodedata.normalize("NFKD", spelled).encode("ascii", "ignore").decode("ascii")
        found = re.sub(r"\W+", "_", plain, flags=re.ASCII)[:_LONGEST] or "_"
        return found if self.fits(found) else f"{self.first or 'x'}{found}"


ANY_TEXT = Alphabet(r"[^\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\s]([^\x00-\x1f\ufffe\uffff]*[^\x00-\x1f\ufffe\uffff\s])?")
"""What XML can hold and no reader of it trims: no control characters, and no blanks at the ends."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """A network with names that a format can hold."""

    network: Network
    nodes: Mapping[str, str]
    """Every node -> its name here."""
    changed: Mapping[str, str] = field(default_factory=dict)
    """What was changed -> what it is called here: ``smoker`` for a node, ``smoker=not now`` for a level."""


def rename(network: Network, nodes: Alphabet, levels: Alphabet) -> Renamed:
    """The same network with names of nodes and levels that fit; those that fit already stay."""
    names = _words(network.nodes, nodes)
    changed = {old: new for old, new in names.items() if old != new}
    variables = []
    for variable in network.variables:
        words = _words(variable.levels, levels)
        changed |= {f"{variable.name}={old}": new for old, new in words.items() if old != new}
        variables.append(Variable(names[variable.name], words.values()))
    parents = {names[node]: [names[parent] for parent in given] for node, given in network.parents.items()}
    return Renamed(Network(variables, parents), names, changed)


def _words(names: Iterable[str], alphabet: Alphabet) -> dict[str, str]:
    """Each name and its word. Names that fit come first, so that none of them has to give way to a changed one."""
    listed, found, taken = list(names), dict[str, str](), set[str]()
    for name in listed:
        if alphabet.fits(name) and not (alphabet.one_case and name.lower() in taken):
            found[name] = name
            taken.add(name.lower())  # no changed name differs from another in capitals alone
    for name in listed:
        if name not in found:
            found[name] = _free(alphabet.word(name), taken)
            taken.add(found[name].lower())
    return {name: found[name] for name in listed}


def _free(word: str, taken: set[str]) -> str:
    """The word, or the first of word_2, word_3 ... that no other name has."""
    number, candidate = 1, word
    while candidate.lower() in taken:
        number += 1
        candidate = f"{word}_{number}"
    return candidate
