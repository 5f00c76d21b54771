"""How Sphinx builds the site. `make docs` calls it; nothing is fetched, neither now nor by who reads the pages."""

import sys
from pathlib import Path

from discreet.version import __version__

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tools")]

project = "discreet"
release = version = __version__
html_title = "discreet"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "sphinx_copybutton", "website.extension"]

myst_enable_extensions = ["deflist", "colon_fence"]
myst_heading_anchors = 4  # links to headings, as in GitHub's view of the same pages
smartquotes = False  # two dashes are an option of the command

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 120
autodoc_type_aliases = {"Floats": "numpy.ndarray", "Integers": "numpy.ndarray"}
add_module_names = False
toc_object_entries_show_parents = "hide"

# The estimators are shown where scikit-learn is not installed, too.
autodoc_mock_imports = ["sklearn"]

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_show_copyright = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b6e6e", "color-brand-content": "#0b6e6e"},
    "dark_css_variables": {"color-brand-primary": "#5cc8c0", "color-brand-content": "#5cc8c0"},
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"
