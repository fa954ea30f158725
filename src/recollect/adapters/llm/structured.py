"""A prompt's schema in the forms that servers demand before they enforce it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.adapters.llm.fitting import types_of

_KEPT = ("description", "enum", "type")
_IN_WORDS = (Path(__file__).parent / "answer_in_json.md").read_text("utf-8")


def closed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """With no fields but those it names, and no keyword that a server may not know."""
    kept = {name: schema[name] for name in _KEPT if name in schema}
    if "items" in schema:
        kept["items"] = closed(schema["items"])
    if "properties" in schema:
        below = {name: closed(each) for name, each in schema["properties"].items()}
        required = list(schema.get("required", ()))
        kept |= {"properties": below, "required": required, "additionalProperties": False}
    return kept


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Closed, and with every field required: what may be left out may be null instead."""
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
    """The same, said to the model itself."""
    # Loaded here: most servers enforce the schema.
    import json

    return _IN_WORDS.replace("{{schema}}", json.dumps(closed(schema), ensure_ascii=False))


def _nullable(form: dict[str, Any]) -> dict[str, Any]:
    types = types_of(form)
    if types and "null" not in types:
        form = form | {"type": [*types, "null"]}
    if "enum" in form and None not in form["enum"]:
        form = form | {"enum": [*form["enum"], None]}
    return form
