"""AsyncMemory: the methods of a memory for asyncio.

Each call runs on a worker thread. Cancelling the await does not cancel the operation: it runs to
its end, and is stored or refused as a whole. Type checkers read the signatures from `aio.pyi`,
which scripts/generate_aio.py writes.
"""

from __future__ import annotations

import inspect
from asyncio import shield, to_thread
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from erstwhile.bootstrap import open
from erstwhile.core.fork_safety import cached_property
from erstwhile.core.verb_help import declared_signature
from erstwhile.lazy_collections import Lazy, LazyCollections
from erstwhile.memory import Memory
from erstwhile.tools.toolset import Toolset

_VIEWS = ("scoped", "acting_as", "everything", "tools")
"""Methods that return another view or tools without reading the store: plain functions."""
_PLAIN = ("definitions",)
"""Other methods that read nothing."""
_AWAITED_VIEWS = ("as_person",)
"""Methods that return another view and read the store for it."""
_COLLECTIONS: dict[str, Lazy[Any]] = {
    name: part
    for name, part in vars(LazyCollections).items()
    if isinstance(part, Lazy) and not name.startswith("_")
}


class AsyncCollection:
    """Base class: a synchronous object whose methods run on worker threads."""

    def __init__(self, sync: Any) -> None:
        self._sync = sync


class AsyncMemory(AsyncCollection):
    __doc__ = Memory.__doc__

    @classmethod
    async def open(cls, *args: Any, **options: Any) -> AsyncMemory:
        """Open a memory like `erstwhile.open`."""
        return cls(await to_thread(open, *args, **options))

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(self, *_failure: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<Async{repr(self._sync)[1:]}"


AsyncMemory.open.__func__.__signature__ = inspect.signature(open).replace(
    parameters=[
        inspect.Parameter("cls", inspect.Parameter.POSITIONAL_ONLY),
        *inspect.signature(open).parameters.values(),
    ],
    return_annotation="AsyncMemory",
)


def _on_thread(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a coroutine function that calls a synchronous method on a worker thread."""
    name = function.__name__

    @wraps(function)
    async def call(self: AsyncCollection, *args: Any, **keywords: Any) -> Any:
        return await shield(to_thread(getattr(self._sync, name), *args, **keywords))

    return call


def _view(function: Callable[..., Any], *, awaited: bool) -> Callable[..., Any]:
    """Return a method that wraps another view of a memory."""
    name = function.__name__
    kind = "AsyncToolset" if name == "tools" else "AsyncMemory"

    @wraps(function)
    def view(self: AsyncMemory, *args: Any, **keywords: Any) -> AsyncCollection:
        wrapper = AsyncToolset if name == "tools" else AsyncMemory
        return wrapper(getattr(self._sync, name)(*args, **keywords))

    @wraps(function)
    async def awaited_view(self: AsyncMemory, *args: Any, **keywords: Any) -> AsyncCollection:
        return await to_thread(view, self, *args, **keywords)

    found = awaited_view if awaited else view
    found.__signature__ = declared_signature(function).replace(return_annotation=kind)
    return found


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that calls a synchronous method here."""
    name = function.__name__

    @wraps(function)
    def call(self: AsyncCollection, *args: Any, **keywords: Any) -> Any:
        return getattr(self._sync, name)(*args, **keywords)

    return call


def _members(kind: type) -> dict[str, Any]:
    """Return the public methods and properties of a class in their asynchronous form."""
    members: dict[str, Any] = {}
    for name, member in inspect.getmembers(kind):
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            members[name] = property(_attribute(name), doc=member.__doc__)
        elif name in (*_VIEWS, *_AWAITED_VIEWS):
            members[name] = _view(member, awaited=name in _AWAITED_VIEWS)
        elif name in _PLAIN:
            members[name] = _plain(member)
        elif inspect.isfunction(member):
            members[name] = _on_thread(member)
    return members


def _attribute(name: str) -> Callable[[AsyncCollection], Any]:
    return lambda self: getattr(self._sync, name)


@cache
def _async_class(collection: str) -> type[AsyncCollection]:
    """Return the asynchronous class of a collection such as `facts`."""
    return _async_form(_COLLECTIONS[collection].kind)


def _async_form(kind: type) -> type[AsyncCollection]:
    members = {**_members(kind), "__doc__": kind.__doc__, "__module__": __name__}
    return type(f"Async{kind.__name__}", (AsyncCollection,), members)


def _collection(name: str) -> cached_property[AsyncCollection]:
    def create(self: AsyncMemory) -> AsyncCollection:
        return _async_class(name)(getattr(self._sync, name))

    return cached_property(create)


AsyncToolset = _async_form(Toolset)
for _name, _member in _members(Memory).items():
    setattr(AsyncMemory, _name, _member)
for _name in _COLLECTIONS:
    _part = _collection(_name)
    _part.__set_name__(AsyncMemory, _name)
    setattr(AsyncMemory, _name, _part)


def __getattr__(name: str) -> type[AsyncCollection]:
    collection = name.removeprefix("Async").lower()
    if collection not in _COLLECTIONS or name != f"Async{collection.capitalize()}":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _async_class(collection)
