"""Questions to a model about the window: the question, its cost, the streamed answer, and the places it cites."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote, unquote

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.getters import query_one
from textual.reactive import Reactive
from textual.widgets import Collapsible, Input, Static

from services.concurrency.exclusion import Guarded
from services.errors import CodeCortexError, UsageError
from widgets.format.display import visible, visible_lines
from widgets.format.shorten import grouped
from widgets.lists.pick_list import PickRow
from widgets.text.answer_view import AnswerView, Replacement
from widgets.text.code_edit import CodeEdit
from workbench.dialogs.base import Dialog, Key, bindings_of
from workbench.ui.key_line import with_keys
from workbench.ui.modal import Confirm
from workbench.ui.notices import notice_of
from workbench.ui.picker import Picked, Picker, filtered

if TYPE_CHECKING:
    from services.bench import Bench
    from services.bench.asking import Prepared
    from services.bench.commands import CommandPlan
    from services.llm.chat import Chat
    from services.llm.tool_registry import Registry
    from services.model.copies import Citation
    from workbench.state.clipboard import Clipboard

_PLACE = "place:"
_RESULT_LINES = 40
_SHARE = 0.025
"""Of the screen's thread that an answer may take while it streams: the more a picture costs, the fewer are painted."""
_FIRST = 0.05
"""Seconds that an answer waits behind its first words: a fast one would hold them up on their way to the screen."""
_PAUSES = (0.1, 0.4)
"""Seconds from one picture to the next, at least and at most."""
_LEAD = "Enter asks a model about what is in the window; {ask.copy:^y} copies what it would be sent."
_LEAD_ALONE = (
    "No model is set up: {ask.copy:^y} copies the prompt, {ask.paste:^o} takes the answer of a chat."
)


class _Talk(VerticalScroll):
    """Transcript. Its scrollbar is always visible, so that growth needs no second layout."""

    virtual_size = Reactive(Size(0, 0))


