"""Counting tokens: the counter in this process, the cache before any counter, and who counts for a model.

`counter_process.py` has the counter that works in a process of its own; both satisfy TokenCounter.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from services.concurrency.latest import SharedCache
from services.prompt.tokens.models import TokenizerSpec, load_encoding, tokenizer_for

if TYPE_CHECKING:
    import tiktoken

__all__ = ["BaseCounter", "EncodingCounter", "TokenCounter", "counter_for", "repaired", "tokenizer_for"]

# fancy-regex gives up, and panics through tiktoken, on a run of 1 000 000 whitespace characters.
_LONGEST_BLANK_RUN = 900_000
_BLANK_RUN = re.compile(rf"\s{{{_LONGEST_BLANK_RUN}}}")

CACHED_COUNTS = 50_000


class TokenCounter(Protocol):
    """Counts tokens of one tokenizer. `exact` is False for an approximation. Safe to call from any thread."""

    @property
    def name(self) -> str:
        """The tokenizer's name: `o200k_base`, `claude`."""
        ...

    @property
    def exact(self) -> bool:
        """Whether the count is what the model's own tokenizer would count."""
        ...

    def count(self, text: str) -> int:
        """Tokens of one text; text that looks like a special token is ordinary text."""
        ...

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order; one round trip however many there are."""
        ...

    def units(self, texts: Sequence[str]) -> list[int]:
        """Return the counts of each text like `count_many`, but additive: units of texts that no token spans add up
        to those of all, whereas tokens of an approximation are rounded."""
        ...

    def tokens(self, units: int) -> int:
        """The tokens that so many units are."""
        ...


class BaseCounter(Protocol):
    """Counts tokens of a base encoding (`o200k_base` or `cl100k_base`). Raises TokenizerError."""

    def count_base(self, encoding: str, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order."""
        ...


_encodings: dict[str, tiktoken.Encoding] = {}
_building = threading.Lock()  # two threads would build 100 MB each


def _encoding(name: str) -> tiktoken.Encoding:
    """An encoding, which takes half a second and 100 MB to build: once in a process, at its first use by any thread.
    Raises TokenizerError."""
    with _building:
        if name not in _encodings:
            _encodings[name] = load_encoding(name)
        return _encodings[name]


class EncodingCounter:
    """A BaseCounter in this process."""

    def count_base(self, encoding: str, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order. Raises TokenizerError."""
        encode = _encoding(encoding).encode_ordinary
        return [sum(len(encode(piece)) for piece in _countable(text)) for text in texts]


class _CachedCounter:
    """TokenCounter for a spec, over a BaseCounter. Counts are cached by the hash of the text; the least recently used
    are dropped first."""

    def __init__(self, spec: TokenizerSpec, base: BaseCounter) -> None:
        self.name = spec.name
        self.exact = spec.exact
        self._spec = spec
        self._base = base
        self._counts: SharedCache[bytes, int] = SharedCache(CACHED_COUNTS)

    def count(self, text: str) -> int:
        return self.count_many((text,))[0]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        return [self.tokens(units) for units in self.units(texts)]

    def tokens(self, units: int) -> int:
        return self._spec.scale(units)

    def units(self, texts: Sequence[str]) -> list[int]:
        keys = [_content_hash(text) for text in texts]
        known = {key: count for key in keys if (count := self._counts.find(key)) is not None}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            fresh = dict(
                zip(missing, self._base.count_base(self._spec.base, list(missing.values())), strict=True)
            )
            known.update(fresh)
            for key, count in fresh.items():
                self._counts.keep(key, count)
        return [known[key] for key in keys]


def counter_for(model: str | TokenizerSpec, base: BaseCounter) -> TokenCounter:
    """The counter of a model or tokenizer name, or of a tokenizer. Counters of one process share `base` and nothing
    else."""
    return _CachedCounter(tokenizer_for(model) if isinstance(model, str) else model, base)


def repaired(text: str) -> str:
    """The text with lone surrogates replaced, as `Encoding.encode_ordinary` does: what UTF-8 can carry."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _countable(text: str) -> list[str]:
    """The text in pieces that tiktoken survives: one, unless it holds a monstrous run of blanks.

    A text that has to be cut has no count of tiktoken's to be equal to; ours is a few tokens high."""
    if len(text) < _LONGEST_BLANK_RUN:
        return [text]
    pieces, start = [], 0
    for run in _BLANK_RUN.finditer(text):
        pieces.append(text[start : run.end()])
        start = run.end()
    return [*pieces, text[start:]]


def _content_hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
