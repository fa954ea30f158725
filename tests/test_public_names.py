"""What `import erstwhile` gives."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import erstwhile
from erstwhile.core import errors
from tests.surface import collections_of

ERRORS = {name for name, each in inspect.getmembers(errors, inspect.isclass)}
NAMES = ERRORS | {
    "Block", "BlockChange", "Overflow",
    "AsyncMemory", "Change", "Copied", "Draft", "Ending", "Entity", "EntityCard", "Entry", "Fact",
    "Kind", "Memory", "Neighbour", "Origin", "Page", "Receipt", "Relation", "Scope", "Settings",
    "Source", "State", "Stats", "Tier", "Trust", "Verification", "copy", "draft", "open",
    "Advice", "Choice", "Decider", "Decision", "DecisionHit", "DecisionOutcome",
    "DecisionRequest", "FoundBy", "Lasting", "Namespace", "Suggestion",
    "Compaction", "Conversation", "ConversationStats", "ConversationStatus", "Exchange", "Message",
    "MessageHit", "Role", "Transcript", "ExternalSession", "Identity",
    "LanguageGuess", "Lesson", "Limitation", "LimitationStatus", "Observation", "ObservationType",
    "OnboardingStage", "Outcome", "OutcomeTally", "Price", "UsageEntry", "UsagePeriod",
    "UsageSummary",
    "AfterFailure", "Checkpoint", "CheckpointStatus", "Claim", "Failure", "RunProgress",
    "RunStatus", "Scheduled", "SimilarTask", "Task", "TaskRun", "TaskStatus", "TaskType",
    "LearningStatus", "Observed", "Waiting",
    "Act", "Attempt", "AttemptChange", "AttemptOutcome", "Conflict", "Held",
    "Channel", "Considered", "Fusion", "Hit", "Hits", "Trace", "Why", "WhyNot",
    "Feedback", "Judged",
    "Context", "ContextItem", "ContextReport", "HistoryOverflow", "LeftOut", "Omission", "Section",
}  # fmt: skip


def test_the_public_names_are_exactly_these() -> None:
    """A name that is added or dropped is a decision, and is written down here."""
    assert set(erstwhile.__all__) == NAMES
    assert len(erstwhile.__all__) == len(NAMES)


def test_nothing_else_is_imported_into_the_package() -> None:
    """What is in reach without an underscore is public, or only for type checkers."""
    source = Path(inspect.getfile(erstwhile)).read_text("utf-8")
    imported = {
        alias.asname or alias.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("erstwhile")
        for alias in node.names
    }
    assert imported == NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_public_name_says_what_it_is(name: str) -> None:
    """In a docstring of its own, not one that Python made up."""
    member = getattr(erstwhile, name)
    written = vars(member).get("__doc__") if inspect.isclass(member) else member.__doc__
    assert written
    assert not written.startswith((f"{name}(", "str("))


@pytest.mark.parametrize("name", ["Memory", "AsyncMemory"])
def test_every_method_says_what_it_does(name: str) -> None:
    """Those of the collections too."""
    kind = getattr(erstwhile, name)
    with erstwhile.open(":memory:") as memory:
        parts = collections_of(memory).values()
    for each in (kind, *map(type, parts)):
        for verb, member in inspect.getmembers(each):
            if not verb.startswith("_") and (callable(member) or isinstance(member, property)):
                assert inspect.getdoc(member), f"{each.__name__}.{verb}"


def test_a_memory_says_whose_it_is() -> None:
    """When it is printed."""
    with erstwhile.open(":memory:") as memory:
        views = [memory, memory.scoped(user="ana", project="shop"), memory.everything()]
    written = ["<Memory shared>", "<Memory user=ana project=shop>", "<Memory everything>"]
    assert [repr(view) for view in views] == written


def test_an_unknown_name_is_an_attribute_error() -> None:
    """Although some names are loaded late."""
    with pytest.raises(AttributeError, match="Erstwhileion"):
        erstwhile.Erstwhileion  # noqa: B018
