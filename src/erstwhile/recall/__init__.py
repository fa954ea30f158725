"""Recall: from a query to ranked records, and the embeddings that it needs.

`decisions`, `learning`, `context` and everything above may import it.
Begin with `service.py`, the entry point, and `recall.py`, the stages of one query.
"""
