"""Connect other programs to a memory: adapters of frameworks, and imported conversations.

The package uses the public surface of `Memory`; the command line and servers may import it.
Begin with `wrap.py` (any client of a model) or `conversation_files.py` (imports).
"""

from erstwhile.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
