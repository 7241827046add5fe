"""Edits of whole files that belong together: one diff to look at, one atomic group, one undo."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from services.errors import UsageError
from services.source.atomic.target import WriteTarget
from services.source.read.token import EMPTY, token_of
from services.source.text.placeholder import refuse_placeholders
from services.source.write.admission import WriteAdmission
from services.source.write.draft import Admitted, WriteDraft
from services.workspace.text import Text


class FileEdit(msgspec.Struct, frozen=True):
    """New bytes for a file. `before`: the text they were made from, None for a file that is to be made; `after`: None
    where the file is to go. A move is one edit that takes a file away and one that makes it elsewhere."""

    path: str
    before: Text | None
    after: bytes | None


def drafts_of(admission: WriteAdmission, edits: Sequence[FileEdit]) -> list[WriteDraft]:
    """The edits as drafts, in their order, without those that change nothing.

    Raises VersionConflict where a file is no longer what it was `before`, UsageError where a file is named twice or
    would hold the mark of a masked secret, PathRefused, ReadOnly, NotText."""
    drafts = [_draft(admission, edit) for edit in edits]
    drafts = [draft for draft in drafts if draft.new != (draft.text.data if draft.text else None)]
    paths = [draft.path for draft in drafts]
    for path in paths:
        if paths.count(path) > 1:
            raise UsageError(f"{path} would be written twice.", path=path)
    return drafts


def _draft(admission: WriteAdmission, edit: FileEdit) -> WriteDraft:
    path, text, mtime_ns = admission.current(edit.path)
    before = None if edit.before is None else edit.before.data
    if before != (None if text is None else text.data):
        base = edit.before
        expected = EMPTY if before is None else token_of(before, 0)
        raise admission.conflict(
            path, text, mtime_ns, expected=expected, base=base, mine=lambda _: edit.after
        )
    if text is not None:
        with WriteTarget.hold(admission.root, path) as target:
            target.writable()
    known = admission.known(path, text) if text is not None else ()
    draft = WriteDraft(path, Admitted(text, known), None, edit.after)
    if draft.after is not None:
        refuse_placeholders(path, text, draft.after, draft.same)
    return draft
