"""Themes of one's own: a table of colours over one of the program's themes, checked before anything is painted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from textual.color import Color, ColorParseError
from textual.theme import Theme

from themes import THEMES

COLOURS = (
    "primary", "secondary", "warning", "error", "success", "accent", "foreground", "background", "surface", "panel",
    "boost",
)  # fmt: skip
"""What a theme may name a colour for."""
_NAME = re.compile(r"[A-Za-z0-9][\w-]{0,40}")
_STYLES = frozenset({"bold", "dim", "italic", "underline", "reverse", "strike", "none"})


def own_theme(name: str, table: Mapping[str, Any]) -> Theme:
    """The theme of a table: `base` (a theme of the program), `dark`, any of COLOURS, and `[variables]`, each
    of which the base must have. What is not said is as in the base.

    Raises ValueError with what is wrong, as a sentence."""
    bases = {theme.name: theme for theme in THEMES}
    if not _NAME.fullmatch(name) or name in bases:
        raise ValueError(f"{name!r} is no name for a theme of your own: use letters, digits, - and _.")
    base = bases.get(table.get("base", THEMES[0].name))
    if base is None:
        raise ValueError(f"There is no theme {table['base']!r} to start from; there are {', '.join(bases)}.")
    known = ("base", "dark", "variables", *COLOURS)
    if unknown := [key for key in table if key not in known]:
        raise ValueError(f"A theme has no {unknown[0]!r}; it has {', '.join(known)}.")
    colours = {key: _colour(key, table[key]) for key in COLOURS if key in table}
    variables = dict(base.variables) | _variables(table.get("variables", {}), base)
    dark = table.get("dark", base.dark)
    if not isinstance(dark, bool):
        raise ValueError("dark is true or false.")
    return replace(base, name=name, dark=dark, variables=variables, **colours)


def _variables(table: object, base: Theme) -> dict[str, str]:
    if not isinstance(table, Mapping):
        raise ValueError("variables is a table: [variables].")
    found = {}
    for key, value in table.items():
        if key not in base.variables:
            raise ValueError(f"{base.name} has no variable {key!r}; it has {', '.join(base.variables)}.")
        found[key] = _style(key, value) if key.endswith("-style") else _colour(key, value)
    return found


def _colour(key: str, value: object) -> str:
    try:
        Color.parse(value if isinstance(value, str) else "")
    except ColorParseError:
        raise ValueError(
            f"{key} cannot be {value!r}; it is a colour: #5aa9f5, steelblue, ansi_blue."
        ) from None
    return str(value)


def _style(key: str, value: object) -> str:
    words = value.split() if isinstance(value, str) else []
    if not words or not _STYLES.issuperset(words):
        raise ValueError(f"{key} cannot be {value!r}; it is any of {', '.join(sorted(_STYLES))}.")
    return str(value)
