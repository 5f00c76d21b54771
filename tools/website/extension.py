"""The part of the site that Sphinx calls: markers in pages become what is read off the source."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from website.docstrings import rewrite_docstring, rewrite_signature

__all__ = ["fill", "setup"]

# A block such as ```{made-of} claims``` stands where a page is made of the source.
_MARKER = re.compile(r"^```\{made-of\} ([\w-]+)\n```$", re.MULTILINE)


def fill(page: str, text: str, docs: Path) -> str:
    """A page with its markers replaced. ``page`` is its path below the docs, without the ending."""
    return _MARKER.sub(lambda marker: _make(marker[1], Path(page).name, docs), text)


def _make(what: str, page: str, docs: Path) -> str:
    """One part of a page. Imported here, since each needs another part of the package."""
    if what == "claims":
        from website.proofs import write_theme

        return write_theme(page)
    if what == "number-of-claims":
        from website.proofs import count_claims

        return count_claims()
    if what == "names":
        from website.names import write_chapter

        return write_chapter(page)
    if what == "commands":
        from discreet.cli.app import app
        from website.commands import write_commands

        return write_commands(app)
    if what == "navigation":
        from website.navigation import write_navigation

        return write_navigation(docs)
    raise ValueError(f"A page is made of {what!r}, which is none of: claims, number-of-claims, names, commands, navigation.")


def _file_of(module: str, name: str) -> str:
    """The module whose source shows a public name, or a part of one: also where a part is a decorated function."""
    import discreet

    public = name.partition(".")[0]
    if module != discreet.__name__:  # what `import discreet` does not load
        return str(getattr(sys.modules[module], public).__module__)
    module = str(getattr(getattr(discreet, public), "__module__", ""))
    return module if module.startswith("discreet.") else discreet._HOME[public]


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx what to call and when."""
    app.connect("source-read", lambda app, page, text: text.__setitem__(0, fill(page, text[0], Path(app.srcdir))))
    app.connect("autodoc-process-docstring", rewrite_docstring)
    app.connect("autodoc-process-signature", rewrite_signature)
    app.connect("viewcode-follow-imported", lambda _app, module, name: _file_of(module, name))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
