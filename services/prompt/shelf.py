"""What has been rendered and counted already: an item is rendered and counted again only when its version
changes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
        self._pieces: dict[str, tuple[Content, Piece]] = {}
        self._pieces_are_for: tuple[Format, TokenCounter] | None = None

    def rendered(self, key: ItemKey) -> Rendered | None:
        """The content of an item as it is now, or None where it has vanished."""
        version = self._catalogue.item_version(key)
        if version is None:
            return None
        known = self._rendered.get(key)
        if known is not None and known.version == version:
            return known
        fresh = self._catalogue.render_item(key)
        if fresh is None:
            return None
        self._rendered[key] = replace(fresh, text=repaired(fresh.text), label=repaired(fresh.label))
        return self._rendered[key]

    def pieces(self, contents: Sequence[Content], form: Format, counter: TokenCounter) -> list[Piece]:
        """A piece for each content as it stands behind others; only those that changed are made and counted."""
        if self._pieces_are_for != (form, counter):
            self._pieces, self._pieces_are_for = {}, (form, counter)
        known = self._pieces
        missing = [each for each in contents if each.key not in known or known[each.key][0] != each]
        made = pieces_of([form.item(content, first=False) for content in missing], counter)
        known.update((content.key, (content, piece)) for content, piece in zip(missing, made, strict=True))
        return [known[content.key][1] for content in contents]

    def forget_all_but(self, keys: Collection[str]) -> None:
        """Let go of items that are not among these."""
        if len(self._rendered) > len(keys):
            self._rendered = {key: each for key, each in self._rendered.items() if str(key) in keys}
        if len(self._pieces) > len(keys):
            self._pieces = {key: each for key, each in self._pieces.items() if key in keys}
