"""The names that `import discreet` offers: all that users hold or catch, and all of them there."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import discreet


def test_every_public_name_can_be_imported_and_no_other_is_kept():
    assert len(discreet.__all__) == len(set(discreet.__all__))
    for name in discreet.__all__:
        assert getattr(discreet, name) is not None
    assert set(discreet._HOME) == set(discreet.__all__)


def test_the_version_is_told_and_is_the_same_everywhere():
    assert discreet.__version__ == version("discreet")
    root = Path(__file__).parents[2]
    assert re.search(r"^version: (.*)$", (root / "CITATION.cff").read_text(), re.MULTILINE)[1] == discreet.__version__
    declared = tomllib.loads((root / "pyproject.toml").read_text())
    assert "version" not in declared["project"]  # it is read from the package
    assert declared["tool"]["hatch"]["version"]["path"] == "src/discreet/version.py"


def test_what_users_hold_and_what_they_catch_is_public():
    results = {"NoiseAwarePosterior", "RegressionPosterior", "RegressionDraws", "Answer", "Plans", "Coefficients"}
    errors = {"QueryError", "LedgerError", "BudgetError", "DataError", "FormatError", "ModelError"}
    tools = {"Effort", "calibrate", "confidence_table", "confidence_network", "sql_table", "spark_table"}
    assert results | errors | tools <= set(discreet.__all__)


def test_every_error_of_the_package_is_public():
    import discreet.errors

    kinds = {name for name, kind in vars(discreet.errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}
    assert kinds == {name for name in discreet.__all__ if name.endswith("Error")}
