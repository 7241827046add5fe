"""Rank files that travel with the package -> `tiktoken.Encoding`, without the network.

Pattern strings, special tokens and checksums are those of `tiktoken_ext/openai_public.py` (tiktoken 0.14),
whose own constructors download; a test holds this table to what tiktoken builds. Building o200k_base takes
about 0.5 s, 0.2 s of it with the GIL held, so nothing here may run in a process that draws a screen.
"""

from __future__ import annotations

import binascii
import hashlib
import lzma
from importlib import resources
from typing import TYPE_CHECKING

import msgspec

from services.errors import TokenizerError

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
