"""Themes as data: four of them, each a file; and people's own (`themes.own`)."""

from themes.builtin import CONTRAST, DARK, LIGHT, TERMINAL

THEMES = (DARK, LIGHT, CONTRAST, TERMINAL)
"""In the order a chooser offers them; the first is the default."""

__all__ = ["CONTRAST", "DARK", "LIGHT", "TERMINAL", "THEMES"]
