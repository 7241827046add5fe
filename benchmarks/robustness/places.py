"""Commands, servers and screen of the program where its state cannot lie as usual. Mounts need the superuser, and a
system with `mount`.

python -m benchmarks.robustness.places

Each place is made in a mount namespace of its own, which goes with its process. Every command has to answer, or to
refuse with a reason and what to do, and every other way into the program has to be walked to its end; a traceback or an
internal error is a failure. Ends with 1 for one.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.robustness.damage import in_a_process
from benchmarks.synthetic.workspace import generate
from tests.support.doors import DOORS

_NEW_MOUNTS = 0x20000
_COMMANDS = (
    "search e", "outline {type}", "status", "pin {type}", "window", "lock {file}", "history", "export", "state",
)  # fmt: skip
_FELL = 3
_BOOT = Path("/proc/sys/kernel/random/boot_id")


class Ground(NamedTuple):
    """Folders of a place. `root`: the workspace; `state`: the person's state folder, an empty mount point."""

    root: Path
    state: Path


def mount(*words: str | Path) -> None:
    """Mount in this process's namespace. Raises CalledProcessError."""
    subprocess.run(["mount", *map(str, words)], check=True)


def read_only(at: Ground) -> Ground:
    """A state folder that cannot be written."""
    mount("-t", "tmpfs", "-o", "ro", "tmpfs", at.state)
    return at


def full(free: int) -> Callable[[Ground], Ground]:
    """A state folder with so many bytes of room."""

    def make(at: Ground) -> Ground:
        mount("-t", "tmpfs", "-o", "size=4m", "tmpfs", at.state)
        with (at.state / "fill").open("wb") as file:
            file.write(bytes((4 << 20) - free))
        return at

    return make


def elsewhere(at: Ground) -> Ground:
    """A state folder on another file system than the workspace."""
    mount("-t", "tmpfs", "tmpfs", at.state)
    return at


def bound(at: Ground) -> Ground:
    """A workspace whose state was made under its first path, and that is reached by a second one."""
    run(at.root, at.state, "pin N.Nearby")
    second = at.root.with_name("second")
    second.mkdir()
    mount("--bind", at.root, second)
    return at._replace(root=second)


def of_another_machine(at: Ground) -> Ground:
    """A state that is in use under the name of another start of a machine."""
    other = at.root.with_name("boot")
    other.write_text("another-start\n")
    command = [sys.executable, "-m", "workbench", "--root", str(at.root), "rpc"]
    first = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment(at.state)
    )
    assert first.stdin is not None
    assert first.stdout is not None
    first.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "Status"}\n')
    first.stdin.flush()
    first.stdout.readline()
    mount("--bind", other, _BOOT)
    return at


PLACES: dict[str, Callable[[Ground], Ground]] = {
    "read-only": read_only,
    "full": full(0),
    "24 KB free": full(24 << 10),
    "400 KB free": full(400 << 10),
    "another file system": elsewhere,
    "bind mount of the root": bound,
    "in use by another machine": of_another_machine,
}


def _environment(state: Path) -> dict[str, str]:
    return {**os.environ, "XDG_STATE_HOME": str(state), "CODECORTEX_RESIDENT": "off"}


def run(root: Path, state: Path, line: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the program on a workspace."""
    command = [sys.executable, "-m", "workbench", "--root", str(root), *line.split()]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=_environment(state))


@contextmanager
def ground() -> Iterator[Ground]:
    """Make a small workspace and an empty state folder."""
    with TemporaryDirectory(prefix="codecortex-places-", ignore_cleanup_errors=True) as folder:
        at = Ground(Path(folder, "root"), Path(folder, "state"))
        at.state.mkdir()
        generate(at.root, files=4, seed=1)
        (at.root / "A.cs").write_text("namespace N; public class A { }\n")
        (at.root / "Nearby.cs").write_text("namespace N; public class Nearby { }\n")
        yield at


def tried(name: str, at: Ground) -> list[tuple[str, int, str]]:
    """Each command in a place: its line, its status, the last line that it wrote to its errors."""
    if ctypes.CDLL(None, use_errno=True).unshare(_NEW_MOUNTS):
        raise OSError(ctypes.get_errno(), "mounts of our own are not to be had")
    mount("--make-rprivate", "/")
    placed = PLACES[name](at)
    found: list[tuple[str, int, str]] = []
    for each in _COMMANDS:
        line = each.format(type="N.Nearby", file="Nearby.cs")
        done = run(placed.root, placed.state, line)
        found.append((line, done.returncode, (done.stderr.strip().splitlines() or [""])[-1]))
    os.environ.update(_environment(placed.state))
    for door, walk in DOORS.items():
        try:
            walk(placed.root)
        except Exception as error:  # noqa: BLE001 - what is looked for
            found.append((f"by {door}", _FELL, f"{type(error).__name__}: {error}"[:300]))
        else:
            found.append((f"by {door}", 0, ""))
    return found


def main() -> int:
    """0 where every command answered, or was refused with a reason."""
    failures = 0
    for name in PLACES:
        with ground() as at:
            found = in_a_process(lambda name=name, at=at: tried(name, at), within=900)
        print(f"{name}:" if isinstance(found, list) else f"{name}: {found}", flush=True)
        failures += not isinstance(found, list)
        for line, status, said in found if isinstance(found, list) else ():
            bad = status not in (0, 1) or "internal error" in said or "Error" in said.partition(":")[0]
            failures += bad
            print(f"  {'FAILED' if bad else status} {line}: {said}", flush=True)
    print(f"{failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
