"""A server on loopback with OpenAI's embeddings interface, which misbehaves on request."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from typing import Any

from erstwhile.adapters.embedders.hashing import HashingEmbedder
from tests.adapters.loopback import Answer, LoopbackServer, saying

DIMENSIONS = 64
KEY = "sk-very-secret-4711"


def embedding_server() -> LoopbackServer:
    return LoopbackServer(well)


def well(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    rows = HashingEmbedder(body.get("dimensions", DIMENSIONS)).embed(body["input"])
    items = [{"index": index, "embedding": row.tolist()} for index, row in enumerate(rows)]
    saying(json.dumps({"data": items[::-1]}))(handler, body)


def vectors(*rows: object, indexes: list[int] | None = None) -> Answer:
    """Answer every request with these vectors."""
    numbers = range(len(rows)) if indexes is None else indexes
    items = [{"index": i, "embedding": row} for i, row in zip(numbers, rows, strict=True)]
    return saying(json.dumps({"data": items}))
