"""Texts of SAP objects that were typed or written in this session of the workbench."""

from __future__ import annotations

from typing import NamedTuple

from services.model.source import SourceRange
from services.model.writes import WriteAnswer
from services.source.read.token import parse_token
from services.source.text.differ import merge


class SystemDraft(NamedTuple):
    """A text that was typed and not written, and the source that it was typed into."""

    source: SourceRange
    text: str


class SystemEdits:
    """By name of the object: `drafts`; `before`: the text before the last write, with that write; `transports`: the
    request in which changes are recorded."""

    def __init__(self) -> None:
        self.drafts: dict[str, SystemDraft] = {}
        self.before: dict[str, tuple[str, WriteAnswer]] = {}
        self.transports: dict[str, str] = {}

    def continued(self, name: str, source: SourceRange) -> tuple[str, str]:
        """Return the text to go on with and a sentence about it: the source, or a draft of it. What has changed in the
        system since the draft was typed is merged into it; where both changed the same lines, the typed ones stand
        as comments before the system's."""
        draft = self.drafts.get(name)
        if draft is None:
            return source.content, ""
        if parse_token(draft.source.token).digest == parse_token(source.token).digest:
            return draft.text, "This is what you typed the last time."
        base, mine, theirs = (
            each.splitlines(keepends=True) for each in (draft.source.content, draft.text, source.content)
        )
        found = merge(base, mine, theirs)
        lines = list(found.lines)
        sign = "//" if source.object_type.startswith("DDLS") else "*"
        for conflict in reversed(found.conflicts):
            lines[conflict.merged_at : conflict.merged_at] = [
                f"{sign} yours: {each}" for each in conflict.mine
            ]
        said = "It has changed since you typed this; both changes are here."
        if found.conflicts:
            said = f"It has changed since you typed this, in the same lines too: look for {sign} yours:"
        return "".join(lines), said
