"""View of an outline, the text that models get, coloured, with names of types to follow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import ClassVar

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.selection import Selection
from textual.strip import Strip

from services.model import Span
from widgets.format.display import is_plain
from widgets.format.line_painter import Layer, paint
from widgets.text.line_view import LineView

_HEADING = re.compile(r"#{1,6}\s")
_TITLE = re.compile(r"\s*[A-Z]\w*(?: \w+)*$")
_LABEL = re.compile(r"(?:- )?(?P<label>[A-Z]\w*(?: \w+)?)(?::|\s{2,})")
_NAMING_LABELS = frozenset({"Extends", "Implements", "DependsOn", "Used by", "In"})
_CODE = re.compile(
    r"\s+\S|[{}](?:$| //)|\[\w|(?:public|protected|internal|private|static) \S|"
    r"(?:[a-z]+ )*(?:class|struct|record|interface|enum|union|delegate) \w"
)
_COMMENT = re.compile(r"// (?:(?P<label>used by [\d ]+types?:|in|overload:) )?")
_TOKEN = re.compile(
    r"(?P<comment>//.*)"
    r"|(?P<code>`[^`]+`)"
    r'|(?P<string>"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$))'
    r"|(?P<number>\b\d[\d_.]*\b)"
    r"|(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)"
    r"(?:(?P<call>(?=\(|<[\w\s,.?<>\[\]]{0,80}>\())|(?P<member>(?=\s*(?:[{=]|$|//))))?"
    r"|(?P<punctuation>[()<>\[\]{},;?])"
)
_TYPE_NAME = re.compile(r"(?!T(?:[A-Z]\w*)?$)[^\W\d_a-z]\w+")  # `T` and `TKey` are type parameters
_MEMBER_WORDS = """
    abstract async bool byte char class const decimal delegate double dynamic enum event explicit extern
    file fixed float get implicit in init int interface internal long new nint notnull nuint null object
    operator out override params partial private protected public readonly record ref required sbyte
    scoped sealed set short static string struct this uint ulong unmanaged unsafe ushort virtual void
    volatile where
