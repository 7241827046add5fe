"""Incremental Markdown: split into finished blocks, and each block rendered to lines."""

from __future__ import annotations

import io
from collections.abc import Mapping
from itertools import pairwise
from typing import ClassVar, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.segment import Segment
from rich.style import Style
from rich.syntax import Syntax
from rich.text import Text
from rich.theme import Theme
from textual.strip import Strip

LONGEST_OPEN = 2_500
"""Characters of a block that is not done: a longer one is cut at the end of a line, or of a word, so that what is
painted again with every word stays short."""

# Without HTML: `List<int>` in a sentence is a word, not an element to be left out.
_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])


class Block(NamedTuple):
    """Block of an answer. `source`: as it was written; `before`, `behind`: context needed to parse it alone, where
    it was cut; `joined`: it continues the block before."""

    source: str
    before: str = ""
    behind: str = ""
    joined: bool = False


class Splitter:
    """Incremental splitter of Markdown: every block but the last one is final."""

    def __init__(self, begun: Block = Block("")) -> None:  # noqa: B008 - a value without state
        """`begun`: the open block to go on with."""
        self._open = begun

    @property
    def open(self) -> Block:
        """Return the last, unfinished block; its source is empty where there is none."""
        return self._open

    def take(self, text: str) -> list[Block]:
        """Add text; the blocks that are done by it."""
        self._open = self._open._replace(source=self._open.source + text)
        done: list[Block] = []
        if "\n" in text:
            done += self._settled()
        while len(self._open.source) > LONGEST_OPEN:
            done.append(self._cut())
        return done

    def _settled(self) -> list[Block]:
        """Blocks that another one follows."""
        whole = self._open
        tops = _tops(whole)
        if len(tops) < 2:
            return []
        lines = whole.source.split("\n")
        extra = whole.before.count("\n")
        starts = [0, *(max(0, token.map[0] - extra) for token in tops[1:] if token.map)]
        made = [
            Block("\n".join(lines[start:end]) + "\n", whole.before if not number else "")
            for number, (start, end) in enumerate(pairwise(starts))
        ]
        made[0] = made[0]._replace(joined=whole.joined)
        self._open = Block("\n".join(lines[starts[-1] :]))
        return made

    def _cut(self) -> Block:
        """The first part of a block that is too long."""
        whole = self._open
        first = _tops(whole)[:1]
        source = whole.source
        at = source.rfind("\n", 1, LONGEST_OPEN) + 1 or source.rfind(" ", 1, LONGEST_OPEN) + 1 or LONGEST_OPEN
        before = behind = ""
        if first and first[0].type == "fence":
            before = f"{first[0].markup}{first[0].info}\n"
            behind = f"\n{first[0].markup}"
        elif first and first[0].type == "table_open":
            before = "".join((whole.before + source).splitlines(keepends=True)[:2])
        self._open = Block(source[at:], before, joined=True)
        return Block(source[:at], whole.before, behind, whole.joined)


def _tops(block: Block) -> list[Token]:
    """Return the top-level opening tokens, behind the context before a part of a block."""
    tokens = _PARSER.parse(block.before + block.source)
    return [token for token in tokens if token.level == 0 and token.map and token.nesting >= 0]


class _Code(CodeBlock):
    """Code block on its own background, its lines wrapped."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).removesuffix("\n")
        yield Syntax(code, self.lexer_name, theme=self.theme, word_wrap=True, padding=(0, 1))


class _Heading(Heading):
    """A heading, at the left like all others."""

    LEVEL_ALIGN: ClassVar[dict[str, JustifyMethod]] = {}


class _Markdown(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "fence": _Code,
        "code_block": _Code,
        "heading_open": _Heading,
    }

    def __init__(self, markup: str, code_theme: str) -> None:
        super().__init__("", code_theme=code_theme)
        self.parsed = _PARSER.parse(markup)


class Painter:
    """Renderer of blocks to lines. `styles`: by rich's names for Markdown elements; `is_dark`: of the background."""

    def __init__(self, base: Style, styles: Mapping[str, Style], *, is_dark: bool) -> None:
        self._base = base
        self._code = "ansi_dark" if is_dark else "ansi_light"
        self._console = Console(
            file=io.StringIO(),
            force_terminal=True,
            color_system="truecolor",
            legacy_windows=False,
            theme=Theme({f"markdown.{name}": style for name, style in styles.items()}),
        )

    def lines(self, block: Block, width: int) -> list[Strip]:
        """A block as it is shown in so many cells."""
        made = _Markdown(block.before + block.source + block.behind, self._code)
        options = self._console.options.update(width=max(width, 1), height=None)
        rows = _trimmed(self._console.render_lines(made, options, pad=False))
        if not rows:  # a definition, or nested past what the parser follows: it was said all the same
            rows = self._console.render_lines(Text(block.source.strip("\n")), options, pad=False)
        return [Strip(map(self._segment, row)) for row in rows]

    def _segment(self, segment: Segment) -> Segment:
        """Turn links into clicks that the view handles; the terminal gets none."""
        text, style, _ = segment
        style = self._base + style if style is not None else self._base
        if style.link:
            style = style.update_link(None) + Style.from_meta({"@click": f"link({style.link!r})"})
        return Segment(text, style)


def _trimmed(rows: list[list[Segment]]) -> list[list[Segment]]:
    """Without lines at either end that show nothing."""
    kept = [number for number, row in enumerate(rows) if any(each.text.strip() for each in row)]
    return rows[kept[0] : kept[-1] + 1] if kept else []
