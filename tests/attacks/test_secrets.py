"""Secrets in many languages are masked, and no error message or `repr` repeats one."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import erstwhile
from erstwhile import types
from erstwhile.core import errors
from erstwhile.core.settings import Settings
from erstwhile.lazy_collections import LazyCollections
from erstwhile.secrets.masking import mask_json, mask_text
from tests.cli.shell import run

_TEXTS = json.loads(Path(__file__).with_name("secrets.json").read_text("utf-8"))
SECRETS: dict[str, list[tuple[str, str]]] = _TEXTS["secrets"]
"""Sentences with a place for a secret, and the secret, by the kind of the secret."""
HARMLESS: list[str] = _TEXTS["harmless"]
BY_CLASS = json.loads(Path(__file__).with_name("secrets_by_class.json").read_text("utf-8"))
"""Secrets of every class that was once found in clear, and harmless texts with the same words."""


@pytest.mark.parametrize(
    ("kind", "frame", "secret"),
    [(kind, frame, secret) for kind, each in SECRETS.items() for frame, secret in each],
)
def test_a_secret_is_masked_and_nothing_else(kind: str, frame: str, secret: str) -> None:
    masked = mask_text(frame.format(secret))
    assert masked == frame.format(f"[masked:{kind}]")
    assert mask_text(masked) == masked


@pytest.mark.parametrize("text", HARMLESS)
def test_a_sentence_about_secrets_stays(text: str) -> None:
    assert mask_text(text) == text


@pytest.mark.parametrize(("text", "secret"), BY_CLASS["secrets"])
def test_no_secret_of_a_known_class_stays_in_clear(text: str, secret: str) -> None:
    assert secret not in mask_text(text)


def test_harmless_texts_near_these_classes_stay() -> None:
    """They were written before the rules. Two that older rules masked were mended on purpose."""
    assert [text for text in BY_CLASS["harmless"] if mask_text(text) != text] == []


def test_talk_that_others_wrote_stays() -> None:
    """LoCoMo: 5,882 turns without a secret. None is changed."""
    place = Path(__file__).parents[3] / "shared" / "data" / "locomo" / "locomo10.json"
    if not place.exists():
        pytest.skip("the evaluation data is not here")
    told = [each["conversation"] for each in json.loads(place.read_text("utf-8"))]
    sessions = [each for talk in told for each in talk.values() if isinstance(each, list)]
    texts = [turn["text"] for session in sessions for turn in session]
    assert len(texts) > 5_000
    assert [text for text in texts if mask_text(text) != text] == []


@pytest.mark.parametrize("secret", ["Neko2024x", "Ｎｅｋｏ２０２４ｘ"])
def test_letters_of_full_width_hide_nothing(secret: str) -> None:
    assert mask_text(f"ｐａｓｓｗｏｒｄ：{secret}") == "ｐａｓｓｗｏｒｄ：[masked:assigned-secret]"
    assert mask_text("ｐａｓｓｗｏｒｄ：８文字以上") == "ｐａｓｓｗｏｒｄ：８文字以上"


def test_letters_of_full_width_stay_beside_a_secret() -> None:
    """Nothing but the secret changes; what a disguise hides is masked all the same."""
    text = "ＡＢＣ社のＷｉ-Ｆｉ、パスワードはＮｅｋｏ２０２４ｘです。ＤＥＦ社は別。"
    masked = mask_text(text)
    assert masked == text.replace("Ｎｅｋｏ２０２４ｘ", "[masked:password]")
    twice = mask_text(f"{text} 新しいパスワードはＫｕｍａ２０２５ｙです。ＧＨＩ")
    assert twice.count("[masked:password]") == 2
    assert twice.startswith("ＡＢＣ社")
    assert twice.endswith("です。ＧＨＩ")


@pytest.mark.parametrize(("value", "hidden"), [("Neko2024x", True), ("3 of 4", False), (12, False)])
def test_a_field_named_pass_is_masked_if_its_value_looks_like_a_password(
    value: object, hidden: bool
) -> None:
    assert (mask_json({"pass": value}) != {"pass": value}) is hidden


KEY = "sk-ant-api03-aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zC"
LOGIN = "postgresql://ana:Tr0ub4dor-3@db.example/agents"


def tree(kind: type[errors.ErstwhileError]) -> Iterator[type[errors.ErstwhileError]]:
    yield kind
    for each in kind.__subclasses__():
        yield from tree(each)


@pytest.mark.parametrize("kind", list(tree(errors.ErstwhileError)), ids=lambda kind: kind.__name__)
def test_no_kind_of_error_repeats_a_secret(kind: Any) -> None:
    error: errors.ErstwhileError
    if kind is errors.AmbiguousIdError:
        error = kind(KEY, (KEY, "019a"))
    elif kind is errors.AmbiguousTextError:
        error = kind(("019a", KEY))
    else:
        error = kind(f"no fact {KEY!r} at {LOGIN}", remedy=f"give another than {KEY}")
    for told in (str(error), repr(error), error.message, error.remedy, str(error.args)):
        assert KEY not in told
        assert "Tr0ub4dor-3" not in told
    assert "[masked:" in str(error)


def test_the_repr_of_settings_shows_no_password() -> None:
    for address in (LOGIN, "postgresql://ana:secret@host/db", "postgresql://host/db?password=abc"):
        shown = repr(
            Settings(
                db=address, embedder_key=KEY, reranker_key=KEY, llm_url=f"https://ana:{KEY}@host/v1"
            )
        )
        assert "db='postgresql://…'" in shown
        assert KEY not in shown
    assert "db='agent.db'" in repr(Settings(db="agent.db"))


PUBLIC = [getattr(module, name) for module in (erstwhile, types) for name in module.__all__]
RECORDS = sorted(
    {
        each for each in PUBLIC
        if isinstance(each, type) and (is_dataclass(each) or issubclass(each, tuple))
    },
    key=lambda kind: kind.__name__,
)  # fmt: skip
"""Every public class with fields; a new one is tested without being named here."""
SECRET = f"{KEY} of {LOGIN}"


def told(annotation: Any) -> Any:
    """Return a value for a field: a secret, wherever the field may hold a text."""
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return next(iter(annotation))
    if "Mapping" in str(annotation):
        return {SECRET: 1.0}
    return 1.0 if "float" in str(annotation) else SECRET


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_the_repr_of_no_record_shows_a_secret(kind: Any) -> None:
    """Records are made of masked texts. Names and ids are not masked, and callers make records."""
    record = kind.__new__(kind, *[SECRET for _ in getattr(kind, "_fields", ())])
    hints = get_type_hints(kind, localns={each.__name__: each for each in RECORDS})
    for field in fields(kind) if is_dataclass(kind) else ():
        object.__setattr__(record, field.name, told(hints[field.name]))
    shown = f"{record!r} {record}"
    assert KEY not in shown
    assert "Tr0ub4dor-3" not in shown


def test_what_a_caller_makes_is_masked() -> None:
    call: dict[str, Any] = {"goal": "x", "tool": "Bash", "input": {"command": f"curl -u ana:{KEY}"}}
    made = [
        erstwhile.DecisionRequest(**call), erstwhile.Decision(**call, choice="deny", message=KEY),
        erstwhile.draft(f"the key is {KEY}", metadata={"a": KEY}),
    ]  # fmt: skip
    for each in made:
        assert KEY not in repr(each)
    assert "[masked:" in repr(made[-1])


def verbs(memory: erstwhile.Memory) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every public verb of the memory and of its collections."""
    owners: dict[str, Any] = {"memory": memory}
    for name in sorted(set(dir(LazyCollections)) | set(dir(memory))):
        if not name.startswith("_") and not callable(getattr(memory, name)):
            owners[name] = getattr(memory, name)
    for name, owner in owners.items():
        for verb in dir(owner):
            method = getattr(owner, verb)
            if not verb.startswith("_") and inspect.ismethod(method) and verb != "close":
                yield f"{name}.{verb}", method


