"""Embedders, which turn texts into vectors of unit length.

Packages above `adapters` use them through `core.ports.Embedder`.
"""
