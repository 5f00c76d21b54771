"""Every statement of the map of the paper is examined, and the examination bears its verdict out."""

import importlib.util
import re
from pathlib import Path

import pytest

from discreet.experiments.claims import examine, statements

STATEMENTS = statements()
ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("paper_map", ROOT / "tests" / "e2e" / "test_paper_map.py")
paper_map = importlib.util.module_from_spec(spec)
spec.loader.exec_module(paper_map)


def mapped():
    """The items of the page with their verdicts; words in brackets and quotation marks are left out."""
    rows = paper_map.rows(paper_map.MAP.read_text(encoding="utf-8"))
    return {re.sub(r" \(.*\)|\"", "", cells[0]).strip(): cells[1] for cells in rows}


@pytest.fixture(scope="module")
def findings():
    return examine()


def test_the_statements_are_those_of_the_map_with_its_verdicts():
    assert {statement.item: statement.verdict for statement in STATEMENTS} == mapped()


@pytest.mark.parametrize("place", range(len(STATEMENTS)), ids=[statement.item for statement in STATEMENTS])
def test_the_computation_bears_the_verdict_out(findings, place):
    assert findings[place].agrees, findings[place].numbers
    assert re.search(r"\d", findings[place].numbers)
