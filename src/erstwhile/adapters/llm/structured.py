"""The schema of a prompt in the forms that servers accept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from erstwhile.adapters.llm.schema_validation import types_of

_KEPT = ("description", "enum", "type")
_ANY = "any value"
_IN_WORDS = (Path(__file__).parent / "answer_in_json.md").read_text("utf-8")


def closed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema without further fields, and without keywords that servers may not know."""
    kept = {name: schema[name] for name in _KEPT if name in schema}
    if "items" in schema:
        kept["items"] = closed(schema["items"])
    if "properties" in schema:
        below = {name: closed(each) for name, each in schema["properties"].items()}
        required = list(schema.get("required", ()))
        kept |= {"properties": below, "required": required, "additionalProperties": False}
    return kept


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the closed schema with every field required; an optional field may be null."""
    form = closed(schema)
    if "items" in form:
        form["items"] = strict(form["items"])
    if "properties" in form:
        fields = {name: strict(each) for name, each in form["properties"].items()}
        optional = fields.keys() - form["required"]
        form["properties"] = {
            name: _nullable(each) if name in optional else each for name, each in fields.items()
        }
        form["required"] = list(fields)
    return form


def in_words(schema: Mapping[str, Any]) -> str:
    """Return the schema as a form for the prompt. It takes less than half of the tokens.

    Small models sometimes repeat a schema instead of filling it in.
    """
    return _IN_WORDS.replace("{{form}}", _form(schema))


def _form(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(json.dumps(each, ensure_ascii=False) for each in schema["enum"])
    if "items" in schema:
        return f"[{_form(schema['items'])}, ...]"
    if "properties" in schema:
        required = schema.get("required", ())
        fields = (
            f'"{name}"{"" if name in required else "?"}: {_form(below)}'
            for name, below in schema["properties"].items()
        )
        return f"{{{', '.join(fields)}}}"
    return " | ".join(types_of(schema)) or _ANY


def _nullable(form: dict[str, Any]) -> dict[str, Any]:
    types = types_of(form)
    if types and "null" not in types:
        form = form | {"type": [*types, "null"]}
    if "enum" in form and None not in form["enum"]:
        form = form | {"enum": [*form["enum"], None]}
    return form
