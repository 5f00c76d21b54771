"""The tutorial notebook: every cell runs, in order, and what a cell ends with shows itself in HTML."""

import ast
import json
from pathlib import Path

import pytest
from support.optional import need

NOTEBOOK = Path(__file__).parents[2] / "docs" / "guide" / "tutorial.ipynb"


def run(cells):
    """Run cells as a notebook does; what they end with, if that is a value."""
    names, shown = {"__name__": "__main__"}, []
    for cell in cells:
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, NOTEBOOK.name, "exec"), names)
        if last is not None:
            shown.append(eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names))
    return shown


def code_cells():
    return [cell for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]


@pytest.mark.slow
def test_the_tutorial_runs_and_shows_itself(tmp_path, monkeypatch):
    need("xarray")
    monkeypatch.chdir(tmp_path)
    shown = run(code_cells())
    kinds = [type(each).__name__ for each in shown]
    assert kinds == ["Network", "Plans", "Release", "Ledger", "NoiseAwarePosterior", "Answer", "dict", "DataTree"]
    for each in shown:
        if not isinstance(each, dict):
            html = each._repr_html_()
            assert html.lstrip().startswith("<")
            assert "<script" not in html
    assert "0.5 of 1 spent" in shown[3]._repr_html_()


def test_a_cell_that_fails_is_noticed():
    with pytest.raises(NameError):
        run([{"source": ["x = 1\n", "nobody"]}])


def test_outputs_are_not_kept():
    assert [cell["outputs"] for cell in code_cells() if cell["outputs"] or cell["execution_count"]] == []
