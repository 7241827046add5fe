"""A box in which code is typed."""

from __future__ import annotations

import re

from rich.text import Text
from textual import events
from textual.widgets import TextArea

from widgets.format.display import UNSAFE, visible
from widgets.format.paste import MOST_IN_TEXT, MOST_WRAPPED, refuse_long_paste

_BREAKS = "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""What Textual takes for the end of a line, and a file does not."""
_FIRST = 0xFDD0
_HELD = {ord(sign): chr(_FIRST + at) for at, sign in enumerate(_BREAKS)}
"""What stands for them while code is edited: characters that Unicode keeps out of texts."""
_BACK = str.maketrans({held: chr(sign) for sign, held in _HELD.items()})
_ODD = re.compile(f"[{UNSAFE}{''.join(_HELD.values())}]")
_STEP = " " * 4
_OTHER = "\N{REPLACEMENT CHARACTER}"


class CodeEdit(TextArea):
    """Code editor: tab indents, a new line is indented as the one before, nothing is wrapped, and escape is left to the
    container, which knows what leaving means.

    What a terminal would act on is shown as a symbol of one cell, and stays in the text what it is."""

    def __init__(self, *, numbered: bool = True, id: str | None = None) -> None:  # noqa: A002
        super().__init__(show_line_numbers=numbered, soft_wrap=False, tab_behavior="indent", id=id)

    @property
    def code(self) -> str:
        """Whole lines of what is typed, ended by line feeds; nothing where there is none."""
        text = self.text.translate(_BACK)
        return f"{text}\n" if text else ""

    def load_code(self, code: str) -> None:
        """Show lines of a file. They end at line feeds, with or without a carriage return before, and nowhere else."""
        self.load_text(code.replace("\r\n", "\n").removesuffix("\n").translate(_HELD))

    def get_line(self, line_index: int) -> Text:
        """A line as it is painted, character for character."""
        shown = _ODD.sub(_symbol, self.document.get_line(line_index))
        return Text(shown, end="", no_wrap=True)

    def on_paste(self, event: events.Paste) -> None:
        """Take no paste that would keep it from answering keys."""
        refuse_long_paste(self, event, MOST_WRAPPED if self.soft_wrap else MOST_IN_TEXT)

    def on_key(self, event: events.Key) -> None:
        """Pass escape to the container instead of moving the focus."""
        if event.key == "escape":
            event.prevent_default()
        elif event.key == "enter" and not self.read_only:
            event.prevent_default()
            event.stop()
            self.replace(self._new_line(), *self.selection, maintain_selection_offset=False)

    def _new_line(self) -> str:
        """A line's end and the indentation of the next: a step further behind an opening brace or parenthesis."""
        row, column = min(self.selection)
        before = self.document.get_line(row)[:column]
        indent = before[: len(before) - len(before.lstrip(" \t"))]
        opens = before.rstrip().endswith(("{", "(", "["))
        step = "\t" if indent.startswith("\t") else _STEP
        return f"\n{indent}{step if opens else ''}"


class LinesEdit(CodeEdit):
    """Editor of a few wrapped lines of text. Enter is left to the container, which takes them."""

    def __init__(self) -> None:
        super().__init__(numbered=False)
        self.soft_wrap = True

    def on_key(self, event: events.Key) -> None:
        """Enter would otherwise begin a line."""
        if event.key == "enter":
            event.prevent_default()


def _symbol(match: re.Match[str]) -> str:
    """Return a symbol of one cell, so that the cursor does not move; Textual expands tabs."""
    character = match.group()
    if character == "\t":
        return character
    shown = visible(character.translate(_BACK))
    return shown if len(shown) == 1 else _OTHER
