"""SAP systems beside the workspace: objects are found, read, pinned, edited under a lock, checked and activated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.content import Content

from services.adt.values import AdtMessage, AdtReference
from services.errors import UsageError
from services.model.source import ADT, SourceRange
from services.model.writes import WriteAnswer
from widgets.format.display import visible
from widgets.format.shorten import counted
from widgets.lists.pick_list import PickList, PickRow
from workbench.dialogs.base import Key, TextBox, bindings_of
from workbench.dialogs.listing import Listing, paragraph

if TYPE_CHECKING:
    from services.adt.objects import AdtObjects
    from services.bench import Bench
    from workbench.state.session import Session

_MOST_LINES = 2_000
"""Lines of a source that are shown beside the rows."""
_HOW = (
    "A system stands in your settings as [adt.NAME], its password in the environment or the keyring.",
    "A pinned object is shown by its outline; each copy reads it again from its system.",
)


class SystemsScreen(Listing[None]):
    """Objects of all systems of the settings. `drafts`: texts that were typed and not written, by object."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("slash", "search", "search"),
        Key("i", "inactive", "inactive"),
        Key("space,enter", "pin", "pin", row=True),
        Key("s", "source", "source", row=True),
        Key("e", "edit", "edit", row=True),
        Key("c", "check", "check", row=True),
        Key("a", "activate", "activate", row=True),
        Key("u", "undo", "write back", row=True),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("systems", KEYS)

    def __init__(self, bench: Bench, session: Session, drafts: dict[str, str]) -> None:
        super().__init__("SAP systems", empty="No objects yet: / searches by name, with * for any letters")
        self._objects = bench.systems
        self._session = session
        self._drafts = drafts
        self._texts: dict[tuple[str, bool], Content] = {}
        self._said: dict[str, Content] = {}
        self._as_source = False
        self._before: dict[str, tuple[str, WriteAnswer]] = {}

    def read(self) -> None:
        """Ask for a name at once: there is nothing to show before."""
        self.set_rows(())
        if self._objects.places.names():
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
        said = self._said.get(name)
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
        if name := self.current:
            self.jobs.act(
                "check", lambda: self._objects.check(name), lambda found: self._tell(name, "Checked", found)
            )

    def action_activate(self) -> None:
        """Activate what was written."""
        if name := self.current:
            self.jobs.act(
                "activate",
                lambda: self._objects.activate(name),
                lambda done: self._tell(
                    name, "Activated" if done.succeeded else "Not activated", done.messages
                ),
            )

    def action_edit(self) -> None:
        """Lock an object and edit its source."""
        if name := self.current:
            self.jobs.act("lock", lambda: self._locked(name), lambda held: self._edit(name, *held))

    def action_undo(self) -> None:
        """Write back the text that an object had before it was written here."""
        name = self.current
        if name not in self._before:
            self.tell("Nothing was written here: there is nothing to write back.")
            return
        text, written = self._before[name]
        self.jobs.act(
            "undo",
            lambda: self._objects.replace(name, text, token=written.token, handle="new"),
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
            self.remark("" if rows else "Nothing was found.")
            self.set_rows([_row(name, each) for name, each in rows.items()])

        def failed(error: Exception) -> None:
            self.remark(str(error))

        self.jobs.run("find", found, show, failed=failed)

    def _look(self, name: str, as_source: bool) -> str:
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
        if self.current == name:
            self.show_detail()

    def _locked(self, name: str) -> tuple[str, SourceRange]:
        handle = self._objects.lock(name).lock_handle or ""
        try:
            return handle, self._objects.read(name)
        except BaseException:
            self._objects.unlock(name, handle)
            raise

    def _edit(self, name: str, handle: str, source: SourceRange) -> None:
        def closed(written: WriteAnswer | None) -> None:
            if written is not None:
                self._before[name] = (source.content, written)
                self._written(name, written)

        self.app.push_screen(SystemEditor(self._objects, name, handle, source, self._drafts), closed)

    def _written(self, name: str, written: WriteAnswer | None) -> None:
        if written is None:
            del self._before[name]
        for as_source in (False, True):
            self._texts.pop((name, as_source), None)
        self._said.pop(name, None)
        self.tell(f"{name} was written {'' if written else 'back '}and is inactive.", "a activates it.")
        self.show_detail()


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
        self, objects: AdtObjects, name: str, handle: str, source: SourceRange, drafts: dict[str, str]
    ) -> None:
        lead = f"{name} is locked for you until this closes. What is written is inactive."
        if name in drafts:
            lead = f"{lead} This is what you typed the last time."
        super().__init__(name, lead=lead, text=drafts.get(name, source.content))
        self._objects = objects
        self._name = name
        self._handle = handle
        self._source = source
        self._drafts = drafts

    def action_check(self) -> None:
        """Check the syntax of what is typed."""
        text = self.editor.text

        def told(messages: Sequence[AdtMessage]) -> None:
            wrong = [each for each in messages if each.is_error]
            said = "; ".join(f"line {each.line}: {each.text}" for each in wrong[:5]) or "No errors."
            self.head.update(visible(said))

        self.jobs.run("check", lambda: self._objects.check(self._name, text), told)

    def action_write(self) -> None:
        """Write what is typed, and give the lock back."""
        text = self.editor.text
        self._drafts[self._name] = text  # kept where the write fails

        def write() -> WriteAnswer:
            return self._objects.replace(self._name, text, token=self._source.token, handle=self._handle)

        def written(answer: WriteAnswer) -> None:
            self._drafts.pop(self._name, None)
            self._close(answer)

        self.jobs.act("write", write, written)

    def action_back(self) -> None:
        """Give the lock back. What was typed waits for the next time."""
        if self.editor.text != self._source.content:
            self._drafts[self._name] = self.editor.text
            self.tell("Nothing was written. What you typed is here again when you edit the object.")
        self._close(None)

    def _close(self, answer: WriteAnswer | None) -> None:
        def closed(_: object) -> None:
            self.dismiss(answer)

        self.jobs.act("unlock", lambda: self._objects.unlock(self._name, self._handle), closed, failed=closed)
