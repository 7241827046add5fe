"""How numbers are written: `7 812` tokens, `≈ 640` where they are not exact."""

from __future__ import annotations

APPROXIMATE = "≈"
_THIN = "\N{NO-BREAK SPACE}"


def grouped(number: int) -> str:
    """`number` with its digits in groups of three: `18 230`."""
    return f"{number:,}".replace(",", _THIN)


def counted(number: int, what: str, many: str | None = None) -> str:
    """`1 item`, `2 items`; `many`: a plural that is not made with an s."""
    return f"{grouped(number)} {noun(number, what, many)}"


def noun(number: int, what: str, many: str | None = None) -> str:
    """`what` for one, else `many`; without that, with an s."""
    return what if number == 1 else many or f"{what}s"


def token_count(tokens: int | None, *, approximate: bool = False) -> str:
    """A cost as rows show it; blank while it is unknown."""
    if tokens is None:
        return ""
    return f"{APPROXIMATE}{grouped(tokens)}" if approximate else grouped(tokens)
