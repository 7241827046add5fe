"""What the patch editor asks of the services, over a real workspace: drafts, locks, writes and conflicts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from services.bench import Bench
from services.errors import FileMissing, LineOutOfRange, LockRequired
from services.model import Draft, MergeChoice
from services.source.journal.actor import Owner, acting
from tests.support.workspace import indexed
from widgets.text.code_edit import CodeEdit
from workbench.edits import patch_calls as calls
from workbench.edits.patch_calls import FREE, HeldLock

SOURCE = "class Tree\n{\n    int height;\n\n    void Grow()\n    {\n        height++;\n    }\n}\n"
GROW = "    void Grow()\n    {\n        height++;\n    }\n"
OTHER = Owner("claude", "s1")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, {"src/Tree.cs": SOURCE, "Two.cs": "class A { }\r\nclass B { }\r\n"}) as made:
        yield made


def begun(bench: Bench, target: str) -> Draft:
    return calls.begin(bench, target, after=lambda: None)[0]


def text(bench: Bench, file: str = "src/Tree.cs") -> str:
    return (Path(bench.root) / file).read_bytes().decode()


@pytest.mark.parametrize(
    ("target", "start", "lines"),
    [
        ("Tree.Grow", 5, GROW),
        ("src/Tree.cs:3-3", 3, "    int height;\n"),
        ("src/Tree.cs:7", 5, GROW),
        ("src/Tree.cs:1", 1, SOURCE),
        ("Two.cs:2-2", 2, "class B { }\r\n"),
        ("Two.cs", 1, "class A { }\r\nclass B { }\r\n"),
    ],
    ids=["member", "range", "line in a member", "line of a type", "CRLF", "file"],
)
def test_a_draft_is_begun_of_what_was_meant(bench: Bench, target: str, start: int, lines: str) -> None:
    draft = begun(bench, target)
    assert (draft.start, draft.text) == (start, lines)
    assert draft.end == start + lines.count("\n") - 1


@pytest.mark.parametrize(
    ("target", "error"), [("src/Tree.cs:99-100", LineOutOfRange), ("src/No.cs:1-2", FileMissing)]
)
def test_what_is_not_there_cannot_be_edited(bench: Bench, target: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        begun(bench, target)


def test_what_was_typed_and_not_written_comes_back_first_wherever_in_the_file_one_begins(
    bench: Bench,
) -> None:
    typed = replace(begun(bench, "Tree.Grow"), text="    void Grow() { }\n")
    draft, kept = calls.begin(bench, "src/Tree.cs:3-3", after=lambda: bench.patching.keep(typed))
    assert (draft.start, draft.text, kept) == (5, typed.text, True)
    assert calls.begin(bench, "Two.cs", after=lambda: None)[1] is False


ENDS = st.sampled_from(["\n", "\r\n"])
LINES = st.lists(
    st.text(st.sampled_from("a \t\x0c\x85\u2028\r"), max_size=3).map(lambda line: line.rstrip("\r")),
    min_size=1,
    max_size=5,
)


@given(LINES, ENDS, st.booleans(), st.data())
def test_a_draft_in_which_nobody_typed_has_not_changed(
    lines: list[str], ending: str, ended: bool, data: st.DataObject
) -> None:
    ended = ended or not lines[-1]  # an empty line without an ending would be no line
    base = ending.join(lines) + (ending if ended else "")
    start = data.draw(st.integers(1, len(lines)))
    end = data.draw(st.integers(start - 1, len(lines)))
    draft = Draft(file="A.cs", start=start, end=end, token="t", base=base, text="")
    shown = "".join(f"{line}{ending}" for line in lines[start - 1 : end])
    editor = CodeEdit()
    editor.load_code(shown if end < len(lines) or ended else shown.removesuffix(ending))
    assert editor.code == calls.lines_of(draft)


@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_lines_that_are_typed_amid_others_get_the_ends_of_their_file(bench: Bench, ending: str) -> None:
    path = Path(bench.root) / "Two.cs"
    path.write_bytes(f"class A {{ }}{ending}class B {{ }}{ending}".encode())
    draft = begun(bench, "Two.cs:1-1")
    held = calls.lock(bench, draft)
    applied = calls.apply(bench, replace(draft, text="class A { }\nclass C { }\n\n"), held)
    assert path.read_bytes().decode() == ending.join(["class A { }", "class C { }", "", "class B { }", ""])
    assert applied.said == "Two.cs:1-3 is written."
    following = applied.draft
    assert following is not None
    assert calls.apply(bench, following, held).said == "Two.cs:1-3 is already as you have it."


def test_a_lock_is_ours_while_it_is_held_and_free_afterwards(bench: Bench) -> None:
    draft = begun(bench, "Tree.Grow")
    assert calls.lock_of(bench, draft.file, FREE) == FREE
    held = calls.lock(bench, draft)
    assert (held.owner, held.is_mine) == ("yours", True)
    assert 0 < held.left <= held.ends - time.monotonic() + 1
    assert calls.unlock(bench, draft, held) == FREE
    assert calls.lock_of(bench, draft.file, held) == FREE, "a handle that was given back is nobody's"


def test_anothers_lock_is_told_by_its_owner_and_broken_only_when_asked(bench: Bench) -> None:
    draft = begun(bench, "Tree.Grow")
    with acting(OTHER):
        bench.writing.lock(draft.file, purpose="tidying")
    theirs = calls.lock_of(bench, draft.file, FREE)
    assert (theirs.is_mine, "claude" in theirs.owner) == (False, True)
    with pytest.raises(LockRequired):
        calls.lock(bench, draft)
    assert calls.break_lock(bench, draft).is_mine


def test_a_lock_that_would_soon_lapse_is_renewed_by_looking(bench: Bench) -> None:
    draft = begun(bench, "Tree.Grow")
    held = calls.lock(bench, draft)
    soon = HeldLock("yours", held.handle, time.monotonic() + calls.RENEW_BELOW / 2)
    _, fresh, now = calls.looked_at(bench, draft, soon)
    assert (fresh, now.is_mine) == (True, True)
    assert now.left > calls.RENEW_BELOW


def test_looking_says_whether_the_file_is_as_it_was_read(bench: Bench) -> None:
    draft = begun(bench, "Tree.Grow")
    assert calls.looked_at(bench, draft, FREE)[1:] == (True, FREE)
    (Path(bench.root) / draft.file).write_text(SOURCE.replace("height++", "height += 2"))
    same, fresh, _ = calls.looked_at(bench, draft, FREE)
    assert (fresh, same) == (False, draft)


@pytest.mark.parametrize(
    ("theirs", "choice", "written", "said"),
    [
        (
            "int height = 1;",
            MergeChoice.MINE,
            ("int height = 1;", "height += 3;"),
            "is written with both changes.",
        ),
        (
            "height += 2;",
            MergeChoice.MINE,
            ("int height;", "height += 3;"),
            "is written with your lines where",
        ),
        (
            "height += 2;",
            MergeChoice.THEIRS,
            ("int height;", "height += 2;"),
            "stays as it was changed elsewhere.",
        ),
    ],
    ids=["apart", "mine", "theirs"],
)
def test_where_a_file_has_changed_nothing_is_written_before_somebody_decides(
    bench: Bench, theirs: str, choice: MergeChoice, written: tuple[str, str], said: str
) -> None:
    draft = begun(bench, "Tree.Grow")
    held = calls.lock(bench, draft)
    typed = replace(draft, text=draft.text.replace("height++;", "height += 3;"))
    before = "height++;" if theirs.startswith("height") else "int height;"
    elsewhere = SOURCE.replace(before, theirs)
    (Path(bench.root) / draft.file).write_text(elsewhere)
    applied = calls.apply(bench, typed, held)
    assert (applied.draft, text(bench)) == (None, elsewhere)
    assert applied.conflict is not None
    resolved = calls.write_resolved(bench, applied.conflict, choice, held.handle)
    assert said in resolved.said
    assert all(each in text(bench) for each in written)


def test_of_one_file_one_draft_is_kept(bench: Bench) -> None:
    one, other = begun(bench, "Tree.Grow"), begun(bench, "src/Tree.cs:3-3")
    assert calls.name_of(one) == calls.name_of(other) != calls.name_of(begun(bench, "Two.cs"))


def test_a_lock_whose_lease_has_ended_has_no_time_left() -> None:
    assert HeldLock("yours", "h", time.monotonic() - 5).left == 0
    assert not FREE.is_mine
