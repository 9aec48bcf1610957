"""The directive ``search-words``: words, separated by commas, whose search finds the page first.

They are main entries of the index. Those of the directive ``index`` lead to an empty anchor, of
which the search of Sphinx 9 fails to make a summary.
"""

from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective


class SearchWords(SphinxDirective):
    """Index entries of the page, without an anchor and without a text."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        words = (word.strip() for word in self.arguments[0].split(","))
        entries = [("single", word, "", "main", None) for word in words]
        return [addnodes.index(entries=entries, inline=False)]


def setup(app):
    app.add_directive("search-words", SearchWords)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
