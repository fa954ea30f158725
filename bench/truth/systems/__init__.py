"""Adapters of systems, one a file; an adapter of your own can lie anywhere."""
