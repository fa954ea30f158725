"""Text analysis and vector search as pure functions: passages, terms, BM25, nearest vectors.

Nothing here reads a database. Any package above `storage` may import it.
Begin with `terms.py` (text to terms) and `bm25.py` (terms to scores).
"""
