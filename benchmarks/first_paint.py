"""From the start of the process to the first text on the screen, beside the smallest Textual app."""

from __future__ import annotations

from benchmarks.corpus import Corpus
from benchmarks.figures import Figure, Section
from benchmarks.terminal import Terminal


def measure(corpus: Corpus) -> Section:
    """The workbench on the corpus and the trivial app in turn."""
    corpus.keep()
    workbench = ["-m", "workbench", "open", str(corpus.folder)]
    own, other = [], []
    for _ in range(corpus.rounds * 2):
        own.append(painted(workbench))
        other.append(painted(["-m", "benchmarks.trivial_app"]))
    figure = Figure(
        what="first text on the screen, process start included",
        unit="ms",
        values=tuple(own),
        reference=tuple(other),
        against="trivial Textual app",
        bar="+ 120 ms",
    )
    return Section(corpus=corpus.name, benchmark="first_paint", figures=(figure,))


def painted(arguments: list[str]) -> float:
    """Milliseconds until a Python program shows text on the alternate screen of a new terminal.

    Raises TimeoutError where it never does."""
    with Terminal(arguments) as terminal:
        return terminal.first_text() * 1000
