"""What asking needs, taken from a workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from services.bench.ask.asking import AskServices
from services.errors import CodeCortexError, UsageError
from services.llm.chats.spending import spending_file
from services.llm.tools.files import ToolFiles
from services.prompt.state.items import CopyRequest
from services.workspace.files.root import Root

if TYPE_CHECKING:
    from services.bench.bench import Bench
    from services.model.copies import Copy


def services_of(bench: Bench, root: Root) -> AskServices:
    """That of a workspace, below its root."""

    def files() -> ToolFiles:
        masker = bench.window.kept.vault.masker()
        return ToolFiles(root, masker, ignored=bench.settings.agents.ignored_files)

    def lines(path: str) -> int | None:
        try:
            return len(files().text(path).lines)
        except CodeCortexError:
            return None

    return AskServices(
        state=bench.state,
        window=lambda question: _window(bench, question),
        mask=lambda text: bench.window.kept.vault.masker().text(text),
        count=lambda model, text: bench.models.options(model or None).counter.count(text),
        lines=lines,
        symbol=lambda path: _symbol(bench, path),
        files=files,
        spending_file=spending_file(),
    )


def _window(bench: Bench, question: str) -> Copy | None:
    """The window as it would be copied for a question; None where nothing is in it."""
    settings = bench.settings.window
    if bench.window.is_empty:
        return None
    try:
        return bench.copying.prepare(
            CopyRequest(form=settings.format, template=settings.template, task=question)
        )
    except UsageError:  # what is in it is only listed, and not copied
        return None


def _symbol(bench: Bench, path: str) -> str | None:
    """The id of what a path surely names."""
    try:
        answer = bench.lookup.resolve(path)
    except CodeCortexError:
        return None
    found = answer.resolved
    if found is None or answer.how == "fuzzy":
        return None
    return found.member_id or found.type_id
