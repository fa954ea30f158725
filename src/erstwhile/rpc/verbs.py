"""The table of verbs, and the descriptions of their parameters and of the fields of records."""

from __future__ import annotations

import ast
import inspect
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Any, get_args, is_typeddict

from erstwhile.core.verb_help import declared_signature
from erstwhile.lazy_collections import Lazy, LazyCollections
from erstwhile.rpc.codec import hints_of

if TYPE_CHECKING:
    from erstwhile.memory import Memory

VERSION = "v1"
LOCAL_VERBS: Mapping[str, str] = {
    "scoped": "a view: headers have its scope",
    "as_person": "a view: the client asks `identities.resolve`, and headers have its scope",
    "acting_as": "a view: headers have the name of the actor, and whether it is a person",
    "everything": "a view: a header asks for it",
    "on_change": "calls a function of this process; servers have a stream of events",
    "tools": "calls the verbs of the memory that it is made for",
    "close": "the client closes its connections; the server continues",
    "learning.watch": "it runs as long as its caller: the server learns by itself",
}
"""Verbs without a request, and the reason."""
LOCAL_PARAMETERS: Mapping[str, str] = {
    "progress": "a function stays in its process",
    "templates": "a folder belongs to the machine of the caller",
}
"""Parameters that cannot be sent, and the reason."""
_WITH_BODY = ("POST", "PUT", "PATCH")
_MAX_ITEMS = 500
"""The most items of a list in a request: others wait while they are stored."""


@dataclass(frozen=True, slots=True)
class VerbParameter:
    """A parameter of a verb."""

    name: str
    hint: Any
    required: bool
    default: Any
    many: bool = False
    """Whether it is declared as `*names`. Its type is then a sequence."""
    keyword: bool = False


@dataclass(frozen=True)
class Verb:
    """A public method of a memory or of a collection, and its HTTP request."""

    name: str
    method: str
    path: str
    right: str
    marks: frozenset[str]

    @cached_property
    def collection(self) -> str:
        """The name of the collection; empty for a verb of the memory itself."""
        return self.name.rpartition(".")[0]

    @cached_property
    def reads(self) -> bool:
        """Whether the verb changes nothing."""
        return self.method == "GET" or "asks" in self.marks

    @cached_property
    def heavy(self) -> bool:
        """Whether a call may take long: it searches, maintains, destroys, or reads very much."""
        return self.right == "admin" or bool(self.marks & {"asks", "long", "heavy"})

    @cached_property
    def has_body(self) -> bool:
        """Whether its parameters are in a JSON body instead of the query."""
        return self.method in _WITH_BODY

    @cached_property
    def route(self) -> tuple[str, ...]:
        """The segments of the path, with the version."""
        return (VERSION, *self.path.strip("/").split("/"))

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The method of the class."""
        owner = class_of(self.collection)
        found: Callable[..., Any] = getattr(owner, self.name.rpartition(".")[2])
        return found

    @cached_property
    def parameters(self) -> Mapping[str, VerbParameter]:
        """The parameters by name."""
        return {each.name: each for each in _parameters(self.function)}

    @cached_property
    def in_path(self) -> tuple[str, ...]:
        """The names of the parameters in the path."""
        return tuple(part[1:-1] for part in self.route if part.startswith("{"))

    @cached_property
    def result(self) -> Any:
        """The type of the result."""
        return hints_of(self.function)["return"]

    def call(self, memory: Memory, arguments: Mapping[str, Any]) -> Any:
        """Call the verb on a memory with arguments by name."""
        owner = getattr(memory, self.collection) if self.collection else memory
        positional: list[Any] = []
        named = dict(arguments)
        if many := [each.name for each in self.parameters.values() if each.many]:
            # Values of `*names` can only follow the parameters before them.
            before = [n for n, each in self.parameters.items() if not (each.keyword or each.many)]
            positional = [named.pop(name) for name in before if name in named]
            positional += named.pop(many[0], ())
        return getattr(owner, self.function.__name__)(*positional, **named)


@cache
def verbs() -> Mapping[str, Verb]:
    """Return every verb of the table by its name."""
    text = Path(__file__).with_name("verbs.txt").read_text("utf-8")
    rows = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {name: Verb(name, method, path, right, frozenset(marks))
            for name, method, path, right, *marks in rows}  # fmt: skip


@cache
def class_of(collection: str) -> type:
    """Return the class of a collection, or Memory for an empty name."""
    if not collection:
        from erstwhile.memory import Memory  # it imports the facts

        return Memory
    lazy: Lazy[Any] = vars(LazyCollections)[collection]
    return lazy.kind


def _parameters(function: Callable[..., Any]) -> Iterator[VerbParameter]:
    hints = hints_of(function)
    for each in list(declared_signature(function).parameters.values())[1:]:
        name, hint = each.name, hints[each.name]
        if each.kind is each.VAR_KEYWORD:
            (fields,) = get_args(hint)
            assert is_typeddict(fields)  # noqa: S101 (a verb with other keywords is a mistake in it)
            for field, type_ in hints_of(fields).items():
                if field not in LOCAL_PARAMETERS:
                    yield VerbParameter(field, type_, False, None, keyword=True)
        elif each.kind is each.VAR_POSITIONAL:
            yield VerbParameter(name, Sequence[hint], False, None, many=True)  # type: ignore[valid-type]
        elif name not in LOCAL_PARAMETERS:
            required, keyword = each.default is each.empty, each.kind is each.KEYWORD_ONLY
            default = None if required else each.default
            yield VerbParameter(name, hint, required, default, keyword=keyword)


def describe_parameter(verb: str, name: str) -> str:
    """Return the description of a parameter: for the verb, its collection, or all verbs."""
    known = read_table("parameters")
    places = (known.get(verb, {}), known.get(verb.partition(".")[0], {}), known["shared"])
    return next(str(place[name]) for place in places if name in place)


def describe_field(kind: type, name: str) -> str:
    """Return the description of a field or a property: of its class, or for its name."""
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


def bounds_of(place: str, name: str) -> tuple[float, float] | None:
    """Return the least and the greatest number of a parameter of a verb, or None for any."""
    known = read_table("bounds")
    found = known.get(place, {}).get(name) or known["shared"].get(name)
    return (found[0], found[1]) if found else None


def max_items(place: str, name: str) -> int:
    """Return the most items in a list that a request gives for a parameter of a verb."""
    found = bounds_of(place, name)
    return _MAX_ITEMS if found is None else int(found[1])


def field_bounds(name: str) -> tuple[float, float] | None:
    """Return the least and the greatest number of a field of a record, or None for any."""
    found = read_table("bounds")["fields"].get(name)
    return (found[0], found[1]) if found else None


@cache
def read_table(name: str) -> Mapping[str, Mapping[str, Any]]:
    """Return a file of this package: descriptions or bounds, by place and name."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text("utf-8"))
