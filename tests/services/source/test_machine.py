"""Everything that can happen to files at once, against a model: no update is lost, nothing is written without the token
and the lock it needs, bytes outside the range stay, undo restores exactly."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from services.errors import CodeCortexError, FileMissing, LockRequired, UsageError, VersionConflict
from services.source.text.edit import Edit
from services.workspace.text import decode
from tests.support.examples import examples
from tests.support.writing import ME, YOU, Failing, HandClock, Place, in_child

NAMES = st.sampled_from(["a.cs", "b.cs"])
WHO = st.sampled_from([0, 1])
OWNERS = (ME, YOU)
CONTENTS = st.sampled_from(
    [
        b"",
        b"one\ntwo\nthree\n",
        b"one\r\ntwo\r\nthree",
        b"x\n" * 6,
        b"\xef\xbb\xbfone\r\ntwo\n",
    ]
)


class Files(RuleBasedStateMachine):
    """`model`: the bytes of each file; `stack`: what undo brings back, by file; two writers as of two processes."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clock = HandClock()
        self.places = [Place(self.folder, clock=self.clock), Place(self.folder, clock=self.clock)]
        self.model: dict[str, bytes] = {}
        self.handles: dict[tuple[int, str], str] = {}
        self.ends: dict[tuple[int, str], float] = {}
        self.dead: list[tuple[str, str]] = []
        self.reads: dict[tuple[int, str], tuple[str, bytes, int, int]] = {}
        self.stack: dict[str, list[tuple[bytes | None, bytes]]] = {"a.cs": [], "b.cs": []}
        self.redoable: dict[str, bool] = {"a.cs": False, "b.cs": False}
        for name in ("a.cs", "b.cs"):
            self.foreign(name, b"one\ntwo\nthree\n")

    def teardown(self) -> None:
        for place in self.places:
            place.close()
        shutil.rmtree(self.folder)

    def holds(self, who: int, name: str) -> bool:
        return (who, name) in self.handles and self.clock.now() < self.ends[(who, name)]

    @rule(name=NAMES, data=CONTENTS)
    def foreign(self, name: str, data: bytes) -> None:
        (self.folder / name).write_bytes(data)
        self.model[name] = data

    @rule(name=NAMES, data=CONTENTS)
    def foreign_by_rename(self, name: str, data: bytes) -> None:
        (self.folder / "other").write_bytes(data)
        (self.folder / "other").replace(self.folder / name)
        self.model[name] = data

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        (self.folder / name).unlink(missing_ok=True)
        self.model.pop(name, None)

    @precondition(lambda self: "a.cs" in self.model)
    @rule()
    def rename(self) -> None:
        (self.folder / "a.cs").replace(self.folder / "b.cs")
        self.model["b.cs"] = self.model.pop("a.cs")

    @rule(name=NAMES)
    def touch(self, name: str) -> None:
        if name in self.model:
            os.utime(self.folder / name, (1, 1))

    @rule(who=WHO, name=NAMES)
    def lock(self, who: int, name: str) -> None:
        held = any(self.holds(each, name) for each in (0, 1))
        try:
            handle = self.places[who].lock(name, OWNERS[who])
        except LockRequired:
            assert held
            return
        assert not held
        self.forget_lapsed(name)
        self.handles[(who, name)] = handle
        self.ends[(who, name)] = self.clock.now() + 300

    def forget_lapsed(self, name: str) -> None:
        for who in (0, 1):
            if (who, name) in self.handles:
                self.dead.append((name, self.handles.pop((who, name))))

    @rule(who=WHO, name=NAMES)
    def unlock(self, who: int, name: str) -> None:
        if self.holds(who, name):
            handle = self.handles.pop((who, name))
            self.places[1 - who].writer.unlock(handle)
            self.dead.append((name, handle))

    @rule(name=NAMES)
    def break_lock(self, name: str) -> None:
        try:
            self.places[0].writer.break_lock(name, YOU, reason="test")
        except LockRequired:
            assert not any(self.holds(who, name) for who in (0, 1))
        else:
            assert any(self.holds(who, name) for who in (0, 1))
            self.forget_lapsed(name)

    @rule(seconds=st.sampled_from([1.0, 299.0, 301.0]))
    def time_passes(self, seconds: float) -> None:
        self.clock.seconds += seconds

    @rule(who=WHO, name=NAMES, data=st.data())
    def read(self, who: int, name: str, data: st.DataObject) -> None:
        try:
            text = decode(self.model[name], name)
            start = data.draw(st.integers(1, max(1, text.line_count)))
            end = data.draw(st.integers(start, max(start, text.line_count)))
            whole = text.line_count == 0
            token = self.places[who].token(name, None if whole else start, None if whole else end)
        except (FileMissing, KeyError):
            assert name not in self.model
            return
        self.reads[(who, name)] = (token, self.model[name], start, 0 if whole else end)

    @rule(who=WHO, name=NAMES, content=st.sampled_from(["", "new", "new\nlines\n"]), shift=st.integers(-1, 1))
    def write(self, who: int, name: str, content: str, shift: int) -> None:
        if (who, name) not in self.reads:
            return
        token, seen, start, end = self.reads[(who, name)]
        edit = Edit(start + shift, end, content)
        handle = self.handles.get((who, name), "none")
        before = self.model.get(name)
        try:
            answer = self.places[who].writer.edit(name, edit, token=token, handle=handle, owner=OWNERS[who])
        except CodeCortexError as error:
            assert error.message.startswith("Nothing was written.")
            if isinstance(error, VersionConflict):
                assert before != seen
            return
        assert self.holds(who, name)
        # A token tells content from content; a file that is gone is one without any.
        assert (before or b"") == seen
        after = self.wrote(name, before)
        text = decode(seen, name)
        first, last = text.span(edit.start, edit.end)
        assert after.startswith(seen[:first])
        assert after.endswith(seen[last:])
        if answer.updated:
            self.stack[name].append((before, after))
            self.redoable[name] = False

    def wrote(self, name: str, before: bytes | None) -> bytes:
        self.model[name] = (self.folder / name).read_bytes()
        return self.model[name]

    @rule(name=NAMES)
    def a_dead_handle_never_writes(self, name: str) -> None:
        for file, handle in self.dead:
            if file in self.model:
                token = self.places[0].token(file)
                try:
                    self.places[0].writer.replace(file, "no", token=token, handle=handle, owner=ME)
                except CodeCortexError as error:
                    assert error.message.startswith("Nothing was written.")
                else:
                    raise AssertionError("a dead handle wrote")

    @rule(who=WHO, name=NAMES)
    def undo(self, who: int, name: str) -> None:
        try:
            self.places[who].writer.undo(name, OWNERS[who])
        except UsageError:
            assert not self.stack[name]
        except LockRequired:
            assert any(self.holds(each, name) for each in (0, 1))
        except VersionConflict:
            assert self.stack[name][-1][1] != self.model.get(name)
        else:
            before, after = self.stack[name].pop()
            assert self.model[name] == after
            if before is None:
                self.model.pop(name)
            else:
                self.model[name] = before

    @rule(who=WHO, name=NAMES, at=st.integers(1, 9), when=st.sampled_from(["before", "amid", "after"]))
    def crash(self, who: int, name: str, at: int, when: str) -> None:
        """A process of its own writes, and is gone at its `at`-th system call; then the program starts again."""
        if name not in self.model or any(self.holds(each, name) for each in (0, 1)):
            return
        before = self.model[name]

        def work() -> None:
            calls = Failing(kill=when)
            place = Place(self.folder, calls=calls, clock=self.clock)
            handle = place.lock(name, YOU)
            calls.at = len(calls.names) + at
            place.writer.replace(name, "crashed\n", token=place.token(name), handle=handle, owner=YOU)

        assert in_child(work) in (0, 9)
        self.restart(who)
        after = (self.folder / name).read_bytes()
        if after != before:
            assert decode(after).content.splitlines() == ["crashed"]
            self.model[name] = after
            self.stack[name].append((before, after))

    @rule(who=WHO)
    def restart(self, who: int) -> None:
        """The locks of a process that ends well go with it only when it is gone; ours is not, so they stay."""
        self.places[who].close()
        self.places[who] = Place(self.folder, clock=self.clock)
        self.places[who].writer.recover()
        self.reads = {key: value for key, value in self.reads.items() if key[0] != who}

    @invariant()
    def files_are_what_the_model_says(self) -> None:
        found: dict[str, Any] = {
            path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()
        }
        assert found == self.model


Files.TestCase.settings = settings(
    max_examples=examples(25),
    stateful_step_count=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestFiles = Files.TestCase
