"""One HTML file: the scripts and the style are put into it, and nothing else may run, load or be sent.

The content security policy allows the script and the style by their hashes and forbids all else, so that a name that was meant
to become code stays a name even if it were not escaped. What the page knows stands in a block of JSON, which no browser runs.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from discreet.page.payload import payload
from discreet.releases import Release

__all__ = ["SCRIPTS", "bundle", "make_page", "policy", "style", "write_page"]

_SHARED = (
    "decode", "elimination", "propagate", "engine", "summary", "agreement", "findings", "known", "words", "elements",
    "monitor", "ruler", "around", "graph", "modes", "board", "views", "about", "begin",
)  # fmt: skip
SCRIPTS: Mapping[str, tuple[str, ...]] = {
    "release": (*_SHARED, "tables", "linear", "network", "app"),
    "plan": (*_SHARED, "laws", "plan_tables", "chart", "slider", "odds", "smallest", "plan", "plan_app"),
}
"""The modules of each page in the order of their imports: one that is imported stands before the one that imports it."""
_TITLES = {"release": "a private release", "plan": "a plan before anything is spent"}
_WITHOUT = {"release": "report", "plan": "plan"}
_IMPORT = re.compile(r"^import \{[^}]*\} from \"\./\w+\.js\";\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function|const|class)", re.MULTILINE)
_SIGNS = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


def make_page(release: Release[Any], file: str = "release.json", posterior: Any = None) -> str:
    """The page of a release as text. ``file`` is how the examples on the page call the release file.

    ``posterior`` is one that was found with other chains than those of the release.
    """
    return write_page(payload(release, file, posterior))


def write_page(content: Mapping[str, Any], of: str = "release") -> str:
    """The HTML file around what a page knows, of a release or of a plan."""
    script, css = bundle(of), style("page")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy(css, script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>{escape(content["subject"])} - {_TITLES[of]}</title>
<style>{css}</style>
</head>
<body>
<div id="page"></div>
<noscript><p>This page computes its answers itself and needs JavaScript. It sends nothing anywhere.
Without: <code>discreet {_WITHOUT[of]}</code> writes the same for reading.</p></noscript>
<script type="application/json" id="release">{_json(content)}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def bundle(of: str = "release") -> str:
    """All modules of a page as one: what one exports, the others find without importing it."""
    folder = files("discreet.page") / "script"
    texts = ((folder / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS[of])
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in texts)


def style(name: str) -> str:
    """A style sheet of the package."""
    return (files("discreet.page") / "style" / f"{name}.css").read_text(encoding="utf-8")


def policy(css: str, script: str | None = None) -> str:
    """What a browser may do with a file: this style, this script, and nothing else."""
    run = f"script-src {_hash(script)}; " if script is not None else ""
    return f"default-src 'none'; {run}style-src {_hash(css)}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _json(content: Mapping[str, Any]) -> str:
    """JSON that cannot end the block it stands in, whatever names say."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(_SIGNS)
