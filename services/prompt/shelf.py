"""What has been rendered and counted already: an item is rendered and counted again only when its version
changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from services.prompt.content import Content
from services.prompt.items import Catalogue, ItemKey, Rendered
from services.prompt.render import Format
from services.prompt.tokenizers import TokenCounter, repaired


@dataclass(frozen=True, slots=True)
class Piece:
    """Text to be put together with other pieces (render.py says when), and its size."""

    text: str
    tokens: int

    @property
    def chars(self) -> int:
        """Length in characters."""
        return len(self.text)


def pieces_of(texts: Sequence[str], counter: TokenCounter) -> list[Piece]:
    """Each text with its tokens, counted in one go."""
    return [Piece(text, tokens) for text, tokens in zip(texts, counter.count_many(texts), strict=True)]


class Shelf:
    """Rendered items, and their pieces in one format and tokenizer at a time. Not safe between threads."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._rendered: dict[ItemKey, Rendered] = {}
        self._pieces: dict[Content, Piece] = {}
        self._pieces_are_for: tuple[Format, TokenCounter] | None = None

    def rendered(self, key: ItemKey) -> Rendered | None:
        """The content of an item as it is now, or None where it has vanished."""
        version = self._catalogue.item_version(key)
        known = self._rendered.get(key)
        if version is None or (known is not None and known.version == version):
            return known if version is not None else None
        fresh = self._catalogue.render_item(key)
        if fresh is None:
            return None
        self._rendered[key] = replace(fresh, text=repaired(fresh.text), label=repaired(fresh.label))
        return self._rendered[key]

    def pieces(self, contents: Sequence[Content], form: Format, counter: TokenCounter) -> list[Piece]:
        """A piece for each content as it stands behind others; only those not seen before are made and
        counted."""
        if self._pieces_are_for != (form, counter):
            self._pieces, self._pieces_are_for = {}, (form, counter)
        missing = [content for content in contents if content not in self._pieces]
        made = pieces_of([form.item(content, first=False) for content in missing], counter)
        self._pieces.update(zip(missing, made, strict=True))
        return [self._pieces[content] for content in contents]

    def forget_all_but(self, keys: Iterable[ItemKey]) -> None:
        """Let go of everything about other items, and of earlier versions of these."""
        self._rendered = {key: self._rendered[key] for key in keys if key in self._rendered}
        current = {str(key): rendered for key, rendered in self._rendered.items()}
        self._pieces = {
            content: piece
            for content, piece in self._pieces.items()
            if content.rendered is current.get(content.key)
        }
