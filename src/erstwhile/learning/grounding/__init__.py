"""Grounding: find the words of a turn that a proposal of a model rests on, and whose they are.

The guard asks it. Begin with `ground`. `quotation` looks up what is quoted; `speakers` and `said`
tell whether names, numbers and dates were said, and by whom; `conclusions` whether a proposal only
says it in other words. The words of many languages are in
`words.toml`.
"""

from erstwhile.learning.grounding.conclusions import concluded
from erstwhile.learning.grounding.details import with_end, without_unsaid
from erstwhile.learning.grounding.ground import check, ground_of, grounded
from erstwhile.learning.grounding.speakers import Speakers

__all__ = ["Speakers", "check", "concluded", "ground_of", "grounded", "with_end", "without_unsaid"]
