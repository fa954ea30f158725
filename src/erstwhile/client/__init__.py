"""A memory on a server: the same verbs, sent over HTTP."""
