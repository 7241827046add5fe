"""Preview of a review's publication, as it would be sent."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.getters import query_one
from textual.widgets import Static

from services.model.review import Publication
from widgets.format.display import visible
from workbench.dialogs.base import Dialog, Key, bindings_of
from workbench.dialogs.copying import write_new
from workbench.dialogs.listing import Asked
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.bench import Bench


class PublishScreen(Dialog[bool]):
    """Answers whether something was sent."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("1", "show('server')", "to the server"),
        Key("2", "show('markdown')", "as Markdown"),
        Key("3", "show('sarif')", "as SARIF"),
        Key("4", "show('sarif', True)", "with findings"),
        Key("y", "copy", "copy the text"),
        Key("w", "file", "write to a file"),
        Key("ctrl+s", "send", "send it"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("publish", KEYS)
    text = query_one("#publish-text", Static)
    lead = query_one("#over-head", Static)
    asked = query_one(Asked)

    def __init__(self, bench: Bench, change: str, copy: Callable[[str, str], object]) -> None:
        super().__init__("Publish")
        self._bench, self._change, self._copy = bench, change, copy
        self._target = "server"
        self._shown: Publication | None = None
        self._cancel = threading.Event()

    def body(self) -> ComposeResult:
        """Compose the target and the text."""
        yield Static(id="over-head", markup=False)
        with VerticalScroll(can_focus=True):
            yield Static(id="publish-text", markup=False)
        yield Asked(
            id="publish-file", compact=True, placeholder="A new file, from the folder of the workspace on"
        )

    def on_mount(self) -> None:
        """The server first; Markdown where the change is on none."""
        super().on_mount()
        self.asked.display = False
        self.query_one(VerticalScroll).focus()
        self.jobs.run(
            "target",
            lambda: self._bench.review.open(self._change).source.remote is not None,
            lambda is_remote: self.action_show("server" if is_remote else "markdown"),
        )

    def action_show(self, target: str, analyse: bool = False) -> None:
        """Show what would be sent there: as SARIF the comments, and where `analyse` what an analysis finds."""
        self._cancel.set()
        cancel = self._cancel = threading.Event()
        self._target, self._shown = target, None
        doing = "The change is being analysed; another key stops it …" if analyse else "Looking …"
        self.lead.update(f"{target}: {doing}")
        self.text.update("")
        self.jobs.run(
            "preview",
            lambda: self._bench.review.publish(
                self._change, target, preview=True, analyse=analyse, cancel=cancel
            ),
            self._show,
            failed=self._refused,
        )

    def on_unmount(self) -> None:
        """Analyse no more."""
        self._cancel.set()

    def action_copy(self) -> None:
        """Copy what is shown."""
        if self._shown is None:
            self.tell("Nothing is shown yet that could be copied.")
        else:
            self._copy(self._shown.text, f"The review for {self._shown.target}")

    @property
    def is_typing(self) -> bool:
        """Whether the name of a file is typed."""
        return self.asked.has_focus

    def action_back(self) -> None:
        """Leave the name of a file, or close."""
        if self.is_typing:
            self._end_file()
        else:
            super().action_back()

    def action_file(self) -> None:
        """Ask for a file to write what is shown to."""
        if self._shown is None:
            self.tell("Nothing is shown yet that could be written.")
            return
        self.asked.value = "review.sarif" if self._target == "sarif" else "review.md"
        self.asked.display = True
        self.asked.focus()

    def on_input_submitted(self, event: Asked.Submitted) -> None:
        """Write the file; one that is there already is left alone."""
        event.stop()
        shown, name = self._shown, event.value.strip()
        if shown is None or not name:
            return
        path = self._bench.root / Path(name).expanduser()

        def written(why: str) -> None:
            if why:
                self.tell(why, "Choose another name.")
                return
            self.tell(f"The review is written to {visible(str(path))}.")
            self._end_file()

        self.jobs.act("file", lambda: write_new(path, shown.text), written, failed=self._refused)

    def _end_file(self) -> None:
        self.asked.display = False
        self.query_one(VerticalScroll).focus()
        self.show_keys()

    def action_send(self) -> None:
        """Send it to the server of the change."""
        if self._target != "server":
            self.tell("Only what is on a server is sent.", "Copy the text instead (y).")
            return

        def sent(answer: Publication) -> None:
            self.tell(f"{len(answer.published)} comments are published.", visible(answer.address))
            self.dismiss(True)

        self.jobs.act(
            "publish", lambda: self._bench.review.publish(self._change, "server", preview=False), sent,
            failed=self._refused,
        )  # fmt: skip

    def _show(self, shown: Publication) -> None:
        self._shown = shown
        waiting = len(shown.pending)
        self.lead.update(
            visible(f"{shown.target}: {waiting} accepted comment{'s' * (waiting != 1)}. Nothing is sent yet.")
        )
        self.text.update("\n".join(map(visible, shown.text.split("\n"))))

    def _refused(self, error: Exception) -> None:
        self._shown = None
        notice = notice_of(error)
        self.lead.update(visible(" ".join(filter(None, (notice.message, notice.what_to_do)))))
        self.text.update("")
