"""Construction of chats with models: their read access, and the masking of their answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from services.errors import CodeCortexError, UsageError

if TYPE_CHECKING:
    from services.bench.ask.asking import Asking
    from services.bench.bench import Bench
    from services.llm.tools.files import ToolFiles
    from services.model.copies import Copy
    from services.prompt.secrets.masking import Masker
    from services.prompt.state.known_secrets import KnownSecret


def asking(bench: Bench) -> Asking:
    """Chats with models about the window, and what they may read and run."""
    from services.bench.ask.asking import Asking, AskServices
    from services.llm.chats.spending import spending_file
    from services.llm.tools.files import ToolFiles

    def files() -> ToolFiles:
        masker = bench.vault.masker()
        return ToolFiles(bench.files, masker, ignored=bench.settings.agents.ignored_files)

    def hide(text: str, of: list[str]) -> str:
        known = tuple(secret for file in of for secret in bench.content.known_in(file))
        masker = bench.vault.masker()
        return masker.text(_without_pieces(text, known, masker), known)

    def lines(path: str) -> int | None:
        try:
            return len(files().text(path).lines)
        except CodeCortexError:
            return None

    services = AskServices(
        state=bench.state,
        window=lambda question: _window(bench, question),
        mask=bench.masked,
        hide=hide,
        count=lambda model, text: bench.models.options(model or None).counter.count(text),
        lines=lines,
        symbol=lambda path: _symbol(bench, path),
        files=files,
        spending_file=spending_file(),
    )
    return Asking(services)


_BEFORE_LINE = re.compile(r"(?:[^\n:]{1,400}:)?(?:[0-9]+[:-])?")
_PIECE = 3


def _without_pieces(text: str, known: Sequence[KnownSecret], masker: Masker) -> str:
    """Remove lines that are a fragment of a secret, as `grep -o` and `head -c` print; a short one only next to
    others."""
    if not known:
        return text
    lines = text.split("\n")
    parted = [(before, line[len(before) :]) for line in lines for before in (_before_line(line),)]
    of = [_secret_of(piece.strip(), known) for _, piece in parted]
    for at, ((before, piece), secret) in enumerate(zip(parted, of, strict=True)):
        if secret is not None and (
            len(piece) >= _PIECE or any(of[max(0, at - 1) : at] + of[at + 1 : at + 2])
        ):
            lines[at] = before + masker.text(secret.value, (secret,)).partition("\n")[0]
    return "\n".join(lines)


def _before_line(line: str) -> str:
    match = _BEFORE_LINE.match(line)
    return match[0] if match is not None else ""


def _secret_of(piece: str, known: Sequence[KnownSecret]) -> KnownSecret | None:
    return next((each for each in known if piece in each.value), None) if piece else None


def _window(bench: Bench, question: str) -> Copy | None:
    """The window as it would be copied for a question; None where nothing is in it."""
    from services.prompt.state.items import CopyRequest

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
