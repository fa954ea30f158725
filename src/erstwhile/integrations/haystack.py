"""Haystack: hooks that give an agent a memory.

Agent(chat_generator=…, hooks=memory_hooks(memory))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from haystack.components.agents.state.state import State, replace_values
from haystack.core.errors import SerializationError
from haystack.core.serialization import default_from_dict, default_to_dict
from haystack.dataclasses import ChatMessage
from haystack.utils.callable_serialization import deserialize_callable, serialize_callable

from erstwhile.core.settings import TOKENS
from erstwhile.integrations.run_memory import MemoryOfRun, RunMemory, on_thread
from erstwhile.memory import Memory

_MARK = "erstwhile_memory"
"""The field in the meta of a message that the memory added."""


def memory_hooks(
    memory: Memory | MemoryOfRun, *, tokens: int = TOKENS, learn: bool = True
) -> dict[str, list[Any]]:
    """Return the hooks of an agent: they add the context to each run, and learn from it.

    `memory` is a memory, or a function that returns the one of a run from its state, for agents
    with many users. Only hooks with such a function can be serialised. If the memory fails, the run
    goes on without it.
    """
    return {
        "before_run": [RecallHook(memory, tokens)],
        "after_run": [LearnHook(memory, tokens, learn=learn)],
    }


class _MemoryHook:
    """A hook with a memory."""

    def __init__(self, memory: Memory | MemoryOfRun, tokens: int = TOKENS, **options: bool) -> None:
        self._memory, self._tokens, self._options = memory, tokens, options
        self._runs = RunMemory(memory, tokens)

    def run(self, state: State) -> None:
        """Change the messages of a run."""
        raise NotImplementedError

    run_async = on_thread(run)

    def to_dict(self) -> dict[str, Any]:
        """Return the hook for a serialised agent."""
        if isinstance(self._memory, Memory):
            raise SerializationError(
                "a memory cannot be serialised: pass a function that returns the memory of a run"
            )
        memory = serialize_callable(self._memory)
        data: dict[str, Any] = default_to_dict(
            self, memory=memory, tokens=self._tokens, **self._options
        )
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Any:
        """Return the hook of a serialised agent."""
        options = data["init_parameters"]
        options["memory"] = deserialize_callable(options["memory"])
        return default_from_dict(cls, data)


class RecallHook(_MemoryHook):
    """Adds the context before the last words of the user, marked as data."""

    allowed_hook_points: ClassVar = ("before_run",)

    def run(self, state: State) -> None:
        """Add the context as a message of its own."""
        messages = list(state.get("messages"))
        asked = [n for n, each in enumerate(messages) if each.is_from("user")]
        text = asked and self._runs.context(state, messages[asked[-1]].text or "")
        if text:
            messages.insert(asked[-1], ChatMessage.from_user(text, meta={_MARK: True}))
            state.set("messages", messages, handler_override=replace_values)


class LearnHook(_MemoryHook):
    """Takes the context out again, stores the run and learns from it in the background."""

    allowed_hook_points: ClassVar = ("after_run",)

    def run(self, state: State) -> None:
        """Store the messages that the conversation does not have yet."""
        messages = [each for each in state.get("messages") if not each.meta.get(_MARK)]
        state.set("messages", messages, handler_override=replace_values)
        if self._options.get("learn", True):
            said = [_role_and_content(each) for each in messages if each.role.value != "system"]
            self._runs.observe(state, said, "haystack")


def _role_and_content(message: ChatMessage) -> dict[str, str]:
    results: Sequence[Any] = message.tool_call_results
    text = "\n".join([*message.texts, *(str(each.result) for each in results)])
    return {"role": message.role.value, "content": text}
