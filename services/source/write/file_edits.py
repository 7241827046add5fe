"""Edits of files that belong together, drafted before anything is written: one diff to look at, one atomic group,
one undo.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from services.errors import FileMissing, UsageError
from services.source.atomic.target import WriteTarget
from services.source.read.token import EMPTY, token_of
from services.source.text.edit import Edit, Edited, apply_edit, rewrite
from services.source.text.patch import FilePatch, MisfitError, apply_patch, misfit, parse_patch
from services.source.text.placeholder import refuse_placeholders
from services.source.write.admission import WriteAdmission
from services.source.write.draft import Admitted, WriteDraft
from services.workspace.text import Text, decode


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


def edited(
    admission: WriteAdmission, path: str, edit: Edit, *, token: str, handle: str, unchecked: bool = False
) -> tuple[WriteDraft, Edited]:
    """New lines in the place of old ones. `unchecked`: the token is not compared. Raises as WriteAdmission.admit and
    apply_edit."""

    def mine(text: Text) -> bytes:
        return apply_edit(text, edit, path=path).data

    if unchecked:
        base = admission.admit_unchecked(path)
    else:
        base = admission.admit(path, token, (edit.start, edit.end), handles=[handle], mine=mine)
    done = apply_edit(base.text or decode(b""), edit, path=path)
    return WriteDraft(admission.root.normalise(path), base, token, done.data, mine, done.same), done


def replaced(
    admission: WriteAdmission, path: str, content: str, *, token: str | None, handle: str
) -> WriteDraft:
    """Replace a whole text; equal lines retain their bytes. `token`: compared where there is one, for every line.
    Raises as WriteAdmission.admit and rewrite."""

    def mine(text: Text) -> bytes:
        return rewrite(text, content, path=path)

    if token is None:
        base = admission.admit_unchecked(path, whole=True)
    else:
        base = admission.admit(path, token, None, handles=[handle], mine=mine)
    return WriteDraft(admission.root.normalise(path), base, token, mine(base.text or decode(b"")), mine)


def patched(
    admission: WriteAdmission, diff: str, tokens: Mapping[str, str], handles: Sequence[str]
) -> list[WriteDraft]:
    """The files of a unified diff. `tokens`: by path, one for each file that is there.

    Raises UsageError for a patch that is refused, names a file twice or one without a token, VersionConflict where a
    hunk does not fit (`rebased`: where it would), FileMissing, and as WriteAdmission.admit."""
    expected = {admission.root.normalise(path): token for path, token in tokens.items()}
    drafts = [_patched(admission, patch, expected, handles) for patch in parse_patch(diff)]
    if len({draft.path for draft in drafts}) != len(drafts):
        raise UsageError("The patch changes one file under two names.")
    return drafts


def _patched(
    admission: WriteAdmission, patch: FilePatch, tokens: Mapping[str, str], handles: Sequence[str]
) -> WriteDraft:
    path = admission.root.normalise(patch.path)
    token = tokens.get(path, EMPTY if patch.creates else None)
    if token is None:
        raise UsageError(
            f"The patch changes {path}, for which no token was given. Read it and give the token of that read.",
            path=path,
        )

    def mine(text: Text) -> bytes | None:
        return apply_patch(text, patch)

    base = admission.admit(path, token, _touched(patch), handles=handles, mine=mine)
    text = base.text
    if text is None and not patch.creates:
        raise FileMissing(f"There is no file {path!r} to patch.", path=path, suggestions=[])
    try:
        return WriteDraft(path, base, token, apply_patch(text, patch), mine)
    except MisfitError as error:
        current = token if text is None else token_of(text.data, admission.current(path)[2])
        raise misfit(path, text, error, tokens=(token, current)) from error


def _touched(patch: FilePatch) -> tuple[int, int] | None:
    """The lines from the first hunk's to the last hunk's end, as the patch counts them."""
    first, last = patch.hunks[0], patch.hunks[-1]
    start = first.start if first.old else first.start + 1
    end = last.start + len(last.old) - 1 if last.old else last.start
    return (start, end)
