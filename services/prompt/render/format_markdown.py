"""The window as Markdown: a heading and a fence for each item, a list of what is not shown."""

from __future__ import annotations

import re

from services.prompt.render.content import Content, in_one_line

_BACKTICKS = re.compile(r"`+")


def item(content: Content, *, first: bool) -> str:
    """A heading, the text in a fence, and after it what a reader must know of it."""
    _ = first
    notes = "".join(f"{note}\n\n" for note in content.notes)
    return f"## {content.heading}\n\n{fenced(content.text, content.rendered.language)}\n{notes}"


def omitted(what: str, key: str | None, *, first: bool) -> str:
    """An item of a list, its key first."""
    _ = first
    return f"- {in_one_line(key)} · {in_one_line(what)}\n" if key else f"- {in_one_line(what)}\n"


def fenced(text: str, language: str) -> str:
    """The text in a fence longer than any run of backticks in it, so that nothing in it can close the
    fence."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{fence}{language}\n{text}{end}{fence}\n"
