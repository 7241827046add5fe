"""Choice of the window's model and its budget: recounted at once, stored for the workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.content import Content

from services.errors import CodeCortexError
from services.model import Window
from widgets.format.shorten import grouped, token_count
from widgets.lists.pick_list import PickList, PickRow
from workbench.dialogs.base import Key, bindings_of
from workbench.dialogs.listing import Listing, facts, paragraph, rounded, tokens_of
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.bench import Bench
    from services.model.copies import ModelRow
    from workbench.state.session import Session

BUDGETS = (8_000, 16_000, 32_000, 64_000, 128_000, 256_000)

Keep = Callable[[str, str], object]
"""Writes a setting to the person's file. Raises SettingsError."""


class ModelsScreen(Listing[None]):
    """Models on the left; `+` and `-` step through budgets."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("enter,space", "take", "take"),
        Key("b", "budget", "budget"),
        Key("plus,equals_sign", "step(1)", "more"),
        Key("minus", "step(-1)", "less"),
        Key("m", "other", "other"),
        Key("w", "write", "write to settings"),
        Key("x,delete", "reset", "undo"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("models", KEYS)

    def __init__(self, bench: Bench, session: Session, keep: Keep) -> None:
        super().__init__("Model and budget", empty="")
        self._bench = bench
        self._session = session
        self._keep = keep
        self._models: dict[str, ModelRow] = {}
        self._window: Window | None = None
        self._budget: int | None = None

    def read(self) -> None:
        """The models there are, and the window as it is counted now."""
        self.jobs.run("models", lambda: (self._bench.models.rows(), self._bench.window.render()), self._show)

    def about(self, row: PickRow) -> Content:
        """A model, how it counts, and the budgets there are."""
        model, window = self._models[row.value], self._window
        context = f"{grouped(model.context)} tokens" if model.context else "not known"
        counted = (
            "exactly"
            if model.exact
            else f"≈ o200k_base or like it × {model.factor:g}, within {model.band} % either way"
        )
        lines = facts(
            ("model", model.name),
            ("reads", context),
            ("tokenizer", model.tokenizer),
            ("counted", counted),
            (
                "formatting",
                f"{model.per_message} a message, {model.per_item} an item" if model.per_message else "",
            ),
            ("known from", model.source),
        )
        if window is None:
            return lines
        tokens = token_count(window.tokens, approximate=window.approximate)
        band = (
            f", {grouped(window.tokens_low or 0)} to {grouped(window.tokens_high or 0)}"
            if window.approximate
            else ""
        )
        budgets = "  ".join(
            f"[{rounded(each)}]" if each == window.budget else rounded(each) for each in self._steps()
        )
        now = [f"{window.model}: {tokens}{band} of {grouped(window.budget)} tokens", budgets]
        return lines + paragraph("Now", now)

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter takes a model."""
        event.stop()
        self.action_take()

    def action_take(self) -> None:
        """Count for the model under the cursor."""
        if self.current:
            self._choose(self.current, self._budget)

    def action_budget(self) -> None:
        """Type a budget."""

        def typed(text: str) -> None:
            tokens = tokens_of(text)
            if tokens is None:
                self.remark(f"{text!r} is no number of tokens: 12 800, 32k, 1m.")
            else:
                self._choose(self._model, tokens)

        self.ask(
            "Most tokens of the window, as in 32k",
            typed,
            value=str(self._window.budget if self._window else ""),
        )

    def action_step(self, steps: int) -> None:
        """The next larger budget, or the next smaller one."""
        if self._window is None:
            return
        now = self._window.budget
        ways = [each for each in self._steps() if (each > now if steps > 0 else each < now)]
        if ways:
            self._choose(self._model, min(ways) if steps > 0 else max(ways))

    def action_other(self) -> None:
        """Name a model that is not in the list."""

        def typed(name: str) -> None:
            if name and name.isprintable():
                self._choose(name, self._budget)

        self.ask("The name of a model; one that nobody knows is approximated", typed)

    def action_reset(self) -> None:
        """Reset to the settings."""
        self._choose(None, None)

    def action_write(self) -> None:
        """Save the choice to the person's settings, for every workspace."""
        window = self._window
        if window is None:
            return

        def write() -> None:
            self._keep("window.model", window.model)
            self._keep("window.budget", str(window.budget))

        def written(_: None) -> None:
            said = f"{window.model} and {grouped(window.budget)} tokens are your settings now."
            self.tell(said, "Other workspaces take them on their next start.")

        self.jobs.act("write", write, written, failed=self._refused)

    @property
    def _model(self) -> str | None:
        return self._window.model if self._window else None

    def _steps(self) -> list[int]:
        """The usual budgets and the one in force, up to what the model reads."""
        now = self._window.budget if self._window else 0
        context = next((row.context for row in self._models.values() if row.chosen), None)
        usual = [each for each in BUDGETS if not context or each < context]
        return sorted({*usual, now, *([context] if context else [])} - {0})

    def _choose(self, model: str | None, budget: int | None) -> None:
        bench = self._bench
        self._budget = budget

        def chosen(window: Window) -> None:
            if self.is_typing:
                self.answered()
            self._session.show_window(window)
            self.read()

        def choose() -> Window:
            bench.models.choose(model, budget)
            return bench.window.render()

        self.jobs.act("choose", choose, chosen, failed=self._refused)

    def _refused(self, error: Exception) -> None:
        if self.is_typing and isinstance(error, CodeCortexError):
            self.remark(error.message)
        else:
            self.say(notice_of(error))

    def _show(self, found: tuple[tuple[ModelRow, ...], Window]) -> None:
        rows, self._window = found
        before = next((row.name for row in self._models.values() if row.chosen), "")
        self._budget = self._bench.models.budget
        self._models = {row.name: row for row in rows}
        chosen = next((row.name for row in rows if row.chosen), "")
        # The chosen one would otherwise jump to the top under the cursor.
        ordered = sorted(rows, key=lambda row: (row.source == "program", row.name.lower()))
        self.set_rows([_row(row) for row in ordered], at=chosen if chosen != before else "")


def _row(row: ModelRow) -> PickRow:
    how = row.tokenizer if row.exact else f"≈ {row.tokenizer} ±{row.band} %"
    context = rounded(row.context) if row.context else "?"
    return PickRow(row.name, row.name, how, sign="●" if row.chosen else " ", tail=context)
