"""The check of the import layers, shown faults that are planted into the real tree, one at a time."""

from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def layers():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "tools")
        yield import_module("check_layers")


@pytest.fixture(scope="module")
def real(layers):
    return layers.read_tree()


@pytest.fixture
def plant(layers, real):
    """What is found, in that file or in the whole tree, when a text is put at the end of one file, or of a new one."""

    def planted(path, text, *, everywhere=False):
        before = layers.SOURCE / path
        kept = before.read_text(encoding="utf-8") if before.exists() else ""
        module, source = layers.read_source(path, f"{kept}\n{text}\n")
        tree = {**real, module: source}
        return layers.offences(tree) if everywhere else layers.file_offences(source, tree)

    return planted


def test_the_tree_as_it_is_has_no_offence(layers, real):
    assert layers.offences(real) == []


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        # What every file below imports must itself stay free of the records.
        ("errors.py", "from discreet.data import code_batches", "errors may not import data"),
        ("guarantee.py", "def f():\n    import discreet.data.encoding as e", "guarantee may not import data"),
        ("balls.py", "from discreet import counts", "balls may not import counts"),
        ("conversion.py", "from discreet.kernel.bits import Bits", "conversion may not import kernel"),
        ("output_file.py", "from discreet.model import Network", "output_file may not import model"),
        ("model/network.py", "from discreet.experiments.census import f", "model may not import experiments"),
        ("data/source.py", "import discreet.experiments.study", "data may not import experiments"),
        ("model/network.py", "from discreet.plots import curves", "model may not import plots"),
        ("data/source.py", "from discreet.plots import curves", "data may not import plots"),
        (
            "release_file/kinds.py",
            "from discreet.inference.own_records import encode",
            "release_file may not import inference/own_rec",
        ),
        (
            "posterior/dirichlet.py",
            "from discreet.inference.own_records import encode",
            "posterior may not import inference/own",
        ),
        (
            "posterior/dirichlet.py",
            "def f():\n    import discreet.inference.own_records",
            "posterior may not import inference/o",
        ),
        ("posterior/dirichlet.py", "def update():\n    from discreet.data import Codes", "posterior may not import data"),
        # The estimators are the steward's; nothing else of interop, and nobody of the third party's, may stand on them.
        ("interop/export.py", "from discreet.mechanisms import release", "interop may not import mechanisms"),
        ("interop/export.py", "from discreet.data import Codes", "interop may not import data"),
        ("interop/export.py", "import discreet.interop.sklearn.fitting", "interop may not import interop/sklearn"),
        ("posterior/dirichlet.py", "from discreet.interop.sklearn import Fitted", "posterior may not import interop/sklearn"),
        ("interop/sklearn/tables.py", "from discreet.data import Codes", "interop/sklearn may not import data"),
        ("interop/sklearn/tables.py", "from discreet.counts import families", "interop/sklearn may not import counts"),
        ("interop/graph_libraries.py", "import pyagrum", "import pyagrum inside the function"),
        ("plots/curves.py", "from discreet.inference.own_records import encode", "plots may not import inference/own_records"),
        ("inference/query.py", "from discreet.posterior.posterior import Posterior", "inference may not import posterior"),
        ("inference/own_counts.py", "from discreet.data import Codes", "inference may not import data"),
        ("posterior/posterior.py", "from discreet.releases import Release", "posterior may not import releases"),
        ("posterior/linear.py", "from discreet.release_file.kinds import kind_of", "posterior may not import release_file"),
        ("inference/query.py", "from discreet.data.encoding import code_batches", "inference may not import data"),
        ("inference/query.py", "def f():\n    import discreet.kernel.ledger", "inference may not import kernel"),
        ("inference/own_records.py", "from discreet.kernel import bits", "own_records.py may not import kernel"),
        ("posterior/dirichlet.py", "from discreet import counts", "posterior may not import counts"),
        ("posterior/dirichlet.py", "from discreet.mechanisms.laplace import Laplace", "posterior may not import mechanisms"),
        ("measure/strategies/laplace.py", "from discreet.counts import family_counts", "measure may not import counts"),
        ("plots/posteriors.py", "from discreet.data import code_batches", "plots may not import data"),
        ("counts/families.py", "from discreet.posterior import Release", "counts may not import posterior"),
        ("mechanisms/laplace.py", "from discreet.inference import query", "mechanisms may not import inference"),
        ("kernel/publish.py", "from discreet.model.network import Network", "kernel may not import model"),
        ("kernel/publish.py", "from discreet import Network", "kernel may not import __init__"),
        ("kernel/publish.py", "import scipy", "the kernel may not import scipy"),
        ("releases.py", "from discreet.cli import main", "releases may not import cli"),
        ("experiments/study.py", "from discreet.cli import main", "experiments may not import cli"),
        ("releases.py", "import discreet", "releases may not import __init__"),
        ("planning/plan.py", "from discreet import release", "planning may not import __init__"),
        ("surprise/x.py", "x = 1", "say in tools/check_layers.py what surprise may import"),
        ("surprise.py", "x = 1", "say in tools/check_layers.py what surprise may import"),
        ("__init__.py", "from discreet.data import Codes", "the front door loads nothing"),
        ("inference/sample.py", "import polars", "inside the function"),
        ("model/network.py", "import scipy.special", "inside the function"),
        ("model/network.py", "try:\n    import pandas\nexcept ImportError: ...", "inside the function"),
    ],
)
def test_a_forbidden_import_is_caught(plant, file, text, said):
    assert any(said in offence and offence.startswith(file) for offence in plant(file, text))


