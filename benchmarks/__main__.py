"""Measures everything on a folder of C#.

python -m benchmarks CORPUS_FOLDER [--only NAME …] [--json OUT] [--write]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import msgspec

from benchmarks.harness.corpus import Corpus, copied
from benchmarks.harness.figures import Section
from benchmarks.harness.machine import machine
from benchmarks.harness.results import updated
from benchmarks.index import cold_index, memory, stall, update, warm_start
from benchmarks.prompt import window
from benchmarks.search import typing as search
from benchmarks.secrets import cost as secrets
from benchmarks.server import load as server
from benchmarks.workbench import first_paint, screen

RESULTS = Path(__file__).with_name("RESULTS.md")
BENCHMARKS: dict[str, tuple[str, Callable[[Corpus], Section]]] = {
    "cold_index": ("Cold index", cold_index.measure),
    "warm_start": ("Warm start", warm_start.measure),
    "search": ("Search and resolve", search.measure),
    "secrets": ("Cost of finding secrets", secrets.measure),
    "memory": ("Memory", memory.measure),
    "update": ("One file changed", update.measure),
    "window": ("Prompt window", window.measure),
    "stall": ("Stalls of the screen", stall.measure),
    "first_paint": ("First paint", first_paint.measure),
    "screen": ("The screen in a terminal", screen.measure),
    "server": ("Eight clients over HTTP", server.measure),
}


def main() -> None:
    """Measure, print and store the results."""
    chosen = _options().parse_args()
    name = chosen.name or chosen.corpus.resolve().name
    taken = chosen.only or list(BENCHMARKS)
    sections: list[Section] = []
    with copied(
        chosen.corpus, name=name, workers=chosen.workers, rounds=chosen.rounds, kept=chosen.kept
    ) as corpus:
        origin = f"`python -m benchmarks '{name}' --workers {chosen.workers} --rounds {chosen.rounds}`"
        stamp = f"*{corpus.scale}; {origin}; {machine()}.*"
        print(f"# {name}\n\n{stamp}")
        for benchmark in taken:
            heading, measure = BENCHMARKS[benchmark]
            section = measure(corpus)
            section = msgspec.structs.replace(section, notes=(*section.notes, stamp))
            print(f"\n## {heading}\n\n{section.text()}", flush=True)
            sections.append(section)
            if chosen.write:
                _write([section])
    if chosen.json:
        chosen.json.write_bytes(msgspec.json.format(msgspec.json.encode(sections)))


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure on a folder of C#.")
    options.add_argument("corpus", type=Path, help="the folder; a copy of it is measured")
    options.add_argument(
        "--only", nargs="+", choices=list(BENCHMARKS), metavar="NAME", help=", ".join(BENCHMARKS)
    )
    options.add_argument("--json", type=Path, metavar="OUT", help="write all values to this file")
    options.add_argument("--write", action="store_true", help="put the figures into benchmarks/RESULTS.md")
    options.add_argument("--workers", type=int, default=2, help="processes that parse, of both sides (2)")
    options.add_argument("--rounds", type=int, default=3, help="how often each side runs, in turn (3)")
    options.add_argument("--name", help="what to call the corpus (the folder's name)")
    options.add_argument(
        "--kept", action="store_true", help="begin with the index that is kept in the folder"
    )
    return options


def _write(sections: list[Section]) -> None:
    before = RESULTS.read_text("utf-8") if RESULTS.exists() else ""
    RESULTS.write_text(
        updated(before, sections, {key: title for key, (title, _) in BENCHMARKS.items()}), "utf-8"
    )


if __name__ == "__main__":
    main()
