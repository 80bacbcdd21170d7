"""How Sphinx builds the manual: ``make manual``. A link or heading that leads nowhere is an error."""

project = "Thalweg"
html_title = "Thalweg"
author = "The authors of Thalweg"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["images"]
html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 4
pygments_style = "friendly"
pygments_dark_style = "github-dark"


def setup(app):
    """Called by Sphinx: how blocks are coloured. On code hosts rules look best as Prolog; here we know better."""
    from pygments.lexers.special import TextLexer

    from thalweg.syntax.pygments_lexer import ThalwegLexer

    app.add_lexer("csv", TextLexer)
    app.add_lexer("prolog", ThalwegLexer)