@pytest.mark.parametrize(
    "text",
    [
        "import discreet.data.encoding",
        "import discreet.data.encoding as innocent",
        "from discreet import data as innocent",
        "from discreet.data import encoding",
        "from ..data import encoding",
        "from .. import data",
        "def f():\n    from discreet.data import Codes",
        "class C:\n    from discreet.data import Codes",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from discreet.data import Codes",
        "from importlib import import_module\nx = import_module('discreet.data')",
        "import importlib as i\nx = i.import_module('discreet.data.encoding')",
        "x = __import__('discreet.data')",
        "import sys\nx = sys.modules['discreet.data.encoding']",
        "import discreet.model.network\nx = discreet.data.encoding.code_batches",
        "import discreet.model as m\nx = getattr(m, 'network')\nimport discreet.data as d\nx = getattr(d, 'Codes')",
        "try:\n    from discreet.data import Codes\nexcept ImportError:\n    pass",
    ],
)
def test_no_spelling_hides_an_import(plant, text):
    assert any("posterior may not import data" in offence for offence in plant("posterior/dirichlet.py", text))


@pytest.mark.parametrize(
    "text",
    [
        "from importlib import import_module\ndef f(x):\n    import_module('discreet.' + x)",
        "from importlib import import_module\nx = import_module('.data', 'discreet')",
        "def f(x):\n    return __import__(x)",
        "from importlib.util import module_from_spec",
        "import sys\ndef f(x):\n    return sys.modules[x]",
        "import runpy",
    ],
)
def test_a_module_whose_name_is_computed_is_refused(plant, text):
    assert any("write out the name" in offence for offence in plant("releases.py", text))


def test_names_handed_on_by_another_file_are_followed_to_where_they_come_from(plant):
    text = "from discreet.inference.predict import encode_without"
    assert any("may not import inference/own_records" in offence for offence in plant("releases.py", text))


@pytest.mark.parametrize("file", ["errors.py", "guarantee.py", "conversion.py", "balls.py"])
def test_the_kernel_is_told_what_it_reaches_through_others(plant, file):
    found = plant(file, "def f():\n    from discreet.data import Codes", everywhere=True)
    (way,) = (offence for offence in found if offence.startswith("kernel reaches data: kernel/"))
    assert f"{file} -> data/__init__.py" in way


def test_a_way_to_the_records_is_found_even_if_each_step_was_allowed(layers, real, monkeypatch):
    """Planted: somebody lets release_file import experiments, which may import everything."""
    monkeypatch.setitem(layers.MAY_IMPORT, "release_file", layers.MAY_IMPORT["release_file"] | {"experiments"})
    module, source = layers.read_source("release_file/kinds.py", "from discreet.experiments import figure1")
    found = layers.offences({**real, module: source})
    assert not any("may not import experiments" in offence for offence in found)
    assert any(offence.startswith("release_file reaches mechanisms: release_file/kinds.py ->") for offence in found)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("inference/beliefs.py", "from discreet.inference.query import query"),
        ("posterior/draws.py", "from discreet.posterior import Posterior"),
        ("inference/own_counts.py", "from discreet.inference.own_records import encode"),
    ],
)
def test_files_that_load_one_another_are_found_and_named(plant, file, text):
    (found,) = (offence for offence in plant(file, text, everywhere=True) if "in a circle" in offence)
    names = found.split(": ")[1].split(" -> ")
    assert names[0] == names[-1]
    assert len(set(names)) == len(names) - 1


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    from discreet.inference.query import query",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from discreet.inference.query import query",
    ],
)
def test_what_is_not_loaded_closes_no_circle(plant, text):
    assert plant("inference/beliefs.py", text, everywhere=True) == []


