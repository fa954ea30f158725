"""Copying a whole memory from one engine to another."""
