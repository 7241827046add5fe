"""Cost of finding likely secrets, compared with counting tokens of the same C# files."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence

from benchmarks.harness.corpus import Corpus
from benchmarks.harness.figures import Figure, Section
from services.prompt.secrets.finding import find_secrets, look_through
from services.prompt.tokens.tokenizers import EncodingCounter

_MOST_BYTES = 4_000_000


def measure(corpus: Corpus) -> Section:
    """Milliseconds for a megabyte of the corpus's C#, and what was found in all of it."""
    files = [(corpus.folder / path).read_bytes() for path in corpus.paths]
    texts = _first(files)
    megabytes = sum(map(len, texts)) / 1e6
    counter = EncodingCounter()
    decoded = [text.decode("utf-8", "replace") for text in texts]
    counter.count_base("o200k_base", ["warm"])
    find_secrets(b"warm")
    found, counted = [], []
    for _ in range(corpus.rounds):
        found.append(_seconds(lambda: [look_through(text) for text in texts]) * 1000 / megabytes)
        counted.append(_seconds(lambda: counter.count_base("o200k_base", decoded)) * 1000 / megabytes)
    kinds = Counter(secret.kind for text in files for secret in find_secrets(text))
    figure = Figure(
        what="likely secrets found, for 1 MB",
        unit="ms",
        values=tuple(found),
        reference=tuple(counted),
        against="tiktoken, o200k_base",
    )
    what = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "none"
    size = sum(map(len, files)) / 1e6
    return Section(
        corpus=corpus.name,
        benchmark="secrets",
        figures=(figure,),
        notes=(f"Found in {len(files):,} C# files, {size:.1f} MB: {what}.",),
    )


def _first(files: Sequence[bytes]) -> list[bytes]:
    """Files until there is enough to measure on."""
    taken: list[bytes] = []
    for data in files:
        if sum(map(len, taken)) > _MOST_BYTES:
            break
        taken.append(data)
    return taken


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
