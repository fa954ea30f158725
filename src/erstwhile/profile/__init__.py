"""Profiles of people: the values of keys, the language, other names, and onboarding.

Context imports it to put the profile into a prompt.
Begin with `collection.py` (`memory.profile`); identities and onboarding are collections too.
"""
