"""Render cache: an item is rendered and counted again only when its version
changes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec
from msgspec.structs import replace

from services.concurrency.cancellation import job_checkpoint
from services.model import Level
from services.prompt.items import KINDS, Catalogue, Rendered, Request
from services.prompt.render.content import LONGEST_TOKEN, USUAL_TOKEN, Content, Format, RemainingBudget
from services.prompt.secrets.masking import Masker, Secret
from services.prompt.tokens.tokenizers import TokenCounter, repaired


class Piece(msgspec.Struct, frozen=True):
    """Text to be joined with other pieces (see formats.py), and its size. Where it was not `counted`, `tokens` is an
    estimate above the budget. `units`: as in TokenCounter; those of a text are the sum of those of its pieces."""

    text: str
    tokens: int
    units: int = 0
    counted: bool = True

    @property
    def chars(self) -> int:
        """Length in characters."""
        return len(self.text)


def pieces_of(
    texts: Sequence[str], counter: TokenCounter, *, most: RemainingBudget | None = None
) -> list[Piece]:
    """Each text with its tokens, counted in one go.

    A text that cannot fit into `most` however few tokens it has is not counted but estimated: what is too large to be
    shown must not cost the time to count it."""
    bound = None if most is None else _most_chars(most)
    small = [bound is None or len(text) <= bound for text in texts]
    units = iter(counter.units([text for text, its in zip(texts, small, strict=True) if its]))
    return [
        Piece(text, counter.tokens(count := next(units)), count)
        if its
        else Piece(text, _estimate(text, most), counted=False)
        for text, its in zip(texts, small, strict=True)
    ]


class _Kept(msgspec.Struct):
    """Cache entry of an item at a level: `pieces` by whether it is pinned."""

    request: Request
    rendered: Rendered
    contents: dict[bool, Content]
    pieces: dict[bool, Piece]


class RenderCache:
    """Rendered items, and their pieces in one format and tokenizer at a time. `setting`: another object whenever pieces
    are made in another way. Not safe between threads."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._kept: dict[tuple[str, Level], _Kept] = {}
        self._pieces_are_for: tuple[Format, TokenCounter, RemainingBudget, Masker | None] | None = None
        self.setting: object = None

    def __len__(self) -> int:
        """Return the number of cached items, each level separately."""
        return len(self._kept)

    def set_up(
        self, form: Format, counter: TokenCounter, *, most: RemainingBudget, mask: Masker | None = None
    ) -> None:
        """Make pieces in this format from now on. What is larger than `most` is not
        counted exactly; `mask` takes the secrets out of every text first."""
        if self._pieces_are_for != (form, counter, most, mask):
            self._pieces_are_for = (form, counter, most, mask)
            self.setting = object()
            for kept in self._kept.values():
                kept.contents.clear()
                kept.pieces.clear()

    def rendered(self, request: Request) -> Rendered | None:
        """The content of an item as it is now; None where it has vanished, or has nothing at this level."""
        kept = self._fresh(request, self._catalogue.item_versions((request,))[0])
        return None if kept is None else kept.rendered

    def versions(self, requests: Sequence[Request]) -> list[str | None]:
        """The version of each item as it is now; None where it has vanished."""
        return self._catalogue.item_versions(requests)

    def contents(
        self, asked: Sequence[tuple[Request, bool]], versions: Sequence[str | None]
    ) -> list[Content | None]:
        """Items of these versions, each with whether it is pinned, as formats get them; None as in `rendered`."""
        return [self._content(*each, version) for each, version in zip(asked, versions, strict=True)]

    def _content(self, request: Request, pinned: bool, version: str | None) -> Content | None:
        job_checkpoint()
        kept = self._fresh(request, version)
        if kept is None:
            return None
        content = kept.contents.get(pinned)
        if content is None:
            mask = self._pieces_are_for[3] if self._pieces_are_for is not None else None
            rendered, secrets = _masked(kept.rendered, mask)
            content = Content(
                key=str(request.key),
                kind=KINDS[request.key.kind],
                level=request.level,
                rendered=rendered,
                text=rendered.text,
                pinned=pinned,
                secrets=secrets,
                request=request,
            )
            kept.contents[pinned] = content
        return content

    def pieces(self, contents: Sequence[Content]) -> list[Piece]:
        """Return a piece for each content as it follows others; only changed ones are made and counted."""
        if self._pieces_are_for is None:
            raise RuntimeError("set_up comes first")
        form, counter, most, _ = self._pieces_are_for
        kept = [self._kept[content.key, content.level] for content in contents]
        missing = [n for n, content in enumerate(contents) if content.pinned not in kept[n].pieces]
        made = pieces_of([form.item(contents[n], first=False) for n in missing], counter, most=most)
        for n, piece in zip(missing, made, strict=True):
            kept[n].pieces[contents[n].pinned] = piece
        return [each.pieces[content.pinned] for each, content in zip(kept, contents, strict=True)]

    def measured(self, contents: Sequence[Content]) -> list[Piece]:
        """Like `pieces`, for contents that are not cached."""
        if self._pieces_are_for is None:
            raise RuntimeError("set_up comes first")
        form, counter, most, _ = self._pieces_are_for
        return pieces_of([form.item(content, first=False) for content in contents], counter, most=most)

    def forget_all_but(self, keys: Collection[str]) -> None:
        """Drop all items but these from the cache."""
        gone = [at for at in self._kept if at[0] not in keys]
        for at in gone:
            del self._kept[at]

    def _fresh(self, request: Request, version: str | None) -> _Kept | None:
        if version is None:
            return None
        at = (str(request.key), request.level)
        known = self._kept.get(at)
        if (
            known is not None
            and known.rendered.version == version
            and (known.request is request or known.request == request)
        ):
            return known
        fresh = self._catalogue.render_item(request)
        if fresh is None:
            return None
        rendered = replace(fresh, text=repaired(fresh.text), label=repaired(fresh.label))
        if known is not None and known.rendered == rendered:
            known.request = request
            return known
        self._kept[at] = _Kept(request, rendered, {}, {})
        return self._kept[at]


def _masked(rendered: Rendered, mask: Masker | None) -> tuple[Rendered, tuple[Secret, ...]]:
    """Return the visible part of an item, and the secrets in its text. Its label may be derived from the content."""
    if mask is None:
        return replace(rendered, label=rendered.masked_label(lambda label, _: label)), ()
    masked, label = mask.mask(rendered.text, rendered.known), rendered.masked_label(mask.text)
    if masked.text == rendered.text and label == rendered.label:
        return rendered, masked.secrets
    return replace(rendered, text=masked.text, label=label), masked.secrets


def _most_chars(room: RemainingBudget) -> int:
    """Characters of which no text that fits has more."""
    by_tokens = (max(0, room.tokens) + 1) * LONGEST_TOKEN
    # Somewhat more than fit are counted, so that what just misses is told exactly.
    return by_tokens if room.chars is None else min(by_tokens, max(0, room.chars) * 4)


def _estimate(text: str, most: RemainingBudget | None) -> int:
    return max(most.tokens + 1 if most is not None else 0, len(text) // USUAL_TOKEN)
