"""Our reading of BIF against pgmpy's and pyAgrum's."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path

import numpy as np
import pytest
from support.optional import need

from discreet.model import format_bif, from_pgmpy, parse_bif

HEAD = """network hand_written {
}
variable age {
  type discrete [ 3 ] { young, adult, old };
}
variable sex {
  type discrete [ 2 ] { M, F };
}
variable town {
  type discrete [ 2 ] { small, big };
}
probability ( age ) {
  table 0.3, 0.5, 0.2;
}
probability ( sex ) {
  table 0.6, 0.4;
}
"""
BODIES = {
    "rows out of order": """  (old, M) 0.88, 0.12;
  (young, M) 0.75, 0.25;
  (young, F) 0.64, 0.36;
  (adult, F) 0.7, 0.3;
  (adult, M) 0.72, 0.28;
  (old, F) 0.9, 0.1;
""",
    "table with parents": "  table 0.75, 0.64, 0.72, 0.7, 0.88, 0.9, 0.25, 0.36, 0.28, 0.3, 0.12, 0.1;\n",
}


def hand_written(body):
    return f"{HEAD}probability ( town | age, sex ) {{\n{BODIES[body]}}}\n"


def read_with_pgmpy(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        need("pgmpy")
        from pgmpy.readwrite import BIFReader

        return from_pgmpy(BIFReader(string=text).get_model())


def assert_agrees_with_pgmpy(text):
    network, tables = parse_bif(text)
    theirs, their_tables = read_with_pgmpy(text)
    assert set(theirs.variables) == set(network.variables)
    for node in network.nodes:
        assert theirs.parents[node] == network.parents[node]
        np.testing.assert_allclose(tables[node], their_tables[node], rtol=0, atol=1e-9)


def assert_agrees_with_pyagrum(text, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gum = need("pyagrum")
        path = folder / "network.bif"
        path.write_text(text)
        theirs = gum.loadBN(str(path))
    network, tables = parse_bif(text)
    assert set(theirs.names()) == set(network.nodes)
    for family in network.families:
        table = theirs.cpt(family.node)
        assert tuple(theirs.variable(family.node).labels()) == network.variable(family.node).levels
        axes = list(reversed(table.names))  # pyAgrum's arrays have the first variable as their last axis
        values = np.transpose(table.toarray(), [axes.index(member) for member in family.members])
        # pyAgrum reads BIF numbers as single precision
        np.testing.assert_allclose(tables[family.node], values.reshape(tables[family.node].shape), rtol=0, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("body", BODIES)
def test_a_small_network_is_read_as_pgmpy_reads_it(body):
    assert_agrees_with_pgmpy(hand_written(body))


@pytest.mark.parametrize("body", BODIES)
def test_a_small_network_is_read_as_pyagrum_reads_it(body, tmp_path):
    assert_agrees_with_pyagrum(hand_written(body), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("body", BODIES)
def test_what_is_written_is_read_alike_by_everybody(body, tmp_path):
    text = format_bif(*parse_bif(hand_written(body)))
    assert_agrees_with_pgmpy(text)
    assert_agrees_with_pyagrum(text, tmp_path)


@pytest.mark.fast("asia")
@pytest.mark.parametrize("name", ["asia", "alarm"])
def test_a_published_network_is_read_as_others_read_it(name, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pgmpy = need("pgmpy")
    path = Path(pgmpy.__file__).parent / "utils" / "example_models" / f"{name}.bif.gz"
    if not path.exists():
        pytest.skip(f"this pgmpy does not bring {name}.bif.gz")
    text = gzip.decompress(path.read_bytes()).decode()
    assert_agrees_with_pgmpy(text)
    assert_agrees_with_pyagrum(text, tmp_path)
