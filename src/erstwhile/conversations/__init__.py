"""Conversations: messages on channels, their summaries, and the sessions of other programs.

The package uses search, storage and core; learning, context, integrations and the command line
use it. Begin with `collection.py`.
"""
