"""Settings of the documentation: ``make docs`` builds it, without a network."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from sphinx_gallery.sorting import ExplicitOrder

import isthmus
from isthmus import __version__

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

project = "Isthmus"
author = "The Isthmus developers"
project_copyright = f"2026, {author}"
version = release = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "api_links",
    "citations",
    "command_reference",
    "mathml",
    "method_figures",
    "method_pages",
    "method_ranks",
    "stale_files",
    "repository_pages",
]
exclude_patterns = ["_build", "_extensions", "_templates", "gallery/**/*.ipynb", "**/README.md"]
templates_path = ["_templates"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
# References to names of this package must lead somewhere. Types of other packages are not linked,
# because that would need a network.
nitpicky = True
PUBLIC = "|".join(map(re.escape, isthmus.__all__))
INTERNAL = (
    "matrices|domains|solvers|numerics|transfer.fitting|text.analyzer|text.text_blocks|text.parts"
    "|evaluation.domain_similarity"
)
nitpick_ignore_regex = [
    (r"py:.*", rf"(?!isthmus\.|({PUBLIC})$).*"),
    (r"py:.*", rf"isthmus\.({INTERNAL})\..*"),
]
# A folder with spaces in its name is no mistake.
suppress_warnings = ["sphinx_gallery.space_in_filename"]

# Markdown
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist", "substitution"]
myst_heading_anchors = 4
myst_substitutions = {"version": __version__}

# Docstrings
autosummary_generate = True
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 88
numpydoc_show_class_members = False
smartquotes = False  # quotes around values and dashes of options stay as they are typed
numpydoc_class_members_toctree = False

# Formulas are drawn by the browser.
html_math_renderer = "mathml"

# Examples. Their results are kept in docs/gallery: only changed examples run again. The alternative
# text of a picture is made from its titles.
examples = (
    "topics opinions two_languages several_sources verdict uncertain_documents explain few_labels "
    "class_proportions clustering word_clusters grid_search own_method many_documents dask gpu"
)
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "example_extensions": {".py"},
    "within_subsection_order": ExplicitOrder(
        [*(f"plot_{name}.py" for name in examples.split()), "*"]
    ),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "min_reported_time": 0,
    "write_computation_times": False,
    "capture_repr": ("_repr_html_",),
    "matplotlib_animations": False,
    "image_scrapers": ("matplotlib", "figure_scraper.save_figure"),
    "image_srcset": ["2x"],
    "plot_gallery": True,
    "abort_on_example_error": True,
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("isthmus",),
    "inspect_global_variables": False,
    "thumbnail_size": (360, 240),
}

# Pages
html_theme = "pydata_sphinx_theme"
html_title = f"Isthmus {version}"
html_static_path = ["_static"]
html_css_files = ["isthmus.css"]
html_favicon = "_static/favicon.svg"
html_show_sourcelink = False
html_copy_source = False
html_last_updated_fmt = None
html_search_scorer = str(HERE / "_templates" / "search_scorer.js")
# From the disk a browser does not let a page read others, so there are no summaries of results.
html_show_search_summary = "ISTHMUS_DOCS_URL" in os.environ
html_baseurl = os.environ.get("ISTHMUS_DOCS_URL", "")
html_theme_options = {
    "logo": {
        "text": "Isthmus",
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo.svg",
        "alt_text": "Isthmus, first page",
    },
    "navbar_align": "left",
    "navbar_center": ["navbar-nav"],
    "navbar_end": ["version", "theme-switcher"],
    "header_links_before_dropdown": 7,
    "show_nav_level": 1,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "use_edit_page_button": False,
    "footer_start": ["copyright"],
    "footer_center": [],
    "footer_end": ["version"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "is_it_for_me": [], "start": [], "which_method": []}
# With the address of a list of versions, pages get a menu of versions.
if os.environ.get("ISTHMUS_DOCS_VERSIONS"):
    html_theme_options["switcher"] = {
        "json_url": os.environ["ISTHMUS_DOCS_VERSIONS"],
        "version_match": version,
    }
    html_theme_options["navbar_end"] = ["version-switcher", "theme-switcher"]

copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"
