"""Settings of Sphinx; build_docs.py passes the version and the folder of Doxygen's XML."""

import os

from sphinx.ext.mathjax import html_visit_displaymath, html_visit_math

project = "skde"
author = "the skde developers"
project_copyright = "the skde developers"
release = version = os.environ["SKDE_DOCS_VERSION"]
extensions = ["myst_parser", "breathe"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 4
breathe_projects = {"skde": os.environ["SKDE_DOCS_XML"]}
breathe_default_project = "skde"
primary_domain = "cpp"
highlight_language = "none"
html_theme = "furo"
html_title = f"skde {release}"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["_static"]
# Formulas are set by KaTeX, which is stored with the pages: they load nothing from elsewhere.
html_math_renderer = "katex"
html_css_files = ["katex/katex.css"]
html_js_files = ["katex/katex.js", "katex/contrib/auto-render.js", "set_formulas.js"]
smartquotes = False  # flags begin with two hyphens


def setup(app):
    app.add_html_math_renderer("katex", (html_visit_math, None), (html_visit_displaymath, None))
