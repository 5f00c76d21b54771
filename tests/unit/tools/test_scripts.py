"""TypeScript reads the types in the comments of the page's scripts, and notices one that is wrong."""

import importlib.util
import shutil
from pathlib import Path

import pytest
from support.databases import absent

ROOT = Path(__file__).parents[3]
SPEC = importlib.util.spec_from_file_location("check_scripts", ROOT / "tools" / "check_scripts.py")
check_scripts = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_scripts)


@pytest.fixture(scope="module")
def compiler():
    return check_scripts.find_compiler() or absent("there is no TypeScript, nor an npm that could bring it")


@pytest.mark.slow
def test_a_planted_error_of_type_is_found(compiler, tmp_path):
    """The real scripts are checked by `make check`; here one of them gets a fault."""
    for name in ("words.js", "summary.js"):
        shutil.copy(check_scripts.SCRIPTS / name, tmp_path)
    assert check_scripts.check(tmp_path, compiler) == ""
    path = tmp_path / "words.js"
    path.write_text(
        path.read_text("utf-8").replace("return `${bare(probability)}", "return 3 + bare(probability).nothing; `"), "utf-8"
    )
    assert "words.js" in check_scripts.check(tmp_path, compiler)
