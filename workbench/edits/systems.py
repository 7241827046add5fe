"""SAP systems beside the workspace: objects are found, read, pinned, edited under a lock, checked and activated."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.content import Content

from services.adt.values import AdtMessage, AdtReference, AdtTransport, is_transport
from services.errors import LockRequired, UsageError
from services.model.source import ADT, NEW_LOCK, SourceRange
from services.model.writes import LockAnswer, WriteAnswer
from services.source.grep_pattern import compiled
from services.source.grep_search import GrepRequest
from widgets.format.display import visible
from widgets.format.shorten import counted
from widgets.lists.pick_list import PickList, PickRow
from workbench.dialogs.base import Key, TextBox, bindings_of
from workbench.dialogs.listing import Listing, paragraph
from workbench.edits.system_edits import SystemDraft, SystemEdits

if TYPE_CHECKING:
    from services.adt.objects import AdtObjects
    from services.bench import Bench
    from workbench.state.session import Session

_AROUND = 12
"""Lines before and behind one that was found."""
_MOST_LINES = 2_000
"""Lines of a source that are shown beside the rows."""
_HOW = (
    "A system stands in your settings as [adt.NAME], its password in the environment or the keyring.",
    "A pinned object is shown by its outline; each copy reads it again from its system.",
)


class SystemsScreen(Listing[None]):
    """Objects of all systems of the settings. `edits`: what was typed and written in them so far; `edited`: an object
    to be edited at once."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("slash", "search", "search"),
        Key("space,enter", "pin", "pin", row=True),
        Key("e", "edit", "edit", row=True),
        Key("c", "check", "check", row=True),
        Key("a", "activate", "activate", row=True),
        Key("g", "grep", "grep", row=True),
        Key("s", "source", "source", row=True),
        Key("i", "inactive", "inactive"),
        Key("t", "transport", "transport", row=True),
        Key("u", "undo", "write back", row=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("systems", KEYS)

    def __init__(self, bench: Bench, session: Session, edits: SystemEdits, edited: str = "") -> None:
        super().__init__("SAP systems", empty="No objects yet: / searches by name, with * for any letters")
        self._objects = bench.systems
        self._session = session
        self._edits = edits
        self._edited = edited
        self._texts: dict[tuple[str, bool], Content] = {}
        self._said: dict[str, Content] = {}
        self._as_source = False

    def read(self) -> None:
        """Ask for a name at once, unless there is an object to be edited: there is nothing to show before."""
        edited = _whole(self._edited)
        self.set_rows([PickRow(edited, edited.removeprefix(ADT))] if edited else ())
        if edited:
            self.action_edit()
        elif self._objects.places.names():
            self.action_search()

    def show_detail(self) -> None:
        """Of no object: what systems are."""
        if self.rows.current is None:
            self.detail.update(paragraph("SAP systems", _HOW))
        else:
            super().show_detail()

    def about(self, row: PickRow) -> Content:
        """The outline of an object or its source, behind what its system said of it last."""
        name, as_source = row.value, self._as_source
        shown = self._texts.get((name, as_source))
        if shown is None:
            self.jobs.run("look", lambda: self._look(name, as_source), lambda text: self._looked(name, as_source, text),
                          failed=lambda error: self._looked(name, as_source, str(error)))  # fmt: skip
            shown = Content.styled("Reading …", "dim")
        said = self._said.get(_whole(name))
        return shown if said is None else said + Content("\n\n") + shown

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter pins."""
        event.stop()
        self.action_pin()

    def action_search(self) -> None:
        """Find objects by name in every system."""

        def typed(query: str) -> None:
            if query:
                self._list(
                    f"Searching {query} …", lambda objects, system: objects.search(query, system=system)
                )

        self.ask("Name of an object, * for any letters", typed)

    def action_grep(self) -> None:
        """Search the sources of the listed objects; each line that is found is a row then."""
        names = list(dict.fromkeys(_whole(row.value) for row in self.rows.rows))

        def typed(text: str) -> None:
            if text:
                self.answered()
                self.remark(f"Searching {counted(len(names), 'source')} …")
                self.jobs.run(
                    "find", lambda: self._matches(text, names), self._show_rows, failed=self._failed
                )

        self.ask("Text in the sources of these objects", typed)

    def action_transport(self) -> None:
        """Choose the transport request in which changes of an object are recorded."""
        if name := _whole(self.current):
            self.jobs.act(
                "transport", lambda: self._objects.transports(name), lambda found: self._choose(name, found)
            )

    def action_inactive(self) -> None:
        """List what was written and is not active."""
        self._list(
            "Reading what is inactive …", lambda objects, system: objects.places.client(system).inactive()
        )

    def action_pin(self) -> None:
        """Pin the outline of an object."""
        if row := self.rows.current:
            self._session.pin(row.value, label=row.label)

    def action_source(self) -> None:
        """Show the source instead of the outline, or the outline again."""
        self._as_source = not self._as_source
        self.show_detail()

    def action_check(self) -> None:
        """Check the syntax as the system has it."""
        if name := _whole(self.current):
            self.jobs.act(
                "check", lambda: self._objects.check(name), lambda found: self._tell(name, "Checked", found)
            )

    def action_activate(self) -> None:
        """Activate what was written."""
        if name := _whole(self.current):
            self.jobs.act(
                "activate",
                lambda: self._objects.activate(name),
                lambda done: self._tell(
                    name, "Activated" if done.succeeded else "Not activated", done.messages
                ),
            )

    def action_edit(self) -> None:
        """Lock an object and edit its source."""
        if name := _whole(self.current):
            self.jobs.act("lock", lambda: self._locked(name), lambda held: self._edit(name, *held))

    def action_undo(self) -> None:
        """Write back the text that an object had before it was written here."""
        name = _whole(self.current)
        if name not in self._edits.before:
            self.tell("Nothing was written here: there is nothing to write back.")
            return
        text, written = self._edits.before[name]
        transport = self._edits.transports.get(name, "")
        self.jobs.act(
            "undo",
            lambda: self._objects.replace(
                name, text, token=written.token, handle=NEW_LOCK, transport=transport
            ),
            lambda _: self._written(name, None),
        )

    def _list(self, waiting: str, find: Callable[..., Sequence[AdtReference]]) -> None:
        objects = self._objects
        self.answered()
        self.remark(waiting)

        def found() -> dict[str, AdtReference]:
            systems = objects.places.names()
            if not systems:
                raise UsageError("There is no SAP system. Write one into your settings, as [adt.NAME].")
            return {
                f"{ADT}{system}:{each.name}": each for system in systems for each in find(objects, system)
            }

        def show(rows: dict[str, AdtReference]) -> None:
            self._show_rows([_row(name, each) for name, each in rows.items()])

        self.jobs.run("find", found, show, failed=self._failed)

    def _show_rows(self, rows: Sequence[PickRow]) -> None:
        self.remark("" if rows else "Nothing was found.")
        self.set_rows(rows)

    def _failed(self, error: Exception) -> None:
        self.remark(str(error))

    def _matches(self, text: str, names: Sequence[str]) -> list[PickRow]:
        request = GrepRequest(compiled(re.escape(text), case_insensitive=True))
        return [
            PickRow(
                f"{name}:{match.line_number}",
                visible(match.content.strip()),
                detail=f"{name.removeprefix(ADT)}:{match.line_number}",
            )
            for name in names
            for match in self._objects.grep(request, name).matches
        ]

    def _choose(self, name: str, found: Sequence[AdtTransport]) -> None:
        def typed(answer: str) -> None:
            self.answered()
            if is_transport(answer):
                self._recorded(name, answer)
            elif answer.strip():
                self.jobs.act(
                    "transport",
                    lambda: self._objects.record(name, answer),
                    lambda made: self._recorded(name, made),
                )

        there = ", ".join(f"{each.number} {each.text}".rstrip() for each in found[:5]) or "none"
        first = self._edits.transports.get(name) or (found[0].number if found else "")
        self.ask(f"Transport request, or words for a new one (open: {there})", typed, offer=first)

    def _recorded(self, name: str, number: str) -> None:
        self._edits.transports[name] = number
        self.tell(f"Changes of {name} are recorded in {number}.")

    def _look(self, name: str, as_source: bool) -> str:
        if (whole := _whole(name)) != name:
            line = int(name.rpartition(":")[2])
            return self._objects.read(whole, start=max(1, line - _AROUND), end=line + _AROUND).content
        if not as_source:
            return self._objects.excerpt(name).outline or "It declares nothing known: s shows the source."
        source = self._objects.read(name)
        if source.line_count <= _MOST_LINES:
            return source.content
        first = "".join(source.content.splitlines(keepends=True)[:_MOST_LINES])
        return f"{first}… {source.line_count - _MOST_LINES} more lines"

    def _looked(self, name: str, as_source: bool, text: str) -> None:
        self._texts[name, as_source] = Content("\n".join(map(visible, text.splitlines())))
        if self.current == name:
            self.show_detail()

    def _tell(self, name: str, done: str, messages: Sequence[AdtMessage]) -> None:
        """Show what a system says of an object, errors first."""
        ordered = sorted(messages, key=lambda each: not each.is_error)
        lines = [f"{each.kind} {each.line or ''} {each.text}".replace("  ", " ") for each in ordered]
        head = f"{done}: {counted(len(lines), 'message')}" if lines else f"{done}, without a message."
        self._said[name] = Content.styled(head, "bold") + Content(
            "".join(f"\n{visible(line)}" for line in lines)
        )
        if _whole(self.current) == name:
            self.show_detail()

    def _locked(self, name: str) -> tuple[LockAnswer, SourceRange]:
        lock = self._objects.lock(name)
        try:
            return lock, self._objects.read(name)
        except BaseException:
            self._objects.unlock(name, lock.lock_handle or "")
            raise

    def _edit(self, name: str, lock: LockAnswer, source: SourceRange) -> None:
        def closed(written: WriteAnswer | None) -> None:
            if written is not None:
                self._edits.before[name] = (source.content, written)
                self._written(name, written)

        self.app.push_screen(SystemEditor(self._objects, name, lock, source, self._edits), closed)

    def _written(self, name: str, written: WriteAnswer | None) -> None:
        if written is None:
            del self._edits.before[name]
        self._texts.clear()
        self._said.pop(name, None)
        self.tell(f"{name} was written {'' if written else 'back '}and is inactive.", "a activates it.")
        self.show_detail()


def _whole(name: str) -> str:
    """The object of a name, which may be of lines or a member of it."""
    return re.sub(r"(?:=>.*|->.*|:\d+(?:-\d+)?)$", "", name)


def _row(name: str, about: AdtReference) -> PickRow:
    return PickRow(name, about.name, detail=f"{about.type}  {about.description}".strip(), tail=about.package)


class SystemEditor(TextBox[WriteAnswer]):
    """Source of an object that is locked while this is open. Answers what was written."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("ctrl+s,ctrl+j", "write", "write and unlock"),
        Key("alt+c", "check", "check"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("system-editor", KEYS)

    def __init__(
        self, objects: AdtObjects, name: str, lock: LockAnswer, source: SourceRange, edits: SystemEdits
    ) -> None:
        chosen = edits.transports.get(name)
        recorded = f"changes are recorded in {chosen}" if chosen else lock.recorded
        text, said = edits.continued(name, source)
        lead = f"Locked for {lock.owner} until this closes; {recorded}. What is written is inactive. {said}"
        super().__init__(name.removeprefix(ADT), lead=lead.rstrip(), text=text)
        self._objects = objects
        self._name = name
        self._handle = lock.lock_handle or ""
        self._source = source
        self._edits = edits

    def action_check(self) -> None:
        """Check the syntax of what is typed."""
        text = self.editor.text

        def told(messages: Sequence[AdtMessage]) -> None:
            wrong = [each for each in messages if each.is_error]
            said = "; ".join(f"line {each.line}: {each.text}" for each in wrong[:5]) or "No errors."
            self.head.update(visible(said))

        self.jobs.run("check", lambda: self._objects.check(self._name, text), told)

    def action_write(self) -> None:
        """Write what is typed, and give the lock back. Where the system has ended the lock, that is told, and the next
        write takes a lock of its own, under which the text is compared."""
        text, name, edits = self.editor.text, self._name, self._edits
        edits.drafts[name] = SystemDraft(self._source, text)  # kept where the write fails

        def write() -> WriteAnswer:
            return self._objects.replace(
                name, text, token=self._source.token, handle=self._handle,
                transport=edits.transports.get(name, ""),
            )  # fmt: skip

        def written(answer: WriteAnswer) -> None:
            edits.drafts.pop(name, None)
            self._close(answer)

        def failed(error: Exception) -> None:
            if isinstance(error, LockRequired) and self._handle != NEW_LOCK:
                self._handle = NEW_LOCK
                error = LockRequired(f"{error.message} Write again to lock it anew and compare it first.")
            self.head.update(visible(str(error)))

        self.jobs.act("write", write, written, failed=failed)

    def action_back(self) -> None:
        """Give the lock back. What was typed waits for the next time."""
        if self.editor.text != self._source.content:
            self._edits.drafts[self._name] = SystemDraft(self._source, self.editor.text)
            self.tell("Nothing was written. What you typed is here again when you edit the object.")
        self._close(None)

    def _close(self, answer: WriteAnswer | None) -> None:
        def closed(_: object) -> None:
            self.dismiss(answer)

        if self._handle == NEW_LOCK:
            self.dismiss(answer)
            return
        self.jobs.act("unlock", lambda: self._objects.unlock(self._name, self._handle), closed, failed=closed)
