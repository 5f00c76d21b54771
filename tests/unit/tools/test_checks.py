"""The checks of the build, each shown a planted fault."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


claims = tool("check_claims")


@pytest.mark.slow
@pytest.mark.parametrize("script", ["check_layers.py", "check_claims.py"])
def test_the_source_tree_passes(script):
    done = subprocess.run([sys.executable, ROOT / "tools" / script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def planted(monkeypatch, tmp_path, text):
    path = tmp_path / "src" / "discreet" / "kernel" / "x.py"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    monkeypatch.setattr(claims, "ROOT", tmp_path)
    monkeypatch.setattr(claims, "SOURCE", tmp_path / "src" / "discreet")
    return [*claims.claim_offences(path), *claims.size_offences(path)]


def test_a_claim_without_a_test_is_caught(monkeypatch, tmp_path):
    text = '__all__ = ["f"]\n\n\ndef f():\n    """F.\n\n    Claim: x\n    Requires: y\n'
    text += '    Checked by: tests/unit/test_x.py::test_f\n    """\n'
    assert planted(monkeypatch, tmp_path, text) == ["kernel/x.py: there is no test tests/unit/test_x.py::test_f"]


def test_a_function_without_a_claim_is_caught(monkeypatch, tmp_path):
    assert len(planted(monkeypatch, tmp_path, '__all__ = ["f"]\n\n\ndef f():\n    """F."""\n')) == 3


def test_a_long_function_and_a_long_file_are_caught(monkeypatch, tmp_path):
    found = planted(monkeypatch, tmp_path, "def _f():\n" + "    x = 1\n" * 301)
    assert any("more than 300 lines" in offence for offence in found)
    assert any("more than 40" in offence for offence in found)


def test_importing_the_package_loads_nothing_heavy():
    code = (
        "import sys, discreet; "
        "print([name for name in ('matplotlib', 'sklearn', 'pandas', 'polars', 'pyarrow', 'scipy', 'narwhals', 'typer') "
        "if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