def calls(method: Callable[..., Any]) -> Iterator[Callable[[], Any]]:
    """Yield calls with the secret as each argument, in wrong and in unusual forms."""
    parameters = list(inspect.signature(method).parameters.values())
    positional = [each for each in parameters if each.default is each.empty and each.kind < 2]
    for bad in (KEY, [KEY], {"id": KEY, KEY: KEY}):
        given = [bad for _ in positional]
        yield lambda given=given: method(*given)  # type: ignore[misc]
        for each in parameters:
            if each.kind is each.KEYWORD_ONLY or each.default is not each.empty:
                named = {each.name: bad}
                yield lambda given=given, named=named: method(*given, **named)  # type: ignore[misc]


def test_bad_input_to_any_verb_is_refused_without_repeating_it() -> None:
    refused, leaks = 0, list[str]()
    with erstwhile.open(":memory:", settings=Settings(embedder="none")) as memory:
        for name, verb in verbs(memory.scoped(user="ana")):
            for call in calls(verb):
                try:
                    call()
                except erstwhile.ErstwhileError as error:
                    refused += 1
                    leaks += [name] if KEY in f"{error} {error!r}" else []
                except (TypeError, AttributeError, ValueError):
                    pass  # Python's own check of arguments
    assert not leaks
    assert refused > 300


@pytest.mark.parametrize(
    "words",
    [("facts", "show", KEY), ("remember", "x", "--kind", KEY), ("remember", "x", "--metadata", KEY),
     ("facts", "list", "--since", KEY), ("recall", "x", "--limit", KEY), (KEY,)],
)  # fmt: skip
def test_the_command_line_does_not_repeat_a_secret(tmp_path: Any, words: tuple[str, ...]) -> None:
    place = tmp_path / "memory.db"
    erstwhile.open(place, settings=Settings(embedder="none")).close()
    ended = run("--db", str(place), *words)
    assert ended.code
    assert KEY not in ended.err + ended.out


def test_a_huge_argument_is_quoted_in_part_only() -> None:
    with (
        erstwhile.open(":memory:", settings=Settings(embedder="none")) as memory,
        pytest.raises(erstwhile.InvalidInputError) as told,
    ):
        memory.remember_many([["word " * 100_000]])  # type: ignore[list-item]
    assert len(str(told.value)) < 5_000
