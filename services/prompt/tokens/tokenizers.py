"""Counting tokens: the counter in this process, the caches before any counter, in memory and on disk, and who counts
for a model.

`counter_process.py` has the counter that works in a process of its own; both satisfy TokenCounter.

Counts that outlast a process let a command count what it shows without building a tokenizer, which takes a quarter
of a second. They are kept by the hash of the text among the person's caches, for all workspaces. Where that cannot
be read or written, texts are counted as ever.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from services.concurrency.latest import MadeOnce, SharedCache
from services.errors import TokenizerError
from services.prompt.tokens.models import TokenizerSpec, load_encoding, tokenizer_for
from services.settings.personal import personal_folder
from services.workspace.files.databases import opening
from services.workspace.files.durable import private_folder

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


_encodings: MadeOnce[str, tiktoken.Encoding] = MadeOnce()


def _encoding(name: str) -> tiktoken.Encoding:
    """An encoding, which takes half a second and 100 MB to build: once in a process, at its first use by any thread.
    Raises TokenizerError."""
    return _encodings.get(name, lambda: load_encoding(name))


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


_FILE = "tokens-1.db"
"""The number is raised whenever the same text comes to another count or hash."""
_MOST = 200_000
"""Counts that are kept: the earliest go first."""
_AT_ONCE = 500
_TABLE = "CREATE TABLE IF NOT EXISTS counts (text BLOB PRIMARY KEY, tokens INTEGER NOT NULL)"
_OLD = "DELETE FROM counts WHERE rowid <= (SELECT max(rowid) FROM counts) - ?"


class KeptCounts:
    """BaseCounter that passes only texts without a stored count to another one."""

    def __init__(
        self, base: BaseCounter, folder: Path | None = None, *, spare: BaseCounter | None = None
    ) -> None:
        """`folder`: of the person's caches; `spare`: counts where `base` fails."""
        self._base = base
        self._spare = spare
        self._folder = folder

    def count_base(self, encoding: str, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order. Raises TokenizerError."""
        keys = [_key(encoding, text) for text in texts]
        known = self._kept(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            counted = self._counted(encoding, list(missing.values()))
            fresh = dict(zip(missing, counted, strict=True))
            known |= fresh
            self._keep(fresh)
        return [known[key] for key in keys]

    def _counted(self, encoding: str, texts: list[str]) -> list[int]:
        try:
            return self._base.count_base(encoding, texts)
        except TokenizerError:
            if self._spare is None:
                raise
            return self._spare.count_base(encoding, texts)

    def _kept(self, keys: Sequence[bytes]) -> dict[bytes, int]:
        path, known = self._path(), dict[bytes, int]()
        with suppress(sqlite3.Error, OSError):
            if path.exists():
                with closing(
                    sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True, timeout=0.1)
                ) as database:
                    for some in _parts([*dict.fromkeys(keys)]):
                        marks = ",".join("?" * len(some))
                        found = database.execute(
                            f"SELECT text, tokens FROM counts WHERE text IN ({marks})",  # noqa: S608 - marks alone
                            some,
                        )
                        known.update((bytes(key), tokens) for key, tokens in found if isinstance(tokens, int))
        return known

    def _keep(self, fresh: Mapping[bytes, int]) -> None:
        path = self._path()
        with suppress(sqlite3.Error, OSError):
            private_folder(path.parent)
            with opening(path), closing(sqlite3.connect(path, timeout=0.1)) as database, database:
                database.execute(_TABLE)
                database.executemany("INSERT OR REPLACE INTO counts VALUES (?, ?)", fresh.items())
                database.execute(_OLD, (_MOST,))

    def _path(self) -> Path:
        if self._folder is None:
            self._folder = personal_folder("cache")
        return self._folder / _FILE


def _key(encoding: str, text: str) -> bytes:
    return hashlib.blake2b(repaired(text).encode(), digest_size=16, person=encoding.encode()[:16]).digest()


def _quoted(path: Path) -> str:
    from urllib.parse import quote

    return quote(str(path))


def _parts(keys: Sequence[bytes]) -> Iterable[Sequence[bytes]]:
    return (keys[at : at + _AT_ONCE] for at in range(0, len(keys), _AT_ONCE))
