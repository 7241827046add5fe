"""How text from outside reaches the screen: the one rule for what a terminal may be shown.

Names of files, branches and symbols, source lines, anything a model wrote: all of it goes through `visible`
before it is painted, and is painted as text, never as markup. What is copied or sent stays the original.
"""

from __future__ import annotations

import re

TAB_SIZE = 4
"""Cells from one tab stop to the next."""

ELLIPSIS = "…"

UNSAFE = (
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1: what a terminal obeys
    "\ud800-\udfff"  # lone surrogates: cannot be encoded
    "\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e"  # format characters (Cf)
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\u2028\u2029"  # line and paragraph separators
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0"  # shown as nothing
    "\U000e0000-\U000e0fff"  # tags and variation selectors
)
"""Body of a character class: what is never sent to a terminal. Unicode's Cc, Cf, Cs, Zl and Zp, with the
rest of Default_Ignorable_Code_Point; the tests hold it against the running Python's tables."""

_UNSAFE = re.compile(f"[{UNSAFE}]")
_UNSAFE_IN_LINES = re.compile(f"(?![\t\n]|\r\n)[{UNSAFE}]")
_UNSAFE_IN_JSON = re.compile(f"(?![\\x00-\\x1f])[{UNSAFE}]")
_CONTROL_PICTURES = 0x2400
_DELETE, _DELETE_PICTURE = 0x7F, "␡"


def visible(text: str) -> str:
    """`text` with every character that a terminal would act on, or hide, shown as a visible symbol.

    Control characters become their pictures (`␛`, `␊`), the rest their number (`⟨U+202E⟩`). Tabs are control
    characters too: whoever wants them as blanks calls `expand_tabs` first.
    """
    return _UNSAFE.sub(_symbol, text)


def visible_lines(text: str) -> str:
    """Text of several lines for a pipe, behind which there may be a terminal: as `visible`, but tabs and the ends of
    lines stay what they are."""
    return _UNSAFE_IN_LINES.sub(_symbol, text)


def visible_json(text: str) -> str:
    """JSON that means the same, with what a terminal would obey, or hide, as `\\u` escapes. JSON itself writes control
    characters of strings so; what is left of them lays it out."""
    return _UNSAFE_IN_JSON.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def is_safe(text: str) -> bool:
    """Whether `text` may be painted unchanged: no character needs `visible`."""
    return _UNSAFE.search(text) is None


def is_plain(text: str) -> bool:
    """Whether every character of `text` is printable ASCII: shown as it is, one cell each."""
    return text.isascii() and text.isprintable()


def expand_tabs(text: str, size: int = TAB_SIZE) -> str:
    """`text` with each tab as blanks to the next stop, counted in the cells the text is shown in."""
    if "\t" not in text:
        return text
    from rich.cells import cell_len

    pieces = text.split("\t")
    shown, cells = [pieces[0]], cell_len(visible(pieces[0]))
    for piece in pieces[1:]:
        blanks = size - cells % size
        shown.append(" " * blanks + piece)
        cells += blanks + cell_len(visible(piece))
    return "".join(shown)


def clip(text: str, width: int) -> str:
    """`text`, made visible, in at most `width` cells: cut with `…`."""
    if width <= 0:
        return ""
    from rich.cells import cell_len, set_cell_size

    taken = width + 1
    while cell_len(shown := visible(text[:taken])) <= width and taken < len(text):
        taken *= 2  # marks that stand on a letter, as decomposed names of files have them, take no cell
    return shown if cell_len(shown) <= width else set_cell_size(shown, width - 1) + ELLIPSIS


def fit(text: str, width: int) -> str:
    """Clip as `clip` does, then pad with blanks to exactly `width` cells."""
    from rich.cells import set_cell_size

    return set_cell_size(clip(text, width), max(0, width))


def _symbol(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    return _DELETE_PICTURE if code == _DELETE else f"⟨U+{code:04X}⟩"
