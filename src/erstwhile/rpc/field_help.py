"""The meaning of each field of a record: from the docstrings of its class, and by its name."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from textwrap import dedent

from erstwhile.rpc.verbs import read_table


def describe_field(kind: type, name: str) -> str:
    """Return the description of a field or a property of a record."""
    for each in kind.__mro__:
        if text := _docstrings(each).get(name):
            return " ".join(text.split())
    known = read_table("fields")
    places = (known.get(kind.__name__, {}), known["shared"], read_table("parameters")["shared"])
    return next((str(place[name]) for place in places if name in place), "")


@cache
def _docstrings(kind: type) -> Mapping[str, str]:
    """Return the docstrings of the fields and properties that a class itself has, by name."""
    try:
        (parsed,) = ast.parse(dedent(inspect.getsource(kind))).body
    except (OSError, TypeError):  # a class without a source, such as object
        return {}
    return dict(_documented(parsed)) if isinstance(parsed, ast.ClassDef) else {}


def _documented(parsed: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for part, after in zip(parsed.body, [*parsed.body[1:], None], strict=True):
        match part, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(
                value=ast.Constant(value=str(text))
            ):
                yield name, text
            case ast.FunctionDef(name=name), _:
                yield name, (ast.get_docstring(part) or "").partition("\n\n")[0]
