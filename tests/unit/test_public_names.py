"""The names that `import discreet` offers: all that users hold or catch, and all of them there."""

import re
import tomllib
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import pytest

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


ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "discreet"


def words(text):
    return re.findall(r"\w+", text)


def offered(text):
    """What a file lists as public."""
    found = re.search(r"^__all__ = \[([^\]]*)\]", text, re.MULTILINE)
    return words(found[1]) if found else []


def is_type_of_its_file(name, text):
    """What functions of a file take or give is used by whoever calls them, though nobody writes its name."""
    return words(text).count(name) > 2 and re.search(rf"^(class {name}\b|{name}: TypeAlias)", text, re.MULTILINE)


def imported(text):
    """Pairs of a module of ours and a name that the text imports from it."""
    for module, several, line in re.findall(r"from (discreet[\w.]*) import (?:\(([^)]*)\)|([^\n]*))", text):
        yield from ((module, name) for name in words(several or line))


def unused(texts, documents):
    """Names that a file of the package offers, and that nobody asks it for. A folder must be asked by its own name."""
    asked = {(module, name) for name, module in discreet._HOME.items()}
    asked |= {pair for path, text in texts.items() if path != SOURCE / "__init__.py" for pair in imported(text)}
    written = Counter(word for path, text in texts.items() if path.name != "__init__.py" for word in set(words(text)))
    for path, text in texts.items():
        if SOURCE not in path.parents or path == SOURCE / "__init__.py":
            continue
        folder = ".".join(path.parent.relative_to(SOURCE.parent).parts)
        for name in set(offered(text)) - documents:
            used = written[name] > 1 or is_type_of_its_file(name, text)
            if not ((folder, name) in asked if path.name == "__init__.py" else used):
                yield name


@pytest.fixture(scope="module")
def everything():
    """All files of Python, and all words of the documents."""
    folders = ("src", "tests", "benchmarks", "tools")
    paths = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    own = (path for path in paths if not any(part.startswith(".") for part in path.relative_to(ROOT).parts))  # no environments
    texts = {path: path.read_text(encoding="utf-8") for path in own}
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    return texts, set(words("\n".join(page.read_text(encoding="utf-8") for page in pages)))


def test_nothing_is_offered_that_nobody_asks_for(everything):
    assert list(unused(*everything)) == []


def test_a_name_that_nobody_asks_for_is_noticed(everything):
    texts, documents = everything
    name = "nobody_" + "asks"  # in two parts, since this file is read, too
    places = (SOURCE / "model" / "prior.py", SOURCE / "model" / "__init__.py")
    planted = {path: texts[path].replace("__all__ = [", f'__all__ = ["{name}", ') for path in places}
    assert list(unused(texts | planted, documents)) == [name, name]


def test_one_word_stands_for_one_thing():
    """A probability of an interval is called interval, a power of a likelihood temper: nobody has to remember which."""
    taken = {"level: float", "confidence: float", "tempering:", "exponent: Fraction"}
    texts = (path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    assert [word for text in texts for word in taken if re.search(rf"\b{word}", text)] == []
