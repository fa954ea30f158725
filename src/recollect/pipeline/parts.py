"""What all views of one memory share."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from recollect.pipeline.background import BackgroundLearning
from recollect.pipeline.means import Means
from recollect.pipeline.searching import Searching
from recollect.pipeline.uses import Uses
from recollect.pipeline.worker import Worker
from recollect.ports import Tokenizers


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What all views of one memory share."""

    searching: Searching
    means: Means
    uses: Uses
    tokenizers: Tokenizers
    idle: timedelta
    worker: Worker | None = None
    """Embeds in the background."""
    background: BackgroundLearning | None = None
