"""Plain statements: what users say of themselves in the first person, kept in their own words.

They are known by their subject, their verb and what it is about, and not by a rule for each
sentence. Begin with `english.py`; other languages are in `quoted.py`.
"""