"""
_KEYWORDS = frozenset(_MEMBER_WORDS.split())
_FENCE = "```"
_VALUES = "Values"
"""The title over the values of an enum, whose names are no types."""


class OutlineLine(Struct, frozen=True):
    """Colours and links of one line of an outline. A link is a `Span` whose style is `type`."""

    spans: tuple[Span, ...] = ()
    links: tuple[Span, ...] = ()


def read_outline(lines: Sequence[str]) -> list[OutlineLine]:
    """The colours and links of each line.

    Names are links where names stand: in code, and after labels that are followed by names. Prose has none but in
    backticks.
    """
    read: list[OutlineLine] = []
    fenced, title = False, ""
    for row, line in enumerate(lines):
        if line.startswith(_FENCE):
            fenced = not fenced
            read.append(_whole(line, "comment"))
        elif not fenced and (_HEADING.match(line) or _is_title(lines, row)):
            title = line.strip()
            read.append(_whole(line, "heading"))
        elif (comment := _COMMENT.match(line)) is not None:
            read.append(_read_comment(line, comment))
        elif fenced or _CODE.match(line):
            read.append(_read(line, 0, names=title != _VALUES))
        else:
            read.append(_read_prose(line))
    return read


def _is_title(lines: Sequence[str], row: int) -> bool:
    """Words alone on a line that begins a paragraph and has code under it, at once or after a blank line."""
    if _TITLE.match(lines[row]) is None or (row and lines[row - 1].strip()):
        return False
    under = [line for line in lines[row + 1 : row + 3] if line.strip()]
    return bool(under) and _CODE.match(under[0]) is not None


def _whole(line: str, style: str) -> OutlineLine:
    return OutlineLine((Span(start=0, end=len(line), style=style),) if line else ())


def _read_comment(line: str, comment: re.Match[str]) -> OutlineLine:
    """Parse a comment line: it may introduce names of types."""
    if not comment["label"]:
        return _whole(line, "comment")
    rest = _read(line, comment.end(), names=True, ends_names=False)
    return OutlineLine((Span(start=0, end=comment.end(), style="comment"), *rest.spans), rest.links)


def _read_prose(line: str) -> OutlineLine:
    label = _LABEL.match(line)
    if label is None or not (line.startswith("- ") or label["label"] in _NAMING_LABELS):
        return _read(line, 0, names=False)
    rest = _read(line, label.end(), names=label["label"] in _NAMING_LABELS, ends_names=False)
    head = Span(start=label.start("label"), end=label.end("label"), style="heading")
    return OutlineLine((head, *rest.spans), rest.links)


def _read(line: str, start: int, *, names: bool, ends_names: bool = True) -> OutlineLine:
    """`names`: whether capitalised words are types; `ends_names`: whether the last one is what is declared."""
    spans: list[Span] = []
    for match in _TOKEN.finditer(line, start):
        style, (first, end) = _style(match, names=names, ends_names=ends_names), match.span()
        if style == "type" and match.lastgroup == "code":
            first, end = first + 1, end - 1
        if style:
            spans.append(Span(start=first, end=end, style=style))
    return OutlineLine(tuple(spans), tuple(span for span in spans if span.style == "type"))


def _style(match: re.Match[str], *, names: bool, ends_names: bool) -> str:
    group, text = match.lastgroup or "", match.group()
    if group == "code":
        return "type" if _TYPE_NAME.fullmatch(text[1:-1]) else "code"
    if not names:
        return ""
    if text in _KEYWORDS:
        return "keyword"
    if group == "call":
        return "method"
    declared = (
        group == "member" and ends_names and not match.string.startswith((": ", ", "), match.start() - 2)
    )
    if group in ("name", "member"):
        return "type" if not declared and _TYPE_NAME.fullmatch(text.rpartition(".")[2]) else ""
    return group


_HANG = 4
"""Cells that the rows of a wrapped line are set in, behind its own indentation."""
_UNKNOWN_ROOM = 10_000
"""Cells of a row before the view has any."""


class OutlineView(LineView):
    """Markdown of an outline, long lines wrapped between words. Links are followed by mouse, or selected by
    key."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "step_link(1)", "Next link", show=False, id="outline.next-link"),
        Binding("N", "step_link(-1)", "Previous link", show=False, id="outline.previous-link"),
        Binding("enter", "follow_link", "Follow link", show=False, id="outline.follow-link"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"outline-view--link", "outline-view--current-link"}
    DEFAULT_CSS = """
    OutlineView { padding: 0 1; }
    OutlineView > .outline-view--link { text-style: underline; }
    OutlineView > .outline-view--current-link { text-style: reverse; }
    """

    link: reactive[tuple[int, int] | None] = reactive(None, repaint=False)
    """The link that Enter follows: its row and its place in it."""

    class LinkSelected(Message):
        """A name of a type was followed: `text`, as it is written."""

        def __init__(self, view: OutlineView, text: str) -> None:
            super().__init__()
            self.view = view
            self.text = text

        @property
        def control(self) -> OutlineView:
            """The view that sent the message."""
            return self.view

    def __init__(
        self,
        text: str = "",
        *,
        empty: str = "",
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(empty=empty, id=id, classes=classes)
        self._read: list[OutlineLine] = []
        self._broken: dict[int, Sequence[int]] = {}
        self.set_reactive(LineView.wraps, True)
        self.set_outline(text)

    def set_outline(self, text: str) -> None:
        """Show `text` from its beginning."""
        lines = [line.removesuffix("\r") for line in text.split("\n")] if text else []
        if lines and not lines[-1]:
            lines.pop()
        if self.is_running and self.text_selection is not None:
            self.screen.clear_selection()
        self._read = read_outline(lines)
        self.link = None
        self.set_lines(lines)

    def watch_link(self) -> None:
        """Repaint, and bring the link into view."""
        self.repaint()
        if self.link is not None:
            line, place = self.link
            start = self.laid_out(line).cell(self._read[line].links[place].start)
            row, height = self.row_of(line, start), max(1, self.view_size.height)
            if not self.scroll_offset.y <= row < self.scroll_offset.y + height:
                self.jump(row - height // 3)

    def on_resize(self) -> None:
        """Rows end where the view does."""
        self.rewrap()

    def render_line(self, y: int) -> Strip:
        """Render one line of the view."""
        if not self.line_count:
            return self.empty_line(y)
        row, width = y + self.scroll_offset.y, self.view_size.width
        if row >= self.row_count:
            return Strip.blank(width, self.base)
        at, piece = self.at_row(row)
        selected = self.text_selection and self.text_selection.get_span(at)
        key = (row, width, selected)
        strip = self._strips.get(key)
        if strip is None:
            line, (cell, room) = self.laid_out(at), self.piece(at, piece)
            columns = line.columns(cell, room)
            layers = self._layers(at, columns) + self._selected(at, selected)
            text = paint(line, layers, window=(cell, room), base=self.base).apply_offsets(columns[0], at)
            lead = Segment(" " * (self._hang(at) if piece else 0), self.base)
            strip = self._strips[key] = Strip([lead, *text]).adjust_cell_length(width, self.base)
        return strip

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected part of the original text."""
        return selection.extract("\n".join(self._lines)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002
        """Repaint what is selected."""
        self.repaint()

    def on_click(self, event: events.Click) -> None:
        """Follow the link under the mouse; with another button than the first only step to it."""
        text, at = event.style.meta.get("link"), event.style.meta.get("at")
        if event.button != 1:
            self.link = at
        elif text:
            self.post_message(self.LinkSelected(self, text))

    @property
    def linked(self) -> str:
        """The text of the link that was stepped to; empty where none was."""
        if self.link is None:
            return ""
        row, place = self.link
        return self._text(row, self._read[row].links[place])

    def action_step_link(self, places: int) -> None:
        """Go to the next link, or the one before, from what is in view."""
        links = [(row, place) for row, read in enumerate(self._read) for place in range(len(read.links))]
        if not links:
            return
        at = self.link or (self.at_row(self.scroll_offset.y)[0], -1 if places > 0 else 0)
        ahead = [link for link in links if (link > at if places > 0 else link < at)]
        self.link = (ahead or links)[0 if places > 0 else -1]

    def action_follow_link(self) -> None:
        """Follow the link that was stepped to."""
        if text := self.linked:
            self.post_message(self.LinkSelected(self, text))

    @property
    def _wrap_room(self) -> int:
        return super()._wrap_room if self.size.width else _UNKNOWN_ROOM

    def _lay_rows(self) -> None:
        self._broken = {}
        super()._lay_rows()

    def _pieces(self) -> Iterable[int]:
        return (
            1 if len(line) <= self._room and is_plain(line) else len(self._breaks(at))
            for at, line in enumerate(self._lines)
        )

    def _breaks(self, line: int) -> Sequence[int]:
        found = self._broken.get(line)
        if found is None:
            found = self._broken[line] = self.laid_out(line).word_breaks(self._room, hang=self._hang(line))
        return found

    def _hang(self, line: int) -> int:
        """Cells before the second row of a line and those after it."""
        text = self._lines[line]
        return min(len(text) - len(text.lstrip(" ")) + _HANG, self._room // 3)

    def _text(self, row: int, span: Span) -> str:
        return self._lines[row][span.start : span.end]

    def _layers(self, row: int, window: tuple[int, int]) -> list[Layer]:
        read = self._read[row]
        layers = self.styled(read.spans, window)
        for place, span in enumerate(read.links):
            name = "current-link" if (row, place) == self.link else "link"
            style = self.part(f"outline-view--{name}") + Style(
                meta={"link": self._text(row, span), "at": (row, place)}
            )
            layers.append(Layer(span.start, span.end, style))
        return layers

    def _selected(self, row: int, span: tuple[int, int] | None) -> list[Layer]:
        if span is None:
            return []
        start, end = span
        style = self.screen.get_component_rich_style("screen--selection")
        return [Layer(start, len(self._lines[row]) if end == -1 else end, style)]
