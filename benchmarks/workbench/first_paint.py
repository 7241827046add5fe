"""Start of the process to the first text on the screen, compared with the smallest Textual app, and to the results of
a letter that is typed at that time: the first screen takes keys, and answers them when it can."""

from __future__ import annotations

from benchmarks.harness.corpus import Corpus
from benchmarks.harness.figures import Figure, Section
from benchmarks.workbench.terminal import Terminal


def measure(corpus: Corpus) -> Section:
    """The workbench on the corpus and the trivial app in turn."""
    corpus.keep()
    workbench = ["-m", "workbench", "open", str(corpus.folder)]
    own, answers, other = [], [], []
    for _ in range(corpus.rounds * 2):
        text, answer = answered(workbench, "a", r" of \d")
        own.append(text)
        answers.append(answer)
        other.append(painted(["-m", "benchmarks.workbench.trivial_app"]))
    first = Figure(
        what="first text on the screen, process start included",
        unit="ms",
        values=tuple(own),
        reference=tuple(other),
        against="trivial Textual app",
        bar="+ 120 ms",
    )
    typed = Figure(what="results of a letter typed at that moment", unit="ms", values=tuple(answers), bar="")
    return Section(corpus=corpus.name, benchmark="first_paint", figures=(first, typed))


def answered(arguments: list[str], key: str, answer: str) -> tuple[float, float]:
    """Milliseconds until a Python program shows text, and until it shows an answer to a key pressed then.

    Raises TimeoutError where it never does."""
    with Terminal(arguments) as terminal:
        first = terminal.first_text()
        terminal.press(key)
        return first * 1000, (terminal.until(answer).at - terminal.began) * 1000


def painted(arguments: list[str]) -> float:
    """Milliseconds until a Python program shows text on the alternate screen of a new terminal.

    Raises TimeoutError where it never does."""
    with Terminal(arguments) as terminal:
        return terminal.first_text() * 1000
