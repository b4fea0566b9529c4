"""The configuration of the site, which Sphinx reads; `make site` builds it (docs/site/build.py)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # for the extension

from tilesmith import __version__

project = "Tilesmith"
author = "the Tilesmith founders"
release = __version__
language = "en"

extensions = ["myst_parser", "docs.site.navigation"]
root_doc = "README"
exclude_patterns = ["site", "examples", "results"]
myst_heading_anchors = 6  # links name headings as GitHub does
smartquotes = False  # "avx2" stays what a program contains
highlight_language = "text"  # of fences that name none

html_theme = "furo"
html_title = f"Tilesmith {release}"
templates_path = ["templates"]
html_additional_pages = {"index": "index.html"}  # leads to the root document
html_copy_source = False
