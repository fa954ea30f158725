"""Types of the values that verbs return or accept. The stub lists them."""

from erstwhile.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
