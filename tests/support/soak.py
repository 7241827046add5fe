"""Keys at random in the workbench over a copy of a real folder: nothing is raised, and every file ends as it was.

python -m tests.support.soak FOLDER --keys 10000 --seed 1
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from textual import events
from textual.keys import key_to_character

from services.bench import Bench
from services.errors import CodeCortexError
from services.settings import Settings
from tests.support.stage import Stage
from tests.support.stage_bench import MemoryFiles
from workbench.commands.commands import COMMANDS

_LEAVES = {"quit"}
"""Commands whose keys are not pressed; the palette may still lead to them, and then the program is started again."""
_COMMAND_KEYS = tuple(
    key for command in COMMANDS if command.id not in _LEAVES for key in command.keys.split(",")
)
_MOVES = ("up", "down", "pageup", "pagedown", "home", "end", "left", "right", "shift+down", "shift+up",
          "enter", "enter", "escape", "escape", "escape", "tab")  # fmt: skip
_TYPED = (
    *"etaoinsrlP_.(9",
    "space",
    "backspace",
    "delete",
    "enter",
    "ctrl+a",
    "ctrl+w",
    "shift+home",
    "ctrl+v",
)
_SIZES = ((120, 36), (80, 24), (200, 60), (40, 10))
_LAST_KEYS = 40
_TURN = 50
"""Keys after which the terminal gets another size, and what was said is looked at."""
_AT_A_TIME = 10
"""Keys that are pressed without waiting for the screen to come to rest in between."""
_SKIPPED = shutil.ignore_patterns(".git", ".context", "bin", "obj")
_MOST_UNDONE = 1_000


@dataclass(slots=True)
class Soaked:
    """Outcome of a soak. `keys`: pressed; `starts`: of the program; `faults`: unforeseen errors, with the keys before
    them; `changed`: files whose bytes are others; `written`: writes that were undone."""

    keys: int = 0
    starts: int = 0
    written: int = 0
    faults: list[str] = field(default_factory=list[str])
    changed: list[str] = field(default_factory=list[str])

    @property
    def is_fine(self) -> bool:
        """Whether nothing went wrong."""
        return not self.faults and not self.changed


def workspace(folder: Path, target: Path, *, most_files: int | None = None) -> Path:
    """Copy `folder`, or its first so many C# files, to `target`, put under git, with a few changes on top."""
    if most_files is None:
        shutil.copytree(folder, target, ignore=_SKIPPED, symlinks=True)
    else:
        for source in sorted(folder.rglob("*.cs"))[:most_files]:
            copy = target / source.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
    for arguments in (["init", "-q"], ["add", "-A"], [*_AUTHOR, "commit", "-q", "-m", "as it was"]):
        subprocess.run(["git", *arguments], cwd=target, check=True, capture_output=True)
    sources = sorted(target.rglob("*.cs"))
    for path in sources[::7][:5]:
        path.write_bytes(path.read_bytes().replace(b"{", b"{ // changed", 3) + b"// the end\n")
    sources[-1].unlink()
    (target / "Added.cs").write_text("class Added\n{\n    int Number => 1;\n}\n", "utf-8")
    return target


_AUTHOR = ("-c", "user.name=Soak", "-c", "user.email=soak@localhost", "-c", "commit.gpgsign=false")


async def soak(folder: Path, *, keys: int, seed: int, say: Callable[[str], None] = lambda _: None) -> Soaked:
    """Press so many keys at random on `folder`, which is changed only if something is wrong. Never raises for a
    fault of the workbench: that is in the answer."""
    choose, ended = random.Random(seed), Soaked()
    before, personal = dict(_contents(folder)), MemoryFiles()
    while ended.keys < keys and len(ended.faults) < 10:
        ended.starts += 1
        last: deque[str] = deque(maxlen=_LAST_KEYS)
        try:
            await _run(folder, personal, choose, ended, keys, last, say)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            ended.faults.append(f"{type(error).__name__}: {error} after {' '.join(last)}")
            say(ended.faults[-1])
    ended.written = _undo_all(folder)
    after = dict(_contents(folder))
    ended.changed = sorted(
        path for path in before.keys() | after.keys() if before.get(path) != after.get(path)
    )
    return ended


async def _run(
    folder: Path,
    personal: MemoryFiles,
    choose: random.Random,
    ended: Soaked,
    keys: int,
    last: deque[str],
    say: Callable[[str], None],
) -> None:
    """Run the program once."""
    with tempfile.TemporaryDirectory() as own:
        stage = Stage(
            lambda: Bench.open(folder, settings=Settings(), helper=True, patience=0.0),
            personal=personal,
            settings_file=Path(own, "settings.toml"),
        )
        async with stage.app.run_test(size=_SIZES[0], notifications=True) as pilot:
            stage.pilot = pilot
            while ended.keys < keys and stage.app.return_code is None:
                await _turn(stage, choose, ended, last)
                say(f"{ended.keys} keys, {ended.starts} starts, {len(ended.faults)} faults")


async def _turn(stage: Stage, choose: random.Random, ended: Soaked, last: deque[str]) -> None:
    if choose.random() < 0.2:
        await stage.pilot.resize_terminal(*choose.choice(_SIZES))
    for _ in range(_TURN // _AT_A_TIME):
        if stage.app.return_code is not None:
            return
        keys = [choose.choice(choose.choice((_COMMAND_KEYS, _MOVES, _TYPED))) for _ in range(_AT_A_TIME)]
        last.extend(keys)
        ended.keys += len(keys)
        for key in keys:
            stage.app.post_message(events.Key(key, key_to_character(key)))
            await asyncio.sleep(0.01)
        await stage.pilot.pause()
    await stage.pilot.pause(0.05)
    for said in stage.noted:
        if "unforeseen" in said and not any(said in fault for fault in ended.faults):
            ended.faults.append(f"{said} after {' '.join(last)}")


def _contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every file except those of git and of the program."""
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        if path.is_file() and parts[0] not in (".git", ".context"):
            yield "/".join(parts), path.read_bytes()


def _undo_all(folder: Path) -> int:
    """Take back what the keys wrote: that is what undo promises. How many writes there were."""
    written = 0
    with Bench.open(folder, settings=Settings()) as bench, suppress(CodeCortexError):
        while written < _MOST_UNDONE:
            bench.writing.undo(None)
            written += 1
    return written


def _progress(started: float) -> Callable[[str], None]:
    def say(text: str) -> None:
        sys.stderr.write(f"{time.monotonic() - started:8.0f} s  {text}\n")

    return say


def main() -> int:
    """0 when nothing went wrong, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--keys", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        copy = workspace(given.folder, Path(temporary, given.folder.name))
        ended = asyncio.run(soak(copy, keys=given.keys, seed=given.seed, say=_progress(time.monotonic())))
    sys.stdout.write(
        f"{ended.keys} keys, {ended.starts} starts, {ended.written} writes taken back, "
        f"{len(ended.faults)} faults, {len(ended.changed)} files changed\n"
    )
    for problem in (*ended.faults, *ended.changed):
        sys.stdout.write(f"  {problem}\n")
    return 0 if ended.is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
