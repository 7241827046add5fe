"""When a request is made again: what passes by itself, three times, after as long as the endpoint says."""

from __future__ import annotations

import math
import time
from email.utils import parsedate_to_datetime

PAUSES = (1.0, 2.0, 4.0)
"""Seconds before the second, third and fourth try, where the endpoint does not say."""
LONGEST = 60.0
"""Seconds; who is to wait longer is told, and not kept waiting."""
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
"""Statuses that may be gone the next time."""


def after(header: str | None) -> float | None:
    """Seconds that a Retry-After header asks for, be they a number or a date; None for none that can be read."""
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if not math.isnan(seconds) else None
