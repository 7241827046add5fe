"""Themes hold everything the styles name, and their text can be read on every ground it is painted on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.color import Color
from textual.theme import Theme

from themes import CONTRAST, TERMINAL, THEMES

ROOT = Path(__file__).parents[2]
TEXTS = (
    "foreground",
    "text-primary",
    "text-secondary",
    "text-warning",
    "text-error",
    "text-success",
    "text-accent",
    "text-muted",
)
GROUNDS = ("surface", "background", "panel")
PAIRS = (
    *((text, ground) for text in TEXTS for ground in GROUNDS),
    ("block-cursor-foreground", "block-cursor-background"),
    ("block-cursor-blurred-foreground", "block-cursor-blurred-background"),
    *((text, "block-cursor-blurred-background") for text in TEXTS),
    *((text, "block-hover-background") for text in TEXTS),
    *((text, "primary-muted") for text in TEXTS),
    ("text-warning", "warning-muted"),
    ("footer-key-foreground", "footer-background"),
    ("foreground", "footer-background"),
    ("text-disabled", "footer-background"),
)


def contrast(text: Color, ground: Color) -> float:
    """The ratio of WCAG 2.2, 1 to 21."""
    first, second = sorted((_luminance(text), _luminance(ground)), reverse=True)
    return (first + 0.05) / (second + 0.05)


def _luminance(color: Color) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def variables(theme: Theme) -> dict[str, str]:
    return {**theme.to_color_system().generate(), **theme.variables}


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast(Color.parse("#000"), Color.parse("#fff")) == pytest.approx(21)
    assert contrast(Color.parse("#777"), Color.parse("#fff")) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", [theme for theme in THEMES if theme is not TERMINAL], ids=lambda t: t.name)
def test_text_stands_out_from_every_ground_it_is_painted_on(theme: Theme) -> None:
    """4.5 : 1 (WCAG AA), 7 : 1 in the high-contrast theme (AAA)."""
    least = 7.0 if theme is CONTRAST else 4.5
    values = variables(theme)
    measured = {
        (text, ground): contrast(Color.parse(values[text]), Color.parse(values[ground]))
        for text, ground in PAIRS
    }
    assert {pair: round(ratio, 2) for pair, ratio in measured.items() if ratio < least} == {}


def test_the_terminal_theme_names_no_colour_of_its_own() -> None:
    own = {
        value
        for value in (*TERMINAL.variables.values(), TERMINAL.primary, TERMINAL.foreground)
        if value is not None and "#" in value
    }
    assert own == set()
    assert TERMINAL.ansi


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_variable_that_styles_name_is_there(theme: Theme) -> None:
    files = [*ROOT.glob("widgets/**/*.py"), *ROOT.glob("workbench/styles/*.tcss")]
    named = {name for file in files for name in re.findall(r"\$([a-z][a-z-]+)", file.read_text())}
    assert len(named) > 20
    assert named - set(variables(theme)) == set()
