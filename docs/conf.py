"""Settings of Sphinx; build_docs.py passes the version and the folder of Doxygen's XML."""

import os

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
smartquotes = False  # flags begin with two hyphens
