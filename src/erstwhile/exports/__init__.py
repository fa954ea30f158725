"""Exports of a memory as JSON lines or Markdown, and the import of such lines.

Only `keeping` imports it. It knows the tables of all collections. Begin with `format.py`.
"""
