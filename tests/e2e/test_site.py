"""The site is built without a warning, and what is wrong in a page stops it. `make docs` builds all of it."""

import subprocess
import sys

import pytest
from support.optional import need
from support.recipes import ROOT

PAGE = "# One\n\n```{made-of} number-of-claims\n```\n\n[there](two.md#a-heading)\n"
SECOND = "---\norphan: true\n---\n# Two\n\n## A heading\n\n```{eval-rst}\n.. autofunction:: discreet.plan\n```\n"


def build(folder, page=PAGE):
    """Build a site of two pages with the settings of the real one."""
    need("sphinx")
    (folder / "pages").mkdir()
    (folder / "pages" / "index.md").write_text(page, "utf-8")
    (folder / "pages" / "two.md").write_text(SECOND, "utf-8")
    options = ["--quiet", "--fail-on-warning", "--conf-dir", ROOT / "docs"]
    command = [sys.executable, "-m", "sphinx", *options, folder / "pages", folder / "site"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_pages_become_a_site_that_asks_no_other_machine(tmp_path):
    done = build(tmp_path)
    assert done.returncode == 0, done.stderr
    first, second = ((tmp_path / "site" / name).read_text("utf-8") for name in ("index.html", "two.html"))
    assert "claims in the source" in first
    assert "Compare what every mechanism would release" in second
    check = [sys.executable, ROOT / "tools" / "website" / "links.py", tmp_path / "site"]
    checked = subprocess.run(check, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.slow
def test_whatever_is_wrong_in_a_page_stops_the_build(tmp_path):
    """Three faults in one page, as starting the build takes longer than the rest: each is told as what stops it."""
    planted = {
        "gone.md": "[gone](gone.md)",
        "no-such-heading": "[gone](two.md#no-such-heading)",
        "no_such_name": "```{eval-rst}\n.. autofunction:: discreet.no_such_name\n```",
    }
    done = build(tmp_path, "\n\n".join([PAGE, *planted.values()]) + "\n")
    assert done.returncode != 0
    told = [line for line in done.stderr.splitlines() if "WARNING" in line]
    for what in planted:
        assert any(what in line for line in told), what


@pytest.mark.slow
def test_what_nobody_can_make_stops_the_build_at_once(tmp_path):
    done = build(tmp_path, f"{PAGE}\n```{{made-of}} wishes\n```\n")
    assert done.returncode != 0
    assert "made of 'wishes'" in done.stderr
