"""Write the parts of clients/typescript that follow from the HTTP API, before it is built.

`src/verbs.ts` has the request of each verb. From `openapi.json`, `npm run generate` makes the types
of `src/schema.ts`. None of them is committed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from erstwhile.rpc.verbs import VERSION, verbs
from erstwhile.servers.http.openapi import openapi_document

CLIENT = Path(__file__).resolve().parents[1] / "clients" / "typescript"
HEAD = "/** The request of each verb. */\n\nexport const requests = {\n"


def main() -> None:
    lines = [
        f'  "{name}": ["{verb.method}", "/{VERSION}{verb.path}"],\n'
        for name, verb in verbs().items()
    ]
    CLIENT.joinpath("src", "verbs.ts").write_text(f"{HEAD}{''.join(lines)}}} as const;\n", "utf-8")
    document = json.dumps(_without_examples(openapi_document()), ensure_ascii=False)
    CLIENT.joinpath("openapi.json").write_text(document, "utf-8")


def _without_examples(value: Any) -> Any:
    """Return a JSON value without the examples, which are most of the document."""
    if isinstance(value, list):
        return [_without_examples(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _without_examples(each)
        for name, each in value.items()
        if name not in ("example", "examples") or (isinstance(each, dict) and "type" in each)
    }


if __name__ == "__main__":
    main()