def test_loading_a_module_loads_its_folder_too(layers, real, monkeypatch):
    """The file `__init__.py` of a folder runs before any module in it: what it imports counts."""
    monkeypatch.setitem(layers.MAY_IMPORT, "model", layers.MAY_IMPORT["model"] | {"data"})
    planted = dict([layers.read_source("model/__init__.py", "import discreet.data.encoding")])
    assert any(offence.startswith("measure reaches data: ") for offence in layers.offences({**real, **planted}))


@pytest.mark.parametrize(
    "file", ["mechanisms/laplace.py", "kernel/publish.py", "counts/families.py", "guarantee.py", "data/source.py"]
)
@pytest.mark.parametrize(
    "text",
    [
        "import os\nx = os.urandom(8)",
        "import os as o\nx = o.urandom(8)",
        "from os import urandom as u",
        "import os\nsource = os\nx = source.getrandom(8)",
        "import os\nx = getattr(os, 'urandom')(8)",
        "x = __import__('os').urandom(8)",
        "from os import *",
        "import random",
        "from random import SystemRandom",
        "def f():\n    import secrets",
        "import uuid",
        "x = open('/dev/urandom', 'rb')",
        "import numpy as np\nx = np.random.default_rng(1)",
        "import numpy\nx = numpy.random",
        "from numpy.random import default_rng",
        "from numpy import random as r",
        "import numpy.random",
        "import numpy as np\nx = getattr(np, 'random')",
        "def f():\n    from scipy.stats import norm\n    return norm.rvs(3)",
        "def f():\n    from flint import fmpz_mat\n    return fmpz_mat.randtest(2, 2, 3)",
    ],
)  # fmt: skip
def test_no_other_source_of_randomness_is_on_the_way_of_a_release(plant, file, text):
    assert any(offence.startswith(f"{file}:") for offence in plant(file, text))


@pytest.mark.parametrize(
    "file", ["inference/sample.py", "posterior/draws.py", "experiments/study.py", "cli/app.py", "measure/strategies/renyi.py"]
)
def test_what_may_use_a_generator_may_not_use_the_operating_systems(plant, file):
    for text in ("import random", "import os\nx = os.urandom(8)", "import secrets"):
        assert any("random bits" in offence for offence in plant(file, text))


def test_bounds_of_guarantees_are_computed_without_a_generator(plant):
    text = "import numpy as np\nx = np.random.default_rng(1)"
    assert plant("planning/worlds.py", text) == []
    assert any("measure/strategies/renyi.py" in offence for offence in plant("measure/strategies/renyi.py", text))


def test_every_declared_user_of_a_generator_uses_one(layers, real):
    """A table that allows more than is needed protects less."""
    using = {
        name
        for file in real.values()
        if any(layers.draws(use.name) for use in file.names.uses)
        for name in (file.room, file.path)
    }
    assert using >= layers.NUMPY_GENERATOR


@pytest.mark.fast("kernel/bits*", "inference/own*", "cli/app*")
@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("inference/own_records.py", "from discreet.counts import family_counts"),
        ("inference/beliefs.py", "from discreet.inference.own_records import encode"),
        ("posterior/draws.py", "def update():\n    from discreet.inference.own_records import encode"),
        ("kernel/bits.py", "import os\nx = os.urandom(1)"),
        ("inference/sample.py", "import numpy as np\nx = np.random.default_rng(1)"),
        ("inference/sample.py", "def f():\n    import polars"),
        ("posterior/posterior.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import polars"),
        ("mechanisms/laplace.py", "from discreet.kernel.publish import publish"),
        ("mechanisms/laplace.py", '"""Never from /dev/urandom."""'),
        ("kernel/publish.py", "def f():\n    import flint"),
        ("data/source.py", "from importlib.util import find_spec\nimport sys\nx = 'pyspark' in sys.modules"),
        ("cli/app.py", "import typer\nimport discreet"),
    ],
)
def test_an_allowed_import_passes(plant, file, text):
    assert plant(file, text, everywhere=True) == []
