"""AsyncMemory: the methods made at run time, and the stub that type checkers read."""

from __future__ import annotations

import ast
import asyncio
import inspect
from functools import cached_property
from typing import Any

import pytest

import erstwhile
from erstwhile import AsyncMemory, aio
from erstwhile.core.verb_help import declared_doc, declared_signature
from tests.docs.pages import PROJECT

STUB = ast.parse((PROJECT / "src/erstwhile/aio.pyi").read_text("utf-8"))
CLASSES = [node for node in STUB.body if isinstance(node, ast.ClassDef)]


def public_names(kind: type) -> set[str]:
    return {name for name in vars(kind) if not name.startswith("_")}


def declared(node: ast.ClassDef) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    functions = [
        each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return [each for each in functions if not each.name.startswith("_")]


def parameter_names(args: ast.arguments) -> list[str]:
    several = [each.arg for each in (*args.posonlyargs, *args.args)]
    several += [args.vararg.arg] if args.vararg else []
    several += [each.arg for each in args.kwonlyargs]
    return several + ([args.kwarg.arg] if args.kwarg else [])


@pytest.mark.parametrize("node", CLASSES, ids=lambda node: node.name)
def test_the_stub_declares_what_a_class_has_at_run_time(node: ast.ClassDef) -> None:
    kind: Any = getattr(aio, node.name)
    assert kind.__name__ == node.name
    assert inspect.getdoc(kind) == ast.get_docstring(node)
    assert {each.name for each in declared(node)} == public_names(kind)
    for function in declared(node):
        member: Any = inspect.getattr_static(kind, function.name)
        if isinstance(member, property | cached_property):
            continue
        member = getattr(member, "__func__", member)
        signature = declared_signature(member)
        assert inspect.iscoroutinefunction(member) is isinstance(function, ast.AsyncFunctionDef)
        assert list(signature.parameters) == parameter_names(function.args)
        returned = signature.return_annotation
        returned = getattr(returned, "__name__", str(returned)).replace('"', "'")
        assert returned == ast.unparse(function.returns or ast.Constant(None)).replace('"', "'")
        assert declared_doc(member) == ast.get_docstring(function)


def test_views_are_async_memories_and_calls_run_elsewhere() -> None:
    async def story() -> None:
        async with await AsyncMemory.open(":memory:", embedder="none") as memory:
            ana = memory.scoped(user="ana")
            assert repr(ana) == "<AsyncMemory user=ana>"
            assert ana.facts is ana.facts
            fact = await ana.remember("Ana likes tea")
            assert (await ana.facts.get(fact.id)).text == "Ana likes tea"
            person = await memory.as_person("ana")
            assert isinstance(person, AsyncMemory)
            assert person.scope == ana.scope
            assert await memory.everything().facts.count() == 1
            with pytest.raises(erstwhile.NotFoundError):
                await ana.facts.get("0" * 26)

    asyncio.run(story())


def test_a_cancelled_call_is_completed() -> None:
    async def story() -> int:
        async with await AsyncMemory.open(":memory:", embedder="none") as memory:
            waiting = asyncio.ensure_future(memory.remember("Ana likes tea"))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            while not (count := await memory.facts.count()):  # it may take a while
                await asyncio.sleep(0.01)
            return count

    assert asyncio.run(asyncio.wait_for(story(), 60)) == 1


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="AsyncNothing"):
        aio.AsyncNothing  # type: ignore[attr-defined]  # noqa: B018
