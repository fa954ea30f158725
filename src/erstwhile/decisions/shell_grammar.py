"""The bash grammar of tree-sitter. It is loaded only after a denial of a command."""

from __future__ import annotations

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

_PARSER = Parser(Language(tree_sitter_bash.language()))


def parse_bash(text: str) -> Node:
    """Return the root of the tree of a script."""
    return _PARSER.parse((text + "\n").encode("utf-8", "replace")).root_node
