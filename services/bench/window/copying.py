"""Handing the window over: checked against the disk, masked, put into a template, split, and remembered."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress

import msgspec
from msgspec.structs import replace

from services.bench.window.changes_since import Difference, difference_since, labels_of, placed, receipt_items
from services.bench.window.curation import Curation
from services.bench.window.models import Models
from services.errors import BudgetExceeded, ReadOnly, UsageError
from services.model import Level, Notice
from services.model.copies import AllowedRow, Copy, Receipt, ReceiptsAnswer, SecretRow, SecretsAnswer
from services.prompt import receipts
from services.prompt.items import CopyRequest
from services.prompt.receipts import LARGEST, HandedTexts, Part, Receipts, split
from services.prompt.render.content import in_one_line
from services.prompt.render.ladder import WindowOptions
from services.prompt.render.renderer import View
from services.prompt.render.shown import Rendering
from services.prompt.secrets.masking import Masker, Secret
from services.prompt.templates import Template, Templates
from services.settings.load import user_file_path
from services.workspace.state import StateFolder

_TRIES = 4
_MOST_FILES = 500
_OF_LINES = frozenset({Level.BODIES, Level.RANGE, Level.WHOLE})
_AGAIN_SHARE = 20
_TREE_SHARE = 33
"""One part in so many of the budget the tree of folders may take."""
_TREE_LINES = (120, 60, 30, 15, 8, 4)
"""The task is said again behind the window where it takes at most one part in so many of the budget."""
_NOTHING = (
    "Nothing is pinned, so nothing would be copied: what was opened lately is only listed. Pin it first, or set "
    "window.recents to copy."
)


class _Filled(msgspec.Struct, frozen=True):
    """A text that is ready, with the window in it."""

    text: str
    tokens: int
    rendering: Rendering
    secrets: tuple[Secret, ...]


class CopyOrigin(msgspec.Struct, frozen=True):
    """Source of a copy. `revision`: branch, commit and state, empty where there is none; `tree`: its folders,
    of so many lines, with the files that the window shows; `picture`: how the types of the window hang together."""

    name: str
    revision: Callable[[], str] = str
    tree: Callable[[Collection[str], int], str] = lambda _held, _most: ""
    picture: Callable[[], str] = str


class Copying:
    """Copies of the window of one workspace, and their receipts. Thread-safe."""

    def __init__(
        self,
        curation: Curation,
        models: Models,
        state: StateFolder,
        source: CopyOrigin,
        *,
        contents: Callable[[str], bytes | None] = lambda _: None,
    ) -> None:
        """Create the service. `contents`: the bytes of a file that may be sent to a model; None for a missing one."""
        self._curation = curation
        self._models = models
        self._source = source
        self._receipts = Receipts(state)
        self._handed = HandedTexts(state)
        self._contents = contents
        self._unkept = ""
        self.templates = Templates(state.shared, user_file_path().parent / "templates")

    def prepare(self, wanted: CopyRequest) -> Copy:
        """Return the text to copy without storing anything. The caller that delivers the text then has to call
        `keep` on the receipt to be stored.

        Raises UsageError (no such template or receipt, a line that no part holds, nothing changed), InvalidTemplate,
        BudgetExceeded where template and task leave no room for the window."""
        template = self.templates.load(wanted.template)
        options = self._models.options(wanted.model)
        self._curation.read_systems_again()
        state = self._curation.unchecked.state()
        if not state.pinned and not (options.recents and state.recent):
            raise UsageError(_NOTHING if state.recent else "The window is empty. Pin something first.")
        mask = self._curation.unchecked.vault.masker().allowing(wanted.allow)
        view = View(options=options, mask=mask, words=wanted.task)
        since = self._since(wanted, options.model)
        difference = None
        if since is not None:
            difference = difference_since(
                since, lambda only: self._curation.rendering(wanted.form, view=replace(view, only=only))
            )
            view = replace(view, only=difference.keys)
        filled = self._filled(template, wanted, view, difference)
        return self._copy(wanted, options, filled, difference)

    def keep(self, copy: Copy, delivered: Collection[int] | None = None) -> str:
        """Remember that a copy was handed over, or `delivered` of its parts, numbered from 1; why it is not, where that
        cannot be written: the text is what was wanted."""
        receipt = copy.receipt if delivered is None else receipts.of_parts(copy.receipt, delivered)
        try:
            self._receipts.keep(receipt)
            self._handed.prune({hash_ for each in self._receipts.list() for hash_ in each.files.values()})
        except ReadOnly as refused:
            self._unkept = (
                f"No receipt of the copy is kept: {refused.details.get('reason', refused.message)}."
            )
        else:
            self._unkept = ""
        return self._unkept

    def notices(self) -> tuple[Notice, ...]:
        """That the last copy is not remembered, where it is not."""
        if not self._unkept:
            return ()
        advice = (
            "The text is whole, but the next copy cannot hold only what changed since. Free space for it."
        )
        return (Notice(severity="warning", message=self._unkept, what_to_do=advice),)

    def receipts(self, limit: int) -> ReceiptsAnswer:
        """Return the receipts of copies, latest first."""
        return ReceiptsAnswer(receipts=self._receipts.list()[:limit])

    # Secrets

    def secrets(self) -> SecretsAnswer:
        """The likely secrets that the window shows, masked or let through, and those that are always let through."""
        made = self._curation.rendering()
        allowed = self._curation.unchecked.vault.allowed()
        return SecretsAnswer(
            secrets=_secret_rows(made),
            allowed=tuple(AllowedRow(code=each.code, kind=each.kind, where=each.where) for each in allowed),
        )

    def allow(self, code: str) -> SecretsAnswer:
        """Let a secret of the window through from now on. Raises UsageError where the window shows none of that code,
        ReadOnly."""
        made = self._curation.rendering()
        pairs = zip(_secret_rows(made), _secrets_of(made), strict=True)
        row, secret = next(((row, secret) for row, secret in pairs if row.code == code.upper()), (None, None))
        if row is None or secret is None:
            raise UsageError(f"The window shows no secret {code!r}. List them with `secrets`.", code=code)
        self._curation.unchecked.vault.allow(secret, f"{row.file or row.label}:{row.line}")
        return self.secrets()

    def forbid(self, code: str) -> SecretsAnswer:
        """Mask a secret again. Raises UsageError where none of that code is let through, ReadOnly."""
        if not self._curation.unchecked.vault.forbid(code.upper()):
            raise UsageError(f"No secret {code!r} is let through. List them with `secrets`.", code=code)
        return self.secrets()

    # Making the text

    def _filled(
        self, template: Template, wanted: CopyRequest, view: View, difference: Difference | None
    ) -> _Filled:
        """The template with as much of the window as leaves the whole within the budget."""
        options, mask = view.options or self._models.options(), view.mask or Masker(b"")
        values = {
            "task": wanted.task,
            "again": wanted.task if _is_short(wanted.task, options) else "",
            "tree": self._tree(options) if wanted.tree else "",
            "picture": _fenced(self._source.picture()) if wanted.picture else "",
            "model": options.model,
            "workspace": self._source.name,
            "about": _about(self._source) if wanted.form != "json" else "",
            "changes": _sentence(difference) if difference is not None else "",
        }
        frame = options.counter.count(mask.text(template.fill({**values, "window": "\n"})))
        taken = frame
        for _ in range(_TRIES):
            budget = replace(options.budget, reserve=options.budget.reserve + options.budget.high(taken))
            narrowed = replace(view, options=replace(options, budget=budget))
            made = self._curation.rendering(wanted.form, view=narrowed)
            whole = mask.mask(template.fill({**values, "window": made.window.text}))
            tokens = options.counter.count(whole.text)
            over = options.budget.high(tokens) + options.budget.reserve - options.budget.tokens
            if over <= 0 and (made.window.text or not made.window.items):
                return _Filled(whole.text, tokens, made, whole.secrets)
            taken += max(over, 0)
        raise BudgetExceeded(
            f"The template {wanted.template} and the task take {frame} of {options.budget.tokens} tokens. No "
            "room is left for the window. Shorten them or raise the budget.",
            needed=frame,
            free=0,
            budget=options.budget.tokens,
        )

    def _tree(self, options: WindowOptions) -> str:
        """Return the folders of the workspace, with what the window holds marked, in a small part of the budget."""
        curation = self._curation
        held = curation.content.files_of_all(curation.unchecked.requests())
        for most in _TREE_LINES:
            text = self._source.tree(held, most)
            if options.counter.count(text) * _TREE_SHARE <= options.budget.tokens:
                return text
        return ""

    def _copy(
        self, wanted: CopyRequest, options: WindowOptions, filled: _Filled, difference: Difference | None
    ) -> Copy:
        parts = self._parts(wanted, options, filled.text)
        id_, at = receipts.new_id(filled.text)
        budget, made = options.budget, filled.rendering
        receipt = Receipt(
            id=id_,
            at=at,
            model=options.model,
            tokens=filled.tokens,
            approximate=not options.counter.exact,
            format=wanted.form,
            template=wanted.template,
            parts=len(parts),
            hash=receipts.digest(filled.text),
            items=placed(receipt_items(made, difference), made, parts),
            since=difference.receipt.id if difference is not None else None,
            files=self._files(made),
        )
        return Copy(
            text=filled.text,
            parts=tuple(part.text for part in parts),
            tokens=filled.tokens,
            tokens_low=budget.low(filled.tokens),
            tokens_high=budget.high(filled.tokens),
            budget=budget.tokens,
            receipt=receipt,
            omitted=made.window.omitted,
            secrets=_secret_rows(made),
            changed=labels_of(made, difference.changed) if difference is not None else (),
            added=labels_of(made, difference.added) if difference is not None else (),
            gone=tuple(item.label for item in difference.gone) if difference is not None else (),
        )

    def _files(self, made: Rendering) -> dict[str, str]:
        """Return the files whose lines are shown, each with the hash under which its text is stored: an answer to
        the copy refers to that text. Where nothing can be written, nothing is stored."""
        shown = [each.file for each in made.shown if each.file is not None and each.level in _OF_LINES]
        found: dict[str, str] = {}
        with suppress(ReadOnly, OSError):
            for path in dict.fromkeys(shown[:_MOST_FILES]):
                data = self._contents(path)
                if data is not None and len(data) <= LARGEST:
                    found[path] = self._handed.keep(data)
        return found

    def _parts(self, wanted: CopyRequest, options: WindowOptions, text: str) -> tuple[Part, ...]:
        if wanted.part_tokens is None:
            return (Part(1, 1, "", text, ""),)

        def count(part: str) -> int:
            return options.budget.high(options.counter.count(part))

        return split(text, most=wanted.part_tokens, count=count, form=wanted.form)

    # What changed

    def _since(self, wanted: CopyRequest, model: str) -> Receipt | None:
        if wanted.since is not None:
            return self._receipts.find(wanted.since)
        if not wanted.changed:
            return None
        latest = self._receipts.latest(model)
        if latest is None:
            raise UsageError(f"Nothing was copied for {model} yet. Copy the whole window first.", model=model)
        return latest


def _fenced(picture: str) -> str:
    """A picture as Markdown has it; nothing of nothing."""
    return f"How the types below hang together:\n\n```mermaid\n{picture}```" if picture else ""


def _is_short(task: str, options: WindowOptions) -> bool:
    """Whether repeating the task leaves enough tokens for the window."""
    return options.counter.count(task) * _AGAIN_SHARE <= options.budget.tokens


def _about(source: CopyOrigin) -> str:
    """Return the introduction for the model: that there is more source, of which state, and how to request it."""
    revision = source.revision()
    state = f" It is of {in_one_line(revision)}." if revision else ""
    return (
        f"Below is a selection from the code base {in_one_line(source.name)}, not all of it.{state} "
        "Ask for more of it by name or id."
    )


def _sentence(difference: Difference) -> str:
    """For the model: what the text below is."""
    since = (
        f"Only what changed since what I gave you on {receipts.when(difference.receipt)}; the rest stands."
    )
    labels = ", ".join(in_one_line(item.label) for item in difference.gone)
    return f"{since} No longer part of it: {labels}." if labels else since


def _secrets_of(made: Rendering) -> list[Secret]:
    return [secret for shown in made.shown for secret in shown.secrets]


def _secret_rows(made: Rendering) -> tuple[SecretRow, ...]:
    labels = {item.key: item.label for item in made.window.items}
    return tuple(
        SecretRow(
            code=secret.code,
            kind=secret.kind,
            placeholder=secret.placeholder,
            masked=secret.masked,
            key=shown.key,
            label=labels[shown.key],
            line=secret.line + ((shown.start_line or 1) - 1 if shown.is_source else 0),
            file=shown.file if shown.is_source else None,
        )
        for shown in made.shown
        for secret in shown.secrets
    )
