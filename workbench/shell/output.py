"""Results on their way out: JSON, JSON lines, or text for a person.

One line on the terminal that says how far long work is.
"""

from __future__ import annotations

import codecs
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO

import msgspec

from workbench.shell.options import Form

if TYPE_CHECKING:
    from services.model import Progress
    from services.operations.models.masking import Hiding


_MASKED = "Likely secrets are masked, as this does not go to a terminal.\n"


def write_result(result: Any, form: Form, *, rows: str | None, hiding: Hiding | None = None) -> None:
    """A result. As JSON lines: its rows where it has any, else itself."""
    if form is Form.JSON:
        sys.stdout.write(json_text(_hidden(result, hiding), indent=2) + "\n")
    elif form is Form.JSONL:
        for row in getattr(result, rows) if rows else (result,):
            sys.stdout.write(json_text(_hidden(row, hiding)) + "\n")
    else:
        from workbench.shell.text.left_out import left_out
        from workbench.shell.text.render import Look, render

        _spell_signs()
        look = Look.of(sys.stdout)
        own = getattr(result, "lock_handle", None)
        shown, is_masked = _shown(render(result, look), hiding, own=own or "")
        sys.stdout.write(shown)
        if is_masked:
            sys.stderr.write(_MASKED)
        if not look.terminal:
            # What is counted or filtered behind a pipe should not pass for all there is.
            sys.stderr.write(left_out(result))


def _shown(text: str, hiding: Hiding | None, *, own: str = "") -> tuple[str, bool]:
    """A text as it may be shown, and whether anything of it is masked. `own`: what the program made itself in it, as
    the handle of a lock, which looks as a secret does and is what was asked for."""
    if hiding is None:
        return text, False
    shown = own.join(map(hiding.text, text.split(own))) if own else hiding.text(text)
    return shown, shown != text


def _hidden(value: Any, hiding: Hiding | None) -> Any:
    return value if hiding is None else hiding.value(msgspec.to_builtins(value))


def write_stream(items: Iterable[Any], form: Form, *, hiding: Hiding | None = None) -> None:
    """Results one by one, as they come; as JSON one array."""
    if form is Form.JSON:
        sys.stdout.writelines(_array(_hidden(item, hiding) for item in items))
    elif form is Form.JSONL:
        sys.stdout.writelines(json_text(_hidden(item, hiding)) + "\n" for item in items)
    else:
        from workbench.shell.text.render import Look, render

        _spell_signs()
        look = Look.of(sys.stdout)
        end, is_masked = "\n", False
        try:
            for item in items:
                shown, differs = _shown(render(item, look), hiding)
                is_masked = is_masked or differs
                sys.stdout.write(shown)
                end = shown[-1:] or end
                if look.terminal:
                    sys.stdout.flush()  # an answer is read while it comes
        finally:
            if end != "\n":  # it broke off, and why comes behind it
                sys.stdout.write("\n")
                sys.stdout.flush()
            if is_masked:
                sys.stderr.write(_MASKED)


def json_text(value: Any, *, indent: int = 0) -> str:
    """JSON that a terminal does not act on: what it would obey, or hide, is written as `\\u` escapes."""
    try:
        data = msgspec.json.encode(value)
        text = (msgspec.json.format(data, indent=indent) if indent else data).decode()
    except UnicodeEncodeError:
        # A file name that is no UTF-8 holds lone surrogates, which only the standard library writes.
        import json

        text = json.dumps(msgspec.to_builtins(value), indent=indent or None)
    from widgets.format.display import visible_json

    return visible_json(text)


@contextmanager
def quiet_pipe() -> Iterator[None]:
    """Flush at the end, and stop silently when the reader has gone: `codecortex symbols | head`."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # pyright: ignore[reportAttributeAccessIssue]
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_PLAIN = "codecortex.plain"
_LOOKALIKES = str.maketrans(
    {
        "…": "...",
        "·": "-",
        "–": "-",
        "—": "-",
        "→": "->",
        "≈": "~",
        "⟳": "(stale)",
        "¶": "(note)",
        "✂": "(cut)",
        "✗": "(gone)",
    }
    | {"●": "*", "◐": "~", "○": "o", "▸": ">", "│": "|", "├": "|", "└": "`", "─": "-", "✓": "ok", "⚠": "!"}
)


def _spell_signs() -> None:
    """Spell signs in a poorer character set for people: JSON retains its escapes, which mean the same."""
    codecs.register_error(_PLAIN, _plain)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=_PLAIN)  # pyright: ignore[reportAttributeAccessIssue]


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Replace the program's own signs in a poorer character set by similar ones. Other missing characters, such as
    those of names, are escaped, so that nothing is lost."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_LOOKALIKES)
    return text.encode("ascii", "backslashreplace").decode("ascii"), error.end


def _array(items: Iterable[Any]) -> Iterator[str]:
    opening = "[\n"
    for item in items:
        yield opening + json_text(item)
        opening = ",\n"
    yield "[]\n" if opening == "[\n" else "\n]\n"


FIRST_AFTER = 0.3
"""Seconds before anything is shown: short work leaves the screen alone."""

EVERY = 0.1
"""Seconds between two paintings."""


_COLUMNS = 80


class ProgressLine:
    """Call it with each `Progress`; writes only where `stream` is a terminal, and cleans up after itself."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._wanted = stream.isatty()
        self._next = time.monotonic() + FIRST_AFTER
        self._width = 0

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        self._show("")

    def __call__(self, progress: Progress) -> None:
        """Show it, unless something was shown just before."""
        now = time.monotonic()
        if self._wanted and now >= self._next:
            self._next = now + EVERY
            self._show(words(progress))

    def _show(self, text: str) -> None:
        if text or self._width:
            from widgets.format.display import clip

            text = clip(
                text, self._columns() - 1
            )  # a line that goes on in the next could not be painted over
            self._stream.write(f"\r{text:<{self._width}}" + ("" if text else "\r"))
            self._stream.flush()
            self._width = len(text)

    def _columns(self) -> int:
        """Return the columns of the terminal, or a common number where it is unknown."""
        with suppress(OSError, ValueError):
            return os.get_terminal_size(self._stream.fileno()).columns or _COLUMNS
        return _COLUMNS


def words(progress: Progress) -> str:
    """`parsing: 1 200 of 5 000 files, 24 %`; without a total, how many so far."""
    done = f"{progress.done:,}".replace(",", " ")
    if progress.fraction is None:
        return f"{progress.phase}: {done} {progress.unit}"
    total = f"{progress.total:,}".replace(",", " ")
    return f"{progress.phase}: {done} of {total} {progress.unit}, {progress.fraction:.0%}".replace("%", " %")
