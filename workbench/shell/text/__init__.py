"""Answers as text for a person at a shell. Importing this package registers how each answer is rendered."""

from workbench.shell.text import (
    render_advice,
    render_asking,
    render_copying,
    render_edits,
    render_notes,
    render_reviews,
    render_symbols,
    render_systems,
)
from workbench.shell.text.render import Look, render

__all__ = [
    "Look",
    "render",
    "render_advice",
    "render_asking",
    "render_copying",
    "render_edits",
    "render_notes",
    "render_reviews",
    "render_symbols",
    "render_systems",
]
