"""Counting tokens: rank files that travel with the package, the counter in this process, the cache before any
counter, and who counts for whom."""

from __future__ import annotations

import binascii
import hashlib
import lzma
import re
import threading
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING, Protocol

import msgspec

from services.concurrency.latest import LRUCache
from services.errors import TokenizerError
from services.prompt.tokens.models import TokenizerSpec, tokenizer_for

if TYPE_CHECKING:
    import tiktoken


class Vocabulary(msgspec.Struct, frozen=True):
    """Vocabulary of an encoding. `sha256`: of the unpacked rank file."""

    name: str
    sha256: str
    pattern: str
    special_tokens: tuple[tuple[str, int], ...]


_O200K_PATTERN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|"
    r"\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)

VOCABULARIES = {
    vocabulary.name: vocabulary
    for vocabulary in (
        Vocabulary(
            name="o200k_base",
            sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
            pattern=_O200K_PATTERN,
            special_tokens=(("<|endoftext|>", 199999), ("<|endofprompt|>", 200018)),
        ),
        Vocabulary(
            name="cl100k_base",
            sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
            pattern=_CL100K_PATTERN,
            special_tokens=(
                ("<|endoftext|>", 100257),
                ("<|fim_prefix|>", 100258),
                ("<|fim_middle|>", 100259),
                ("<|fim_suffix|>", 100260),
                ("<|endofprompt|>", 100276),
            ),
        ),
    )
}


def packed_ranks(name: str) -> bytes:
    """The packed rank file of a vocabulary. Raises TokenizerError if it is not in the installation."""
    try:
        return resources.files("services.prompt").joinpath("vocabularies", f"{name}.tiktoken.xz").read_bytes()
    except OSError as error:
        raise _damaged(name, "is missing") from error


def unpack_ranks(packed: bytes, vocabulary: Vocabulary) -> bytes:
    """The rank file itself, proved by its SHA-256. Raises TokenizerError."""
    try:
        raw = lzma.decompress(packed)
    except (lzma.LZMAError, EOFError) as error:
        raise _damaged(vocabulary.name, "cannot be unpacked") from error
    if hashlib.sha256(raw).hexdigest() != vocabulary.sha256:
        raise _damaged(vocabulary.name, "does not have the checksum that tiktoken expects")
    return raw


def load_encoding(name: str) -> tiktoken.Encoding:
    """Build the encoding of a vocabulary. Raises TokenizerError if its rank file is missing or damaged."""
    import tiktoken

    vocabulary = VOCABULARIES.get(name)
    if vocabulary is None:
        raise TokenizerError(
            f"There is no tokenizer {name}; there are {', '.join(VOCABULARIES)}.", tokenizer=name
        )
    fields = unpack_ranks(packed_ranks(name), vocabulary).split()
    return tiktoken.Encoding(
        name,
        pat_str=vocabulary.pattern,
        mergeable_ranks=dict(zip(map(binascii.a2b_base64, fields[::2]), map(int, fields[1::2]), strict=True)),
        special_tokens=dict(vocabulary.special_tokens),
    )


def _damaged(name: str, how: str) -> TokenizerError:
    return TokenizerError(
        f"The rank file of the tokenizer {name} {how}. Install CodeCortex again "
        "(pip install --force-reinstall codecortex).",
        tokenizer=name,
    )


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
_building = threading.Lock()


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
        self._counts: LRUCache[bytes, int] = LRUCache(CACHED_COUNTS)
        self._lock = threading.Lock()

    def count(self, text: str) -> int:
        return self.count_many((text,))[0]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        return [self.tokens(units) for units in self.units(texts)]

    def tokens(self, units: int) -> int:
        return self._spec.scale(units)

    def units(self, texts: Sequence[str]) -> list[int]:
        keys = [_content_hash(text) for text in texts]
        known = self._known(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            fresh = dict(
                zip(missing, self._base.count_base(self._spec.base, list(missing.values())), strict=True)
            )
            known.update(fresh)
            self._keep(fresh)
        return [known[key] for key in keys]

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, int]:
        with self._lock:
            return {key: count for key in keys if (count := self._counts.find(key)) is not None}

    def _keep(self, fresh: dict[bytes, int]) -> None:
        with self._lock:
            for key, count in fresh.items():
                self._counts.keep(key, count)


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
