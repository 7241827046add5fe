"""Digests of declarations that stay the same when only layout, comments or order change (SPEC section 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import blake2b, sha256
from secrets import choice

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = tuple(first + second for first in _ALPHABET for second in _ALPHABET)

# A blank between two tokens that would be other tokens without it: between words, and between two of + - & it keeps
# `a - -b` apart from `a--b`.
_GAP = re.compile(
    rb" (?=[\w\x80-\xff+&-])(?:(?<=[\w\x80-\xff] )(?![+&-])|(?<=\+ )(?=\+)|(?<=- )(?=-)|(?<=& )(?=&))"
)
_KEPT = b"\xff"  # stands for a blank that stays; no text in UTF-8 has this byte
_SHOW_KEPT = bytes.maketrans(_KEPT, b" ")


def base32(digest: bytes, length: int) -> str:
    """The first `length` characters of `digest` in Crockford's alphabet, most significant bits first."""
    pairs = -(-length // 2)
    size = -(-10 * pairs // 8)
    bits = int.from_bytes(digest[:size], "big") >> (8 * size - 10 * pairs)
    text = "".join([_PAIRS[(bits >> shift) & 1023] for shift in range(10 * pairs - 10, -1, -10)])
    return text[:length]


def random_base32(length: int) -> str:
    """Return `length` unpredictable characters of the same alphabet."""
    return "".join(choice(_ALPHABET) for _ in range(length))


def is_base32(text: str) -> bool:
    """Whether a text has no other characters than those of the alphabet."""
    return all(letter in _ALPHABET for letter in text)


def group_id(type_ids: Iterable[str]) -> str:
    """The id of types that depend on each other in a circle, made of their ids."""
    return "G_" + base32(sha256("|".join(sorted(type_ids)).encode()).digest(), 8)


def base32_of(number: int) -> str:
    """The six characters of a number of 30 bits: those that `base32` makes of a digest that begins with it."""
    return _PAIRS[number >> 20] + _PAIRS[(number >> 10) & 1023] + _PAIRS[number & 1023]


def normalised(code: bytes) -> bytes:
    """`code` (comments blank, blanks in strings hidden) with every blank removed that does not separate tokens."""
    return _GAP.sub(_KEPT, b" ".join(code.split())).translate(_SHOW_KEPT, b" ")


def digest(data: bytes) -> bytes:
    """SHA-256, first 8 bytes."""
    return sha256(data).digest()[:8]


def part(data: bytes) -> bytes:
    """Eight bytes for one declaration's share of a hash. Only `combined` sees it, which is SHA-256: for short data
    BLAKE2 takes half the time."""
    return blake2b(data, digest_size=8).digest()


def combined(digests: Iterable[bytes]) -> bytes:
    """A digest of many whose order does not count."""
    return sha256(b"".join(sorted(digests))).digest()[:8]


def text_hash(source: bytes) -> bytes:
    """fileHash: of the text with LF line endings."""
    return digest(source.replace(b"\r\n", b"\n") if b"\r" in source else source)
