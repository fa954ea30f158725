"""What `import erstwhile` gives."""

from __future__ import annotations

import inspect
from types import ModuleType

import pytest

import erstwhile
from erstwhile.core import errors
from erstwhile.rpc.verbs import verbs
from tests.surface import collections_of

ERRORS = {name for name, each in inspect.getmembers(errors, inspect.isclass)}
TOP = ERRORS | {
    "AsyncMemory", "Memory", "Settings", "backup", "copy", "doctor", "draft", "export",
    "import_file", "open", "rekey", "repair", "restore", "wrap",
}  # fmt: skip
BOTH = {
    "Draft", "Hit", "Hits", "Page", "Receipt", "Scope",
    "Block", "Checkpoint", "Context", "Conversation", "Decision", "DecisionRequest", "Fact",
    "Lesson", "Limitation", "Message", "Observation", "Outcome", "Task", "UsageEntry",
}  # fmt: skip
TYPES = BOTH | {
    "BlockChange", "Overflow", "TimeRepair",
    "Backup", "Copied", "Diagnosis", "Exported", "Health", "HealthCheck", "Imported",
    "Refusal", "Repaired", "Restored", "RecoveredRows",
    "ChangedBlock", "ChangedFact", "Restoration", "Snapshot", "SnapshotDiff",
    "BulkChange", "Ending", "Entity", "EntityCard", "Entry", "Erasure", "FactChange", "Flushed",
    "Kind",
    "Neighbour", "Origin", "Relation", "ScopeCount", "Source", "State", "Stats", "Tier", "Trust",
    "Verification",
    "Advice", "Choice", "Coverage", "Decider", "DecisionHit", "DecisionOutcome", "FoundBy",
    "Lasting", "Namespace", "Suggestion",
    "Compaction", "ConversationStats", "ConversationStatus", "Exchange", "Role",
    "Transcript", "ExternalSession", "Identity",
    "LanguageGuess", "LimitationStatus", "Maintained", "MaintenanceStep", "ObservationType",
    "MemoryChange", "OnboardingStage", "Retained",
    "OutcomeTally",
    "Price", "UsagePeriod", "UsageSummary",
    "AfterFailure", "CheckpointStatus", "Claim", "Failure", "RunProgress", "RunStatus",
    "Scheduled", "SimilarTask", "TaskRun", "TaskStatus", "TaskType",
    "Attempt", "AttemptChange", "AttemptOutcome", "ChangeType", "Conflict", "Held",
    "Consolidation", "ConsolidationAct", "ConsolidationChange",
    "LearningStatus", "BackgroundFailure", "Observed", "ObservedMessages", "Waiting",
    "Channel", "Considered", "Passage", "RecallHits", "TextKind", "Trace",
    "Why", "WhyNot", "Feedback", "Judged", "ToolResult", "Toolset",
    "ContextItem", "ContextReport", "HistoryOverflow", "LeftOut", "Omission", "Section",
}  # fmt: skip
MODULES = {erstwhile: TOP | BOTH, erstwhile.types: TYPES}
MEMBERS = [(module, name) for module, names in MODULES.items() for name in sorted(names)]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_public_names_are_exactly_these(module: ModuleType) -> None:
    """A name that is added or dropped is a decision, and is written down here."""
    assert set(module.__all__) == MODULES[module]
    assert len(module.__all__) == len(MODULES[module])


@pytest.mark.parametrize(("module", "name"), MEMBERS)
def test_every_public_name_has_a_docstring(module: ModuleType, name: str) -> None:
    """One of its own, not one that Python made up."""
    member = getattr(module, name)
    written = vars(member).get("__doc__") if inspect.isclass(member) else member.__doc__
    assert written
    assert not written.startswith((f"{name}(", "str("))


@pytest.mark.parametrize("name", ["Memory", "AsyncMemory"])
def test_every_method_says_what_it_does(name: str) -> None:
    kind = getattr(erstwhile, name)
    with erstwhile.open(":memory:") as memory:
        parts = collections_of(memory).values()
    for each in (kind, *map(type, parts)):
        for verb, member in inspect.getmembers(each):
            if not verb.startswith("_") and (callable(member) or isinstance(member, property)):
                assert inspect.getdoc(member), f"{each.__name__}.{verb}"


@pytest.mark.parametrize(
    ("verb", "summary"),
    [
        ("outcomes.get", "Return one outcome by its id."),
        ("usage.restore", "Restore a deleted call."),
        ("lessons.purge", "Erase the lessons of exactly this scope"),
        ("observations.erase", "Destroy observations, down to their bytes in the file."),
        ("limitations.delete", "Hide one limitation until it is restored, erased or purged."),
        ("facts.delete", "Hide a fact from every answer, also about past times,"),
        ("conversations.erase", "Destroy conversations or single messages, and their copies."),
    ],
)
def test_a_shared_verb_names_the_records_of_its_collection(verb: str, summary: str) -> None:
    assert (inspect.getdoc(verbs()[verb].function) or "").startswith(summary)


def test_signatures_name_every_type_and_keyword() -> None:
    """A help shows `-> Outcome` and the keywords, and an error names the collection."""
    returned = inspect.signature(verbs()["outcomes.delete"].function).return_annotation
    assert returned is erstwhile.Outcome
    edits = [each for each in verbs().values() if "version" in each.marks]
    assert all("expected_version" in inspect.signature(e.function).parameters for e in edits)
    with (
        erstwhile.open(":memory:", embedder="none") as memory,
        pytest.raises(TypeError, match=r"^Outcomes\.delete\(\) got an unexpected"),
    ):
        memory.outcomes.delete("x", because="y")  # type: ignore[call-arg]


def test_a_memory_says_whose_it_is() -> None:
    with erstwhile.open(":memory:") as memory:
        views = [memory, memory.scoped(user="ana", project="shop"), memory.everything()]
    written = ["<Memory shared>", "<Memory user=ana project=shop>", "<Memory everything>"]
    assert [repr(view) for view in views] == written


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Forgotten"):
        erstwhile.Forgotten  # type: ignore[attr-defined]  # noqa: B018
