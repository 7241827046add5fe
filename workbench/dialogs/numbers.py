"""Numbers of tokens as people write and read them."""

from __future__ import annotations

import re

_WRITTEN = re.compile(r"(\d[\d _.,]*)\s*([kKmM]?)")
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000}


def tokens_of(text: str) -> int | None:
    """`32k`, `12 800`, `0.5m`, `32_000`: tokens; None for what is no number. A dot or comma before k or m is a decimal
    one, else it separates thousands."""
    found = _WRITTEN.fullmatch(text.strip())
    if found is None:
        return None
    digits, unit = found[1].replace(" ", "").replace("_", ""), found[2].lower()
    try:
        if unit:
            return round(float(digits.replace(",", ".")) * _TIMES[unit])
        return int(digits.replace(",", "").replace(".", ""))
    except ValueError:
        return None


def rounded(tokens: int) -> str:
    """`32k`, `1.05M`, `8 192`: short where that loses nothing."""
    if tokens >= 1_000_000 and tokens % 10_000 == 0:
        return f"{tokens / 1_000_000:g}M"
    return f"{tokens // 1_000}k" if tokens and tokens % 1_000 == 0 else f"{tokens:,}".replace(",", " ")