class AskScreen(Dialog[str]):
    """Answers the place that a person wants to go to; None where they close it."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("ctrl+t", "tools", "tools"),
        Key("ctrl+y", "copy", "copy prompt"),
        Key("ctrl+o", "paste", "paste answer"),
        Key("f5", "again", "ask again"),
        Key("f2", "edit", "edit question"),
        Key("ctrl+l", "last", "last chat"),
        Key("ctrl+n", "new", "new chat"),
        Key("f4", "pin", "pin answer"),
        Key("f6", "places", "places"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("ask", KEYS)

    about = query_one("#ask-about", Static)
    talk = query_one("#ask-talk", VerticalScroll)
    question = query_one("#ask-question", Input)
    editor = query_one(CodeEdit)

    def __init__(self, bench: Bench, clipboard: Clipboard) -> None:
        super().__init__("Ask")
        self._bench = bench
        self._clipboard = clipboard
        self._chat: Chat | None = None
        self._tools = False
        self._cancel: threading.Event | None = None
        self._taken = _Taken()
        self._answer: AnswerView | None = None
        self._painted = 0.0
        self._pause = _PAUSES[0]
        self._used = 0.0
        self._asked = ""
        self._said: list[AnswerView] = []
        """The last question and the answer to it, as they are shown."""
        self._cited: Sequence[Citation] = ()

    def body(self) -> ComposeResult:
        """Compose the cost, the transcript, a box for an answer from elsewhere, and the question."""
        yield Static(id="ask-about", markup=False)
        yield _Talk(id="ask-talk")
        yield CodeEdit(numbered=False)
        yield Input(placeholder="What do you want to know?", id="ask-question")

    def on_mount(self) -> None:
        """The question has the keyboard."""
        super().on_mount()
        self.talk.anchor()
        self.editor.display = False
        self.question.focus()
        self._lead()

    @property
    def is_typing(self) -> bool:
        """Whether esc stops an answer, or leaves the box, rather than the screen."""
        return self._cancel is not None or self.editor.display

    def on_input_changed(self) -> None:
        """Show the cost while the question is typed."""
        question = self.question.value
        if question.strip():
            self.jobs.run("cost", lambda: self._prepared(question), lambda made: self._say(made.about))

    def on_input_submitted(self) -> None:
        """Send the question."""
        if self.question.value.strip() and self._cancel is None:
            self._ask(self.question.value)

    def on_answer_view_link_clicked(self, event: AnswerView.LinkClicked) -> None:
        """A place is gone to; nothing else is opened."""
        event.stop()
        if event.href.startswith(_PLACE):
            self.dismiss(unquote(event.href.removeprefix(_PLACE)))

    def action_back(self) -> None:
        """Stop the answer, or leave the box, or close."""
        if self._cancel is not None:
            self._cancel.set()
        elif self.editor.display:
            self.editor.display = False
            self.question.focus()
            self.show_keys()
        else:
            self.dismiss(None)

    def action_tools(self) -> None:
        """Let the model look things up, or not."""
        self._tools = not self._tools
        self._say("The model may read and search with tools." if self._tools else "The model gets no tools.")
        self.on_input_changed()

    def action_copy(self) -> None:
        """Copy what would be sent."""
        question = self.question.value
        if not question.strip():
            self._say("Type the question first.")
            return

        def call() -> str:
            made = self._prepared(question)
            copied = self._clipboard.copy(made.prompt)
            if made.copied is not None:
                self._bench.copying.keep(made.copied)
            return copied.sentence("The prompt")

        self.jobs.run("copy", call, self._say)

    def action_paste(self) -> None:
        """Open the box for an answer from elsewhere; the second time, store its text."""
        if not self.editor.display:
            self.editor.display = True
            self.editor.load_text("")
            self.editor.focus()
            self._say("Paste the answer, then ^o once more.")
            self.show_keys()
            return
        question, answer = self.question.value, self.editor.text
        self.jobs.run(
            "paste", lambda: self._bench.asking.paste(self._prepared(question), answer), self._pasted
        )

    def action_again(self) -> None:
        """Send the last question again."""
        self._edit(self._ask)

    def action_edit(self) -> None:
        """Put the last question back into its box; its answer is dropped when it is sent."""

        def put(question: str) -> None:
            self.question.value = question
            self.question.focus()

        self._edit(put)

    def action_last(self) -> None:
        """Go on with the latest chat."""
        self.jobs.run("last", lambda: self._bench.asking.chats.get("last"), self._show)

    def action_new(self) -> None:
        """Begin a new chat."""
        self._chat = None
        self.talk.remove_children()
        self.question.value = ""
        self._lead()

    def action_pin(self) -> None:
        """Pin the last answer as a note."""
        if self._chat is None or not self._chat.answer:
            self._say("There is no answer to pin yet.")
            return
        answer = self._chat.answer
        pinned = "The answer is pinned to the window."
        act = lambda: self._bench.undo.doing("pinning an answer", lambda: self._bench.window.pin_note(answer))  # noqa: E731
        self.jobs.act("pin", act, lambda _: self._say(pinned))

    def action_places(self) -> None:
        """Choose one of the places that the last answer names, and go there."""
        if not self._cited:
            self._say("No answer names a place yet.")
            return
        rows = {each.target: PickRow(each.target, each.text, each.target) for each in self._cited}

        def picked(answer: Picked | None) -> None:
            if answer is not None:
                self.dismiss(answer.values[0])

        self.app.push_screen(Picker("Places of the answer", filtered([*rows.values()])), picked)

    # Asking

    def _prepared(self, question: str) -> Prepared:
        return self._bench.asking.prepare(question, chat=self._chat, tools=self._registry().tools)

    def _registry(self) -> Registry:
        from services.llm.tool_registry import Registry
        from services.operations.models.tools import model_owner, usual_tools
        from services.operations.table import OPERATIONS

        if not self._tools:
            return Registry()
        return usual_tools(self._bench, OPERATIONS, model_owner(), decide=self._decide)

    def _decide(self, plan: CommandPlan) -> bool:
        """Puts a command to the person; on the thread of the answer, which waits."""
        decided, answer = threading.Event(), [False]

        def told(yes: bool | None) -> None:
            answer[0] = bool(yes)
            decided.set()

        screen = Confirm("The model wants to run a command", plan.lines, yes="Run it", late=True)
        self.app.call_from_thread(self.app.push_screen, screen, told)
        while not decided.wait(0.1):
            if self._cancel is not None and self._cancel.is_set():
                return False
        return answer[0]

    def _ask(self, question: str) -> None:
        cancel = self._cancel = threading.Event()
        self._taken, self._cited, self._asked = _Taken(), (), question
        self._said = [self._add(f"**You**: {question}"), self._add("")]
        self._answer = self._said[1]
        self.question.value = ""
        self._say("Waiting for the answer; esc stops it.")
        self.show_keys()

        def call() -> Chat | None:
            from services.llm.chat import Chat

            prepared, chat, wait = self._prepared(question), None, _FIRST
            for step in self._bench.asking.ask(prepared, self._registry(), cancel=cancel):
                if isinstance(step, Chat):
                    chat = step
                elif self._taken.take(step):
                    self.call_later(self._paint_soon)
                    cancel.wait(wait)
                    wait = 0.0
            return chat

        self.run_worker(lambda: self._work(call), name="answer", group="answer", thread=True)

    def _work(self, call: Callable[[], Chat | None]) -> None:
        try:
            chat, error = call(), None
        except CodeCortexError as failed:
            chat, error = None, failed
        self.call_later(self._ended, chat, error)

    def _paint_soon(self) -> None:
        """At once where nothing was painted lately; an eye follows no more than so many pictures a second."""
        wait = self._painted + self._pause - time.monotonic()
        if wait <= 0:
            self._paint()
        else:
            self.set_timer(wait, self._paint)

    def _paint(self) -> None:
        """Paint the text that arrived since the last time."""
        self._painted, used = time.monotonic(), time.thread_time()
        self._pause = min(max((used - self._used) / _SHARE, _PAUSES[0]), _PAUSES[1])
        self._used = used
        for kind, text in self._taken.given():
            if kind == "call":
                if self._answer is not None and not self._answer.source:
                    self._answer.remove()
                self.talk.mount(_folded(text))
                self._answer = None  # what comes after it is a part of its own
            elif self._answer is None:
                self._answer = self._add(text)
            else:
                self._answer.append(text)

    def _ended(self, chat: Chat | None, error: CodeCortexError | None) -> None:
        self._paint()
        self._cancel = None
        self.show_keys()
        if error is not None:
            self.say(notice_of(error))
            self._say(error.message)
            self._unask()
            kept = self._bench.asking.chats
            self.jobs.run("kept", lambda: kept.get("last"), self._keep, failed=lambda _: None)
        elif chat is not None:
            self._keep(chat)
            self._say_taken(chat)
            self._link()

    def _unask(self) -> None:
        """Put a question that got no word of an answer back into its box."""
        if not self._taken.any and not self.question.value:
            self.question.value = self._asked
            for each in self._said:
                each.remove()

    def _lead(self) -> None:
        """Show the effect of enter, with a model and without."""
        models = self._bench.asking.profiles
        self.jobs.run(
            "lead",
            lambda: bool(models().models),
            lambda any_model: self._say(with_keys(self, _LEAD if any_model else _LEAD_ALONE)),
        )

    def _keep(self, chat: Chat) -> None:
        self._chat = chat

    def _pasted(self, chat: Chat) -> None:
        self.editor.display = False
        self.question.value = ""
        self.question.focus()
        self._show(chat)

    def _show(self, chat: Chat) -> None:
        """A chat from its beginning."""
        self._chat = chat
        self.talk.remove_children()
        questions = iter(chat.questions)
        for message in chat.messages:
            if message.role == "user":
                self._add(f"**You**: {next(questions, message.content or '')}")
            elif message.role == "assistant" and message.content:
                self._answer = self._add(message.content)
        self._say_taken(chat)
        self._link()

    def _link(self) -> None:
        """Places that the last answer names, as links; those that are not there, marked."""
        from services.llm.citations import links

        shown = self._answer
        if shown is None or not shown.source:
            return
        answer, asking = shown.source, self._bench.asking

        def call() -> list[Citation]:
            return asking.cited(answer)

        def done(found: list[Citation]) -> None:
            self._cited = [each for each in found if each.target]
            made = links(answer, found, lambda target: _PLACE + quote(target))
            shown.replace(Replacement(*each) for each in made)

        self.jobs.run("link", call, done)

    def _edit(self, then: Callable[[str], None]) -> None:
        try:
            if self._chat is None:
                raise UsageError("Nothing was asked yet.")
            self._chat, question = self._chat.up_to_question()
        except UsageError as error:
            self._say(error.message)
            return
        then(question)

    def _add(self, text: str) -> AnswerView:
        shown = AnswerView(text)
        self.talk.mount(shown)
        return shown

    def _say(self, text: str) -> None:
        self.about.update(visible(text))

    def _say_taken(self, chat: Chat) -> None:
        today = self._bench.asking.spending.today()
        cost = f", {chat.cost:.4f} {chat.currency}" if chat.currency else ""
        self._say(
            f"{grouped(chat.sent)} tokens sent, {grouped(chat.received)} received{cost} in this chat; "
            f"{grouped(today.tokens)} today"
        )


class _Taken:
    """Part of an answer that a thread received and the screen has not painted yet."""

    def __init__(self) -> None:
        self.any = False
        """Whether anything was taken."""
        self._pieces: Guarded[list[tuple[str, str]]] = Guarded([])

    def take(self, step: object) -> bool:
        """Take a step; return whether to notify the screen: not while it has unpainted text already."""
        from services.llm.client import ToolAnswered
        from services.llm.values import TextPiece

        match step:
            case TextPiece(text):
                piece = ("text", text)
            case ToolAnswered(call, result):
                sign = "✗ " if result.is_error else ""
                piece = ("call", f"{sign}{call.function.name} {call.function.arguments}\n{result.content}")
            case _:
                return False
        with self._pieces as pieces:
            self.any = True
            pieces.append(piece)
            return len(pieces) == 1

    def given(self) -> list[tuple[str, str]]:
        """All of it, texts joined; nothing is left."""
        with self._pieces as pieces:
            taken = [*pieces]
            pieces.clear()
        made: list[tuple[str, str]] = []
        for kind, run in groupby(taken, key=lambda piece: piece[0]):
            texts = [text for _, text in run]
            made += [(kind, "".join(texts))] if kind == "text" else [(kind, text) for text in texts]
        return made


def _folded(text: str) -> Collapsible:
    """A tool call that opens to what the tool answered."""
    head, _, result = text.partition("\n")
    lines = result.split("\n")
    more = [f"… {len(lines) - _RESULT_LINES} more lines"] if len(lines) > _RESULT_LINES else []
    shown = "\n".join(lines[:_RESULT_LINES] + more)
    inner = Static(visible_lines(shown), markup=False)
    title = visible(head[:100]).replace("[", "\\[")
    return Collapsible(inner, title=title, collapsed=True)
