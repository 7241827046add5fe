"""Copying the window, step by step: prepared, secrets decided, handed over part by part, and remembered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec import Struct

from services.model import Window
from workbench.main.status_messages import copied_notice
from workbench.state.bench_port import BenchPort
from workbench.state.clipboard import Copied, Way

if TYPE_CHECKING:
    from services.model.copies import Copy
    from services.prompt.state.wanted import Wanted
    from workbench.dialogs.secrets import Decision
    from workbench.main.frame import Frame


class _Ready(Struct, frozen=True):
    """A copy that can be handed over, and the window as it was just checked."""

    wanted: Wanted
    copy: Copy
    window: Window


class WindowCopying:
    """The copies that are made from a screen. It remembers which secrets a person has seen masked: they are not asked
    about twice."""

    def __init__(self, main: Frame) -> None:
        self._main = main
        self._seen: frozenset[str] = frozenset()

    def usual(self) -> Wanted | None:
        """The way that the settings say; None while no workspace is open."""
        from services.prompt.state.wanted import Wanted

        bench = self._main.session.bench
        settings = bench.settings.window if bench else None
        return Wanted(form=settings.format, template=settings.template) if settings else None

    def start(self, wanted: Wanted | None = None) -> None:
        """Copy as `wanted`, or as usual."""
        bench, wanted = self._main.session.bench, wanted or self.usual()
        if bench is not None and wanted is not None:
            self._main.jobs.run("copy", lambda: _prepared(bench, wanted), self._decide)

    def _decide(self, ready: _Ready) -> None:
        from workbench.dialogs.secrets import SecretsDialog

        masked = {secret.code for secret in ready.copy.secrets if secret.masked}
        if masked <= self._seen:
            self._deliver(ready, 0)
            return

        def decided(decision: Decision | None) -> None:
            if decision is None:
                return
            self._seen |= masked - set(decision.once) - set(decision.always)
            if decision.changes_anything:
                self._again(ready.wanted, decision)
            else:
                self._deliver(ready, 0)

        self._main.app.push_screen(SecretsDialog(ready.copy.secrets), decided)

    def _again(self, wanted: Wanted, decision: Decision) -> None:
        """Prepare it once more, with what was decided."""
        bench = self._main.session.bench
        if bench is None:
            return

        def call() -> _Ready:
            for code in decision.always:
                bench.copying.allow(code)
            for code in decision.masked:
                bench.copying.forbid(code)
            return _prepared(bench, replace(wanted, allow=decision.once))

        self._main.jobs.run("copy", call, lambda ready: self._deliver(ready, 0))

    def _deliver(self, ready: _Ready, part: int) -> None:
        bench = self._main.session.bench
        if bench is None:
            return
        last = part == len(ready.copy.parts) - 1

        def call() -> Copied:
            copied = self._main.clipboard.copy(ready.copy.parts[part])
            if last and copied.way is not Way.NONE:
                bench.copying.keep(ready.copy)
            return copied

        self._main.jobs.run("copy", call, lambda copied: self._delivered(ready, part, copied))

    def _delivered(self, ready: _Ready, part: int, copied: Copied) -> None:
        from workbench.dialogs.parts import NextPart

        main, parts = self._main, len(ready.copy.parts)
        main.session.read_window()
        if part == parts - 1 or copied.way is Way.NONE:
            main.say(copied_notice(ready.window, ready.copy, copied))
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self._deliver(ready, part + 1)
            else:
                main.say(copied_notice(ready.window, ready.copy, copied, parts=part + 1))

        said = copied.sentence(f"Part {part + 1} of {parts}")
        main.app.push_screen(NextPart(part + 1, parts, said), answered)


def _prepared(bench: BenchPort, wanted: Wanted) -> _Ready:
    copy = bench.copying.prepare(wanted)
    return _Ready(wanted, copy, bench.window())
