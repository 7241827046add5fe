"""The process that runs a command and outlives nothing of it: a program of its own, of the standard library alone.

It reads what to do as JSON from standard input, runs the calls one after the other, passes on what they print, and
tells on a descriptor of its parent's how it ended. Whatever they start, be it detached, becomes a child of this process
(a sub-reaper), which stops and kills all of it at the end, past a limit, and when its own parent goes.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time

_PDEATHSIG, _NO_NEW_PRIVILEGES, _SUBREAPER = 1, 38, 36
_EVERY = 0.03
_PAGE = resource.getpagesize()
_PASSES = 2_000


def main() -> None:
    """Run the command that standard input specifies."""
    if sys.argv[1:2] == ["confine"]:
        _confine(json.loads(sys.argv[2]), sys.argv[3:])
    spec = json.loads(sys.stdin.buffer.read())
    _prctl(_SUBREAPER, 1)
    _prctl(_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGTERM, _gone)
    _go_first()
    began, left, code, why = time.monotonic(), spec["output"], 0, "exited"
    try:
        for call in spec["calls"]:
            run = _Run(spec, began, left)
            code, why = run.run(call)
            left = run.left
            if why != "exited":
                break
    finally:
        _kill_all()
    with os.fdopen(spec["report"], "w") as report:
        json.dump({"exit": code, "why": why, "seconds": round(time.monotonic() - began, 3)}, report)


class _Run:
    """Supervised run of one command. `left`: bytes that may still be printed."""

    def __init__(self, spec, began, left):
        self.spec = spec
        self.left = left
        self._ends = began + spec["seconds"]

    def run(self, call):
        """Exit status, and why it ended: exited, time, output, memory, processes, missing."""
        spec = self.spec
        reader, writer = os.pipe()
        try:
            child = subprocess.Popen(
                [*spec["before"], *call],
                cwd=spec["folder"],
                env=spec["environment"],
                stdin=subprocess.DEVNULL,
                stdout=writer,
                stderr=writer,
                start_new_session=True,
                preexec_fn=lambda: _limit(spec),  # noqa: PLW1509 (there is one thread)
            )
        except OSError as error:
            os.write(1, f"{call[0]}: {error.strerror}\n".encode())
            return 127, "missing"
        finally:
            os.close(writer)
        with os.fdopen(reader, "rb", 0) as out:
            why = self._follow(child, out)
        if why != "exited":
            _kill_all()
        child.poll()
        return child.wait() if why == "exited" else -signal.SIGKILL, why

    def _follow(self, child, out):
        poll = select.poll()
        poll.register(out, select.POLLIN | select.POLLHUP)
        looked, open_ = 0.0, True
        while True:
            if open_ and poll.poll(_EVERY * 1000):
                data = os.read(out.fileno(), 65_536)
                open_ = bool(data)
                if not self._passed_on(data):
                    return "output"
            ended = child.poll() is not None
            if ended:
                _kill_all()  # what it left behind holds the pipe, and is over with it
            if ended and not open_:
                return "exited"
            if not open_ and not ended:
                time.sleep(_EVERY)
            now = time.monotonic()
            if now >= self._ends:
                return "time"
            if now - looked >= _EVERY:
                looked = now
                if why := self._over():
                    return why

    def _passed_on(self, data):
        kept = data[: self.left]
        self.left -= len(kept)
        while kept:
            kept = kept[os.write(1, kept) :]
        return self.left > 0

    def _over(self):
        tree = _descendants()
        if len(tree) > self.spec["processes"]:
            return "processes"
        most = self.spec["memory"]
        # What forks share is counted once, which takes longer to find out.
        over = sum(map(_resident, tree)) > most and sum(map(_proportional, tree)) > most
        return "memory" if over else ""


def _limit(spec) -> None:
    """Set resource limits in the child, before it executes the command."""
    _prctl(_PDEATHSIG, signal.SIGKILL)
    _prctl(_NO_NEW_PRIVILEGES, 1)
    os.nice(5)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    seconds = int(spec["seconds"]) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (spec["writes"], spec["writes"]))
    if spec["address"]:
        resource.setrlimit(resource.RLIMIT_AS, (spec["address"], spec["address"]))
    if os.getuid():
        most = _processes_of(os.getuid()) + spec["processes"]
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def _go_first() -> None:
    """Be heard among as many processes as a fork bomb makes: where that is allowed, before all of them."""
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))


def _confine(policy, call) -> None:
    """Run a call under Landlock and seccomp, as the child that is watched."""
    import sandlock  # pyright: ignore[reportMissingImports]

    sys.exit(sandlock.Sandbox(**policy).run_interactive(call))


def _gone(*_) -> None:
    """End the run because the caller is gone."""
    _kill_all()
    os._exit(143)


def _kill_all() -> None:
    """Stop all that descends from here, until nothing new appears, then kill it: what is stopped starts nothing."""
    for _ in range(_PASSES):
        tree = _descendants()
        if not tree:
            return
        moving = [pid for pid, state in tree.items() if state not in ("T", "t")]
        for pid in moving or tree:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGSTOP if moving else signal.SIGKILL)
        _reap()
        if not moving:
            time.sleep(0.001)


def _reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _descendants():
    """Living processes below this one with their states, zombies left out."""
    states, parents = {}, {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            state, parent = _state(name)
            if state not in ("Z", "X", ""):
                states[int(name)] = state
                parents.setdefault(parent, []).append(int(name))
    found, waiting = {}, [os.getpid()]
    while waiting:
        below = parents.get(waiting.pop(), [])
        found.update((pid, states[pid]) for pid in below)
        waiting += below
    return found


def _state(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return fields[0].decode(), int(fields[1])
    except (OSError, IndexError):
        return "", 0


def _resident(pid) -> int:
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def _proportional(pid) -> int:
    """Return the memory with each shared page divided among its users; all of it where the kernel does not report
    that."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            fields = dict(line.split(b":", 1) for line in file if line.startswith((b"Pss:", b"SwapPss:")))
        return 1024 * sum(int(each.split()[0]) for each in fields.values())
    except (OSError, ValueError):
        return _resident(pid)


def _processes_of(user) -> int:
    count = 0
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == user:
                count += len(os.listdir(f"/proc/{name}/task"))
    return count


def _prctl(option, value) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    main()
