"""Tokenizers of models: which one counts for a model, how exactly, how much the model can read, and the rank files
that travel with the package.

Tokenizers of the GPT and o families are those of `tiktoken/model.py`. Other families publish none that can be
shipped; they are approximated by o200k_base times a factor for source code and English, with the error to expect
(`band`). The factors lean to the high side: a prompt that is too long is refused, one that is too short is merely
shorter.

- Claude: 1.3, from published counts (16 % more than GPT-4o for articles, 30 % for Python). Opus 4.7 and later
  have another tokenizer, measured at 1.15 to 1.45 times the older one by content: 1.7.
- Gemini and Gemma (SentencePiece, digits one by one): 1.15. Llama 3 (grown from cl100k_base): 1.05.
- Qwen, DeepSeek, Mistral and whatever is not known: 1.15 to 1.2, unmeasured.

Pattern strings, special tokens and checksums are those of `tiktoken_ext/openai_public.py` (tiktoken 0.14), whose own
constructors download; a test holds this table to what tiktoken builds. Building o200k_base takes about 0.5 s, 0.2 s
of it with the GIL held, so nothing here may run in a process that draws a screen.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from services.errors import TokenizerError

if TYPE_CHECKING:
    import tiktoken


class TokenizerSpec(msgspec.Struct, frozen=True):
    """How tokens are counted: with the encoding `base`, times `permille` / 1000 rounded up.

    `name` is what people see (`o200k_base`, `claude`); `band`: the error to expect, in percent either way; 0 when
    exact."""

    name: str
    exact: bool
    base: str
    permille: int = 1000
    band: int = 0

    def scale(self, tokens: int) -> int:
        """Tokens of `base` -> tokens of this tokenizer, rounded up."""
        return -(-tokens * self.permille // 1000)


class ModelProfile(msgspec.Struct, frozen=True):
    """A model as the program knows it. `context`: tokens it can read, `budget`: those a window for it should take; None
    where that is not known or not said. `per_message`, `per_item`: tokens that the model's own formatting costs, once
    and for each item, beside the text. `source`: `program`, `settings` or `calibrated`."""

    name: str
    tokenizer: TokenizerSpec
    context: int | None
    per_message: int = 0
    per_item: int = 0
    budget: int | None = None
    source: str = "program"


O200K = TokenizerSpec("o200k_base", exact=True, base="o200k_base")
CL100K = TokenizerSpec("cl100k_base", exact=True, base="cl100k_base")


def _about(name: str, percent: int, band: int) -> TokenizerSpec:
    return TokenizerSpec(name, exact=False, base="o200k_base", permille=percent * 10, band=band)


_CLAUDE = _about("claude", 130, 15)
_CLAUDE_NEW = _about("claude-4.7", 170, 20)
_GEMINI = _about("gemini", 115, 15)
_LLAMA = _about("llama", 105, 10)
_QWEN = _about("qwen", 115, 15)
_DEEPSEEK = _about("deepseek", 115, 15)
_MISTRAL = _about("mistral", 120, 20)
_UNKNOWN = _about("unknown", 120, 25)

# A name belongs to the longest of these that it starts with.
_PREFIXES: dict[str, tuple[TokenizerSpec, int | None]] = {
    "o200k_base": (O200K, None),
    "cl100k_base": (CL100K, None),
    "gpt-5": (O200K, 400_000),
    "gpt-5.4": (O200K, 1_050_000),
    "gpt-4.1": (O200K, 1_047_576),
    "gpt-4.5": (O200K, 128_000),
    "gpt-4o": (O200K, 128_000),
    "chatgpt-4o": (O200K, 128_000),
    "gpt-oss": (O200K, 131_072),
    "o1": (O200K, 200_000),
    "o1-mini": (O200K, 128_000),
    "o1-preview": (O200K, 128_000),
    "o3": (O200K, 200_000),
    "o4": (O200K, 200_000),
    "gpt-4": (CL100K, 8_192),
    "gpt-4-32k": (CL100K, 32_768),
    "gpt-4-turbo": (CL100K, 128_000),
    "gpt-3.5": (CL100K, 16_385),
    "gpt-35": (CL100K, 16_385),
    "claude": (_CLAUDE, 200_000),
    "claude-opus-4-7": (_CLAUDE_NEW, 200_000),
    "gemini": (_GEMINI, 1_048_576),
    "gemma": (_GEMINI, 131_072),
    "llama": (_LLAMA, 128_000),
    "meta-llama": (_LLAMA, 128_000),
    "qwen": (_QWEN, 131_072),
    "deepseek": (_DEEPSEEK, 128_000),
    "mistral": (_MISTRAL, 128_000),
    "codestral": (_MISTRAL, 256_000),
}

CHAT_FORMATTING = 7
"""Tokens around one message of a chat: 3 of the message, 1 of its role and 3 that open the answer, as OpenAI's cookbook
counts them ("How to count tokens with tiktoken"); taken for the others too, which publish none."""

SUGGESTED_MODELS = (
    "gpt-5", "gpt-4.1", "gpt-4o", "o4-mini", "o3", "gpt-4-turbo", "gpt-3.5-turbo",
    "claude-opus-4-7", "claude-sonnet-4-5", "gemini-2.5-pro", "llama-3.3", "qwen3", "deepseek-v3",
)  # fmt: skip


def profile_for(model: str) -> ModelProfile:
    """The profile of a model or tokenizer name, case and a `provider/` before it ignored.

    A name that is not known gets an approximation named `unknown`, never an error: models appear faster than
    releases."""
    name = plain_name(model)
    prefix = max((known for known in _PREFIXES if name.startswith(known)), key=len, default=None)
    tokenizer, context = _PREFIXES[prefix] if prefix else (_UNKNOWN, None)
    formatting = 0 if name in (O200K.name, CL100K.name) else CHAT_FORMATTING
    return ModelProfile(name=model, tokenizer=tokenizer, context=context, per_message=formatting)


def plain_name(model: str) -> str:
    """A model's name without a `provider/` before it, in lower case: what it is looked up by."""
    return model.strip().lower().rpartition("/")[2]


def tokenizer_for(model: str) -> TokenizerSpec:
    """The tokenizer that counts for a model; `exact` is False where it is approximated (shown with ≈)."""
    return profile_for(model).tokenizer


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


_VOCABULARIES = Path(__file__).parent.parent / "vocabularies"


def packed_ranks(name: str) -> bytes:
    """The packed rank file of a vocabulary. Raises TokenizerError if it is not in the installation."""
    try:
        return (_VOCABULARIES / f"{name}.tiktoken.xz").read_bytes()
    except OSError as error:
        raise _damaged(name, "is missing") from error


def unpack_ranks(packed: bytes, vocabulary: Vocabulary) -> bytes:
    """The rank file itself, proved by its SHA-256. Raises TokenizerError."""
    import lzma

    try:
        raw = lzma.decompress(packed)
    except (lzma.LZMAError, EOFError) as error:
        raise _damaged(vocabulary.name, "cannot be unpacked") from error
    if hashlib.sha256(raw).hexdigest() != vocabulary.sha256:
        raise _damaged(vocabulary.name, "does not have the checksum that tiktoken expects")
    return raw


def load_encoding(name: str) -> tiktoken.Encoding:
    """Build the encoding of a vocabulary. Raises TokenizerError if its rank file is missing or damaged."""
    import binascii

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
