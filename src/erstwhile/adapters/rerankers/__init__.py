"""Rerankers: a model on a server, and one that runs in this process."""
