"""Blocks: named, versioned texts that an agent edits itself.

The package uses facts, storage and core; recall, context, integrations and the command line use it.
Begin with `collection.py`; `content.py` holds the rules for the token limit.
"""
