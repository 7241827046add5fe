"""How many keys people press, and how long they wait, from a question to a copy: on a terminal, by keys alone.

    python -m benchmarks.workbench.keystrokes newcomer
    python -m benchmarks.workbench.keystrokes reviewer FOLDER SCOPE
    python -m benchmarks.workbench.keystrokes curator FOLDER QUERY… [--expect NAME …]

*newcomer*: `codecortex demo` is started, a type of the sample found, opened, pinned and copied. *reviewer*: in a copy
of FOLDER the change set SCOPE (`HEAD~30..HEAD`) is gone through file by file; ten hunks, spread over it, are pinned;
then all is copied. *curator*: each QUERY is typed and what comes first pinned with its body, what is missing added, all
copied; EXPECT names what an answer to the question has to have before it. A key is one press of a keyboard; each is
pressed as soon as what it is about stands on the screen. What was copied is what the terminal was given for its
clipboard.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.workbench.terminal import Terminal

ENTER, ESCAPE, CLEAR, PIN_BODY = "\r", "\x1b", "\x15", "\x1bp"
_FILES = re.compile(r"(\d+) files? ·")
_PINNED = "pinned {}"
_INDEXED = 300.0
_SCREENFUL = 0.4
"""Seconds without anything new after which a screen is taken to be painted."""


@dataclass(slots=True)
class Typist:
    """Presses keys on a terminal and counts them; `keys` so far."""

    terminal: Terminal
    keys: int = 0

    def press(self, *keys: str, until: str = "") -> None:
        """Press keys one after the other, each when the screen has settled; then wait until a text is painted."""
        for key in keys:
            self.terminal.press(key)
            self.keys += 1
            if key is not keys[-1] or not until:
                self.terminal.settle(_SCREENFUL)
        if until:
            self.terminal.until(until, patience=_INDEXED)
            self.terminal.settle(_SCREENFUL)

    def type(self, text: str) -> None:
        """Type a text, as fast as one types who knows it."""
        for letter in text:
            self.terminal.press(letter)
            self.keys += 1
            self.terminal.rest(0.05)
        self.terminal.settle(_SCREENFUL)


def newcomer(home: Path) -> str:
    """From `codecortex demo` to a copy: find, open, pin, copy."""
    with _started(["demo"], home) as terminal:
        typist = Typist(terminal)
        terminal.first_text()
        terminal.until("▸")
        terminal.settle(_SCREENFUL)
        typist.type("ledg")
        typist.press(ENTER, until="Public API|HarvestLedger")
        typist.press(" ", until=_PINNED.format(1))
        typist.press("y", until="tokens, 1 item")
        seconds = time.perf_counter() - terminal.began
        return f"newcomer: {typist.keys} keys (bar 8), {seconds:.1f} s from the start (bar 15), {_copied(terminal)}"


def reviewer(folder: Path, scope: str, home: Path) -> str:
    """Through all files of a change set, with ten hunks pinned on the way."""
    with _started(["open", str(folder)], home) as terminal:
        typist = Typist(terminal)
        terminal.first_text()
        terminal.until("▸")
        terminal.until("fresh", patience=_INDEXED)
        terminal.settle(_SCREENFUL)
        typist.press(ESCAPE)
        typist.press("d", until="Working tree|Diff")
        typist.press("b", until="Compare")
        typist.type(scope)
        typist.press(ENTER, until=_FILES.pattern)
        files = _files_of(folder, scope)
        typist.press("\t")
        every, pinned = max(1, files // 10), 0
        for number in range(files):
            if number % every == 0 and pinned < 10:
                typist.press(" ")
                pinned += 1
            if number < files - 1:
                typist.press(">")
        typist.press("y", until="tokens, ")
        return f"reviewer: {files} files, {pinned} hunks pinned, {typist.keys} keys (bar 90), {_copied(terminal)}"


def curator(folder: Path, queries: list[str], expected: list[str], home: Path) -> str:
    """A window from names: what each finds first, with its body; what is missing; the copy."""
    with _started(["open", str(folder)], home) as terminal:
        typist = Typist(terminal)
        terminal.first_text()
        terminal.until("▸")
        terminal.until("fresh", patience=_INDEXED)
        terminal.settle(2.0)
        for query in queries:
            typist.type(query)
            typist.press(PIN_BODY)
            typist.press(CLEAR)
        typist.press(ESCAPE)
        typist.press("a")
        typist.press("y", until="tokens, ")
        text = terminal.clipboard
        there = [name for name in expected if name in text]
        found = f"{len(there)} of {len(expected)} that it needs: lacks {sorted({*expected} - {*there})}"
        return f"curator: {typist.keys} keys (bar 250), {_copied(terminal)}, {found}"


def _started(arguments: list[str], home: Path) -> Terminal:
    names = ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
    return Terminal(["-m", "workbench", *arguments], environment={name: str(home) for name in names})


def _files_of(folder: Path, scope: str) -> int:
    command = ["git", "-C", str(folder), "diff", "--name-only", scope]
    return len(subprocess.run(command, capture_output=True, check=True).stdout.splitlines())


def _copied(terminal: Terminal) -> str:
    return f"{len(terminal.clipboard.splitlines())} lines copied"


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("who", choices=("newcomer", "reviewer", "curator"))
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("asked", nargs="*")
    parser.add_argument("--expect", nargs="*", default=[])
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        if asked.who == "newcomer":
            print(newcomer(home))
            return
        copy = home / asked.folder.name
        shutil.copytree(asked.folder, copy, symlinks=True, ignore=shutil.ignore_patterns(".context"))
        if asked.who == "reviewer":
            print(reviewer(copy, asked.asked[0], home))
        else:
            print(curator(copy, asked.asked, asked.expect, home))


if __name__ == "__main__":
    main()
