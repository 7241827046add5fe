"""Message handlers of the main screen: the workspace."""

from __future__ import annotations

import time
from functools import partial

from textual.message import Message

from services.model import Draft, Notice, Proposal
from services.model.writes import OthersAnswer
from services.workspace.source_kinds import is_source
from widgets.format.shorten import grouped, token_count
from workbench.commands.situation import WINDOW
from workbench.main.frame import Frame
from workbench.main.sentences import background_line, others_line, status_line, written_line
from workbench.state.own_settings import SettingsFollower
from workbench.state.session import Session
from workbench.ui.messages import IndexChanged, PinsChanged
from workbench.ui.modal import Confirm
from workbench.ui.notices import notice_of

_SEARCH_AGAIN = 1.0
"""Seconds between two looks at an index that is being built."""
_STATUS_AGAIN = 0.25
"""Seconds between two looks at an index that something else than the screen brings up to date: where that finds no
change, nobody tells that it has ended."""


class OnSession(Frame):
    """Handlers of the session's messages."""

    def on_session_opened(self, event: Session.Opened) -> None:
        """The workspace is there: what was typed is looked for before anything else is done."""
        self._to_restore, self._state = event, event.state
        self._follower = SettingsFollower(self, self.settings, event.bench.root)
        self._follower.look()
        if not self.symbols.box.typed:  # what a person has typed meanwhile is theirs
            with self.prevent(self.symbols.box.QueryChanged):
                self.symbols.box.value = event.state.query
                self.symbols.box.input.select_all()
        self.update_keys()

    def on_settings_follower_changed(self) -> None:
        """The screen of settings shows the values."""
        self._tell_dialog(SettingsFollower.Changed())

    def on_session_loaded(self, event: Session.Loaded) -> None:
        """There is something to search, or everything is still to be read."""
        if bench := self.session.bench:
            self.symbols.attach(bench)

        def go_on() -> None:
            self._restore()
            self.session.go_on(kept=event.kept)

        self.once_complete(go_on, first=True)
        if event.kept:
            self.symbols.search(keep_cursor=bool(self.symbols.results.cursor))
            self.symbols.once_found(self.complete)
        else:
            self.complete()

    def _restore(self) -> None:
        """Put everything back to where it was, once."""
        event, self._to_restore = self._to_restore, None
        if event is None:
            return
        bench, self._restored = event.bench, event.state.opened
        self.symbols.attach(bench)
        self.code.attach(bench)
        self.patch.attach(bench, self.keeper)
        self.jobs.run("drafts", bench.patching.drafts, self._drafts_found)
        self.read_proposals()
        for pane in (self.grep, self.usages, self.changes):
            pane.attach(bench)
        self.status.status = status_line(self.status.status, name=bench.name)
        self.code.view = event.state.view
        self.zoomed = event.state.zoomed
        self.code.source.wraps = event.state.wraps
        self.copying.choice = event.state.copy
        self.questions = event.state.questions
        self.marks = event.state.marks
        self.symbols.box.earlier = event.state.searches
        self.grep.box.earlier = event.state.patterns
        self.code.diff.set_options(event.state.diff)
        self.update_keys()

    def on_session_refused(self, event: Session.Refused) -> None:
        """There is no workspace to work in."""
        notice = notice_of(event.error)
        self.status.status = status_line(self.status.status, freshness="error", doing="no workspace")
        self.symbols.say_nothing_found(notice.message, "Quit ({quit:ctrl+q}) and start with another folder.")
        self.say(notice)
        self.complete()

    def on_session_advanced(self, event: Session.Advanced) -> None:
        """The index has come a little further: search what there is of it now and then."""
        self.progress.progress = event.progress
        self.progress.display = event.progress is not None
        self.status.status = status_line(self.status.status, job=event.progress)
        if event.progress is None:
            self.session.read_status()
        if event.grows and time.monotonic() - self._searched_at > _SEARCH_AGAIN:
            self._searched_at = time.monotonic()
            self.symbols.search(keep_cursor=True)
        self.update_keys()

    def on_session_indexed(self, event: Session.Indexed) -> None:
        """There is an index, or another one: everything shown is read again."""
        if not self.is_complete:  # it could not be loaded
            self.once_complete(partial(self.on_session_indexed, event), first=True)
            self.complete()
            return
        self._restore()
        self._complete = event.complete
        self.status.status = status_line(self.status.status, doing="")
        self.symbols.forget_costs()
        self.symbols.search(keep_cursor=True)
        self.session.read_window()
        self.session.read_status()
        self.usages.reload()
        self.changes.reload()
        if self._restored:
            self.code.restore(self._restored)
            self._restored = "" if event.complete else self._restored
        else:
            self.code.visits.reload()
        self.patch.look()
        self._tell_dialog(IndexChanged())
        if event.cancelled:
            key = self.keys.first("refresh")
            self.say(Notice(severity="warning", message="Indexing was cancelled; what was read can be searched.",
                            what_to_do=f"{key} goes on."))  # fmt: skip

    def on_session_background_advanced(self, event: Session.BackgroundAdvanced) -> None:
        """Show the progress of background reading."""
        self.status.status = status_line(self.status.status, doing=background_line(event.progress))

    def on_session_bodies_read(self) -> None:
        """List the most referenced types again, now that all references are known, and notify the open dialog."""
        if not self.symbols.box.value:
            self.symbols.search(keep_cursor=True)
        self._tell_dialog(IndexChanged())

    def on_session_status_read(self, event: Session.StatusRead) -> None:
        """The line above."""
        self.status.status = status_line(self.status.status, status=event.status)
        self.window.set_price(event.status.price)
        self.say_all(event.status.notices)
        if event.status.state == "refreshing" and not self.session.is_indexing and self._status_again is None:
            self._status_again = self.set_timer(_STATUS_AGAIN, self._read_status_again)

    def _tell_dialog(self, message: Message) -> None:
        """Notify the open dialog, which shows pins and places too."""
        if self.app.screen is not self:
            self.app.screen.post_message(message)

    def _read_status_again(self) -> None:
        self._status_again = None
        self.session.read_status()

    def on_session_window_read(self, event: Session.WindowRead) -> None:
        """The prompt window changed."""
        window = event.window
        self.window.set_window(window)
        used = token_count(window.tokens, approximate=window.approximate)
        self.switcher.note(WINDOW, f"{used} of {grouped(window.budget)}")
        pinned = [item for item in window.items if item.pinned]
        if pinned:
            self.did("pin")
        targets = {item.symbol_id or item.key.partition(":")[2] for item in pinned}
        self.about.pinned = frozenset(targets | {item.key for item in pinned})
        self.symbols.set_pinned(self.about.pinned)
        self._tell_dialog(PinsChanged())
        # Once the window is on the screen: a thread that works takes half of the time.
        self.call_after_refresh(self.session.find_missing_types)
        self.update_keys()

    def on_session_missing_types_found(self, event: Session.MissingTypesFound) -> None:
        """The line below the items of the prompt window."""
        self.window.set_missing(event.found)
        self.update_keys()

    def on_session_shared(self, event: Session.Shared) -> None:
        """Show the changes of other processes."""
        if not self.is_complete:
            self.once_complete(partial(self.on_session_shared, event))
            return
        if "window" in event.topics:
            self.session.read_window()
        if "writes" in event.topics:
            self.patch.look()
            self.read_others()
        if "proposals" in event.topics:
            self.read_proposals()
        if "notes" in event.topics:
            self.code.read_note()
            self.symbols.forget_costs()
        if "watching" in event.topics:
            self.session.read_status()

    def keep_state(self) -> None:
        """Save the state, and check what sends no message: a lapsed lock, a lock whose holder is gone, a file of
        settings."""
        super().keep_state()
        if self._follower is not None:
            self._follower.look()
        if self._others.locks:
            self.read_others()

    def read_others(self) -> None:
        """See what others do to files."""
        if bench := self.session.bench:
            since = self._since
            self.jobs.run_after(
                "others", lambda: bench.writer.others(since=since), self._others_read, failed=lambda _: None
            )

    def _others_read(self, others: OthersAnswer) -> None:
        before, self._others = self._others, others
        self.status.status = status_line(self.status.status, others=others_line(others))
        new = [each for each in others.written if each not in before.written]
        for each in reversed(new):
            self.log_of_notices.add(Notice(severity="information", message=written_line(each)))
        if not all(is_source(file) for each in new for file in each.files):
            self.code.visits.reload()  # the index, which knows C# alone, will not say so

    def read_proposals(self) -> None:
        """See what agents want to write."""
        if bench := self.session.bench:
            self.jobs.run("proposals", lambda: bench.proposals.listed(pending=True), self._proposals_read)

    def _proposals_read(self, proposals: tuple[Proposal, ...]) -> None:
        self._show_proposals_again()
        for proposal in proposals:
            if proposal.id not in self._told:
                self._told.add(proposal.id)
                message = f"{proposal.agent} {proposal.wish}, and waits for you."
                self.say(Notice(severity="warning", message=message, what_to_do=self._shown_by("proposals")))

    def _shown_by(self, command: str) -> str:
        """The key that shows something, from where the keyboard is."""
        key = self.keys.first(command)
        is_typed = self.situation.typing and not self.keys.first(command, typing=True)
        return (
            f"{self.keys.first('leave', typing=True)}, then {key} shows it."
            if is_typed
            else f"{key} shows it."
        )

    def _show_proposals_again(self) -> None:
        if self.app.screen is self:
            return
        from workbench.dialogs.proposals import ProposalsScreen

        if isinstance(self.app.screen, ProposalsScreen):
            self.app.screen.read()

    def _drafts_found(self, drafts: tuple[Draft, ...]) -> None:
        """Offer the drafts that were never written."""
        if drafts:
            files = ", ".join(draft.file for draft in drafts)
            message = f"You typed something in {files} that was never written."
            self.say(Notice(severity="information", message=message, what_to_do="Edit the file to go on."))

    def on_session_pin_refused(self, event: Session.PinRefused) -> None:
        """Offer to pin in spite of the budget."""
        pin = event.pin

        def answered(yes: bool | None) -> None:
            if yes:
                self.session.change(lambda bench: pin(bench, True), event.what)

        self.app.push_screen(
            Confirm("Past the soft budget", event.error.message, yes="Pin all the same", late=True), answered
        )
        self.update_keys()
