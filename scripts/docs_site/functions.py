"""Reference pages of functions, and of the verbs of each collection, from their docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from scripts.docs_site.markdown import table
from tests.surface import collections_of

import erstwhile
from erstwhile import Memory
from erstwhile.core.verb_help import declared_doc
from erstwhile.rpc.verbs import describe_parameter, verbs

WIDTH = 76
"""How many characters of a signature fit beside the button that copies it."""
COMMON = {
    "format": "`jsonl`, everything for an import, or `markdown`, live facts and blocks to read.",
    "progress": "Function that is called with what is done, and with the total where it is known.",
}
"""Parameters that only functions of this process have."""


def pages() -> dict[str, str]:
    """Return a page for the functions, for `Memory`, for each collection, and for all verbs."""
    with erstwhile.open(":memory:", embedder="none") as memory:
        kinds = {name: type(each) for name, each in collections_of(memory).items()}
    shown: dict[str, type] = {"memory": Memory, **kinds}
    found = {name: _collection(name, kind) for name, kind in shown.items()}
    return {"functions": _functions(), "verbs": _verbs(kinds), **found}


def methods(kind: type) -> dict[str, Callable[..., Any]]:
    """Return the public methods of a class by name."""
    found = inspect.getmembers(kind, inspect.isfunction)
    return {name: method for name, method in found if not name.startswith("_")}


def _functions() -> str:
    parts = ["# Functions\n", "What `import erstwhile` offers beside types.\n"]
    for name in erstwhile.__all__:
        function = getattr(erstwhile, name)
        if inspect.isfunction(function):
            parts += [f"## erstwhile.{name}\n", _call(f"erstwhile.{name}", function)]
            parts.append(f"{_paragraphs(inspect.getdoc(function) or '')}\n")
    return "\n".join(parts)


def _verbs(kinds: dict[str, type]) -> str:
    rows = [(f"`{name}`", ", ".join(map("`{}`".format, methods(kinds[name])))) for name in kinds]
    return f"# Verbs by collection\n\n{table(('collection', 'verbs'), rows)}"


def _collection(name: str, kind: type) -> str:
    title = "Memory" if name == "memory" else f"memory.{name}"
    parts = [f"# {title}\n", f"{_paragraphs(inspect.getdoc(kind) or '')}\n"]
    for verb, function in methods(kind).items():
        full = f"{name}.{verb}"
        parts += [f"## {full}\n", _call(full, function), f"{_paragraphs(declared_doc(function))}\n"]
        parts += [table(("argument", "type", "meaning"), _arguments(full, function))]
        parts += _elsewhere(full.removeprefix("memory."))
    return "\n".join(parts)


def _call(name: str, function: Callable[..., Any]) -> str:
    """Return the signature in a block, with one line for each argument if it is long."""
    signature = inspect.signature(function)
    given = [each for each in signature.parameters.values() if each.name != "self"]
    shown = [str(each.replace(annotation=each.empty)) for each in given]
    kinds = [each.kind for each in given]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        shown.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    result = signature.return_annotation
    returns = "" if result in (None, "None", inspect.Signature.empty) else f" -> {result}"
    line = f"{name}({', '.join(shown)}){returns}"
    if len(line) > WIDTH:
        line = f"{name}(\n{''.join(f'    {each},{chr(10)}' for each in shown)}){returns}"
    return f"```python\n{line}\n```\n"


def _arguments(full: str, function: Callable[..., Any]) -> Iterator[tuple[str, str, str]]:
    name = full.removeprefix("memory.")
    for each in inspect.signature(function).parameters.values():
        if each.name != "self":
            known = COMMON.get(each.name) if name not in verbs() else None
            meaning = known or describe_parameter(name, each.name)
            yield f"`{each.name}`", f"`{each.annotation}`", meaning


def _elsewhere(name: str) -> Iterator[str]:
    if verb := verbs().get(name):
        yield f"HTTP: `{verb.method} /v1{verb.path}`; the token needs the right `{verb.right}`.\n"


def _paragraphs(doc: str) -> str:
    """Return a docstring as Markdown: its lists of arguments keep their lines."""
    return "\n".join(line.strip() if line[:4].isspace() else line for line in doc.splitlines())
