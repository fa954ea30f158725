"""Long-term memory for AI agents, in one file.

Begin with `open`. The names that most programs need are here; all types of values are in
`erstwhile.types`. Each name is imported on first use, so that a program pays for what it uses.
"""

from erstwhile.lazy_names import lazy_names

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
