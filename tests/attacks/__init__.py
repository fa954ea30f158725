"""Attacks that were found, and stay closed: by text that a model obeys, and on advice.

For text that wants to become a trusted fact, begin with `attack.py`. Each file has one group.
"""
