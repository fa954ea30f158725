"""Parts of English sentences that many patterns begin or end with."""

from __future__ import annotations

SOFT = (
    r"(?:(?:just|recently|finally|now|currently|really|also|still|already|mostly|usually|absolutely"
    r"|totally|quite|normally|generally|both|actually|personally|particularly|strongly) )*"
)
"""What may stand before a verb without changing what is said."""
I_AM = rf"i(?:'m| am) {SOFT}"
I_HAVE = rf"i(?:'ve| have)? {SOFT}"
I_DO = rf"i {SOFT}"
ANY_MORE = r"any ?(?:more|longer)"
