"""Pages for tests: of beliefs that need no chain, and of releases."""

from pathlib import Path

import numpy as np

from discreet import DirichletPosterior, read_tables
from discreet.page.document import write_page
from discreet.page.payload import network_part
from support.optional import need

ABOUT = {
    "subject": "a network", "lead": "What 5,000 records say.", "guarantee": "epsilon = 1", "meaning": "It means something.",
    "facts": [["rows", "5,000"]], "digest": None, "file": "net.json", "interval": 0.9, "warnings": [],
}  # fmt: skip


def known_network(name):
    """A network with its probabilities, as pgmpy brings it."""
    return read_tables(Path(need("pgmpy").__file__).parent / "utils" / "example_models" / f"{name}.bif.gz")


class Guessed(DirichletPosterior):
    """Beliefs about a network that differ from draw to draw of the tables as if noise hid them, without any chain."""

    def repeated_draws(self, count, times, generator=None, nodes=None):
        draw = np.random.default_rng(generator)
        found = [{} for _ in range(times)]
        for family in self.network.families:
            strength = draw.uniform(0.2, 30, size=(count, family.configurations, 1))
            tables = draw.dirichlet(np.ones(family.levels), (count, family.configurations)) * strength + 0.05
            for drawn in found:
                table = draw.standard_gamma(tables) + 1e-12
                drawn[family.node] = table / table.sum(axis=-1, keepdims=True)
        return found


class Stuck(Guessed):
    """The same from four chains in turn, of which one stands elsewhere in the table of one node."""

    def __init__(self, network, at):
        super().__init__(network)
        object.__setattr__(self, "at", at)

    @property
    def chains(self):
        return 4

    def repeated_draws(self, count, times, generator=None, nodes=None):
        found = super().repeated_draws(count, times, generator, nodes)
        for drawn in found if self.at else ():
            drawn[self.at][::4] = np.eye(drawn[self.at].shape[-1])[0] * 0.9 + 0.1 * drawn[self.at][::4]
        return found


def page_of(posterior, **changes):
    """The content of a page of these beliefs, and its text."""
    content = {**ABOUT, **network_part(posterior, **changes)}
    return content, write_page(content)
