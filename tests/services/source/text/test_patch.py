"""Unified diffs: strict, all files or none, never relocated silently."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import LockRequired, PathRefused, UsageError, VersionConflict
from services.source.text.patch import parse_patch
from tests.support.writing import ME, YOU, Place

GOOD = "--- a/a.cs\n+++ b/a.cs\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path)
    place.put("a.cs", b"one\r\ntwo\r\nthree\r\n")
    place.put("b.cs", b"eins\n")
    yield place
    place.close()


def apply(place: Place, diff: str, *names: str) -> list[str]:
    handle = place.writer.lock("all", [*names], ME).lock_handle or ""
    try:
        tokens = {name: place.token(name) for name in names if (place.folder / name).exists()}
        return [file.file for file in place.writer.patch(diff, tokens, [handle], owner=ME).files]
    finally:
        place.writer.unlock(handle)


def test_a_diff_with_lf_fits_a_file_with_crlf(place: Place) -> None:
    assert apply(place, GOOD, "a.cs") == ["a.cs"]
    assert place.bytes("a.cs") == b"one\r\nTWO\r\nthree\r\n"


def test_several_files_and_a_new_one_are_written_as_one_and_undone_as_one(place: Place) -> None:
    diff = (
        GOOD
        + "--- a/b.cs\n+++ b/b.cs\n@@ -1 +1 @@\n-eins\n+EINS\n--- /dev/null\n+++ b/n.cs\n@@ -0,0 +1 @@\n+n\n"
    )
    assert apply(place, diff, "a.cs", "b.cs", "n.cs") == ["a.cs", "b.cs", "n.cs"]
    assert (place.bytes("b.cs"), place.bytes("n.cs")) == (b"EINS\n", b"n\n")
    assert len(place.writer.history(None).entries) == 1
    place.writer.undo("b.cs", ME)
    assert place.bytes("a.cs") == b"one\r\ntwo\r\nthree\r\n"
    assert not (place.folder / "n.cs").exists()
    place.writer.redo(None, ME)
    assert (place.bytes("b.cs"), place.bytes("n.cs")) == (b"EINS\n", b"n\n")


def test_one_file_that_does_not_fit_keeps_all_as_they_were(place: Place) -> None:
    diff = GOOD + "--- a/b.cs\n+++ b/b.cs\n@@ -1 +1 @@\n-zwei\n+ZWEI\n"
    with pytest.raises(VersionConflict, match=r"^Nothing was written\."):
        apply(place, diff, "a.cs", "b.cs")
    assert (place.bytes("a.cs"), place.bytes("b.cs")) == (b"one\r\ntwo\r\nthree\r\n", b"eins\n")


def test_every_file_needs_its_own_lock_and_token(place: Place) -> None:
    place.lock("b.cs", YOU)
    handle = place.lock("a.cs")
    diff = GOOD + "--- a/b.cs\n+++ b/b.cs\n@@ -1 +1 @@\n-eins\n+EINS\n"
    tokens = {"a.cs": place.token("a.cs"), "b.cs": place.token("b.cs")}
    with pytest.raises(LockRequired, match=r"^Nothing was written\."):
        place.writer.patch(diff, tokens, [handle], owner=ME)
    with pytest.raises(UsageError, match="no token"):
        place.writer.patch(GOOD, {}, [handle], owner=ME)
    assert place.bytes("a.cs") == b"one\r\ntwo\r\nthree\r\n"


def test_a_hunk_that_fits_elsewhere_is_offered_and_not_moved(place: Place) -> None:
    place.put("a.cs", b"new\r\none\r\ntwo\r\nthree\r\n")
    with pytest.raises(VersionConflict, match="fit elsewhere") as caught:
        apply(place, GOOD, "a.cs")
    assert place.bytes("a.cs") == b"new\r\none\r\ntwo\r\nthree\r\n"
    apply(place, caught.value.details["rebased"], "a.cs")
    assert place.bytes("a.cs") == b"new\r\none\r\nTWO\r\nthree\r\n"


def test_a_patch_of_the_text_as_it_is_now_with_an_earlier_token_is_a_conflict(place: Place) -> None:
    before = place.token("a.cs")
    place.edit("a.cs", 2, 2, "zwei\n")
    diff = GOOD.replace("-two", "-zwei")
    with pytest.raises(VersionConflict, match=r"^Nothing was written\.") as caught:
        place.writer.patch(diff, {"a.cs": before}, [place.lock("a.cs")], owner=ME)
    assert caught.value.details["currentToken"] == place.token("a.cs")
    assert not {"rebased", "hunks"} & caught.value.details.keys()


def test_a_hunk_that_fits_in_two_places_is_not_offered(place: Place) -> None:
    place.put("a.cs", b"x\none\ntwo\nthree\none\ntwo\nthree\n")
    with pytest.raises(VersionConflict) as caught:
        apply(place, GOOD, "a.cs")
    assert "rebased" not in caught.value.details


DELETED = "--- a/a.cs\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n"


def test_a_file_that_a_diff_deletes_goes_and_comes_back_with_an_undo(place: Place) -> None:
    diff = f"diff --git a/a.cs b/a.cs\ndeleted file mode 100644\nindex 1..0\n{DELETED}"
    assert apply(place, diff, "a.cs") == ["a.cs"]
    assert not (place.folder / "a.cs").exists()
    place.writer.undo(None, ME)
    assert place.bytes("a.cs") == b"one\r\ntwo\r\nthree\r\n"


def test_a_deletion_answers_its_diff_and_no_token(place: Place) -> None:
    handle, tokens = place.lock("a.cs"), {"a.cs": place.token("a.cs")}
    for rehearse in (True, False):
        (file,) = place.writer.patch(DELETED, tokens, [handle], owner=ME, rehearse=rehearse).files
        assert (file.token, file.line_count) == (None, 0)
        assert "+++ /dev/null" in file.diff
        assert file.diff.count("\n-") == 3
        assert (place.folder / "a.cs").exists() is rehearse


@pytest.mark.parametrize("now", [b"one\ntwo\nthree\nfour\n", b"one\n2\nthree\n", b"zero\none\ntwo\nthree\n"])
def test_a_file_that_is_more_or_other_than_the_diff_deletes_stays(place: Place, now: bytes) -> None:
    place.put("a.cs", now)
    with pytest.raises(VersionConflict, match=r"^Nothing was written\.") as caught:
        apply(place, DELETED, "a.cs")
    assert "rebased" not in caught.value.details
    assert place.bytes("a.cs") == now


def test_a_file_that_changed_since_it_was_read_is_not_deleted(place: Place) -> None:
    handle, tokens = place.lock("a.cs"), {"a.cs": place.token("a.cs")}
    place.put("a.cs", b"one\ntwo\nthree and more\n")
    with pytest.raises(VersionConflict) as caught:
        place.writer.patch(DELETED, tokens, [handle], owner=ME)
    assert "rebased" not in caught.value.details
    assert place.bytes("a.cs") == b"one\ntwo\nthree and more\n"


def test_a_mailed_patch_is_read_up_to_its_signature(place: Place) -> None:
    mail = (
        f"From 1234 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n---\n a.cs | 2 +-\n\n{GOOD}-- \n2.39.0\n\n"
    )
    second = f"From 5678 Mon Sep 17 00:00:00 2001\nSubject: y\n\n{GOOD.replace('a.cs', 'c.cs')}-- \n2.39.0\n"
    assert [patch.path for patch in parse_patch(mail)] == ["a.cs"]
    assert [patch.path for patch in parse_patch(mail + second)] == ["a.cs", "c.cs"]
    assert apply(place, mail, "a.cs") == ["a.cs"]


def test_what_git_mails_is_understood(place: Place) -> None:
    def git(*words: str) -> str:
        name = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "core.autocrlf=false")
        return subprocess.run(
            ["git", *name, *words], check=True, cwd=place.folder, capture_output=True, text=True
        ).stdout

    git("init", "-q")
    place.put("näme \t1.cs", b"eins\n")
    git("add", "b.cs", "näme \t1.cs")
    git("commit", "-qm", "one")
    (place.folder / "b.cs").unlink()
    place.put("näme \t1.cs", b"zwei\n")
    git("add", "-A", "b.cs", "näme \t1.cs")
    git("commit", "-qm", "two")
    mail = git("format-patch", "-1", "--stdout")
    git("reset", "-q", "--hard", "HEAD~1")
    assert apply(place, mail, "b.cs", "näme \t1.cs") == ["b.cs", "näme \t1.cs"]
    assert place.bytes("näme \t1.cs") == b"zwei\n"
    assert not (place.folder / "b.cs").exists()


STATES = {
    "gone.cs": (b"", None),
    "new.cs": (None, b""),
    "emptied.cs": (b"one\ntwo", b""),
    "filled.cs": (b"", b"one\n"),
    "of two words.cs": (None, b""),
    "n\u00e4me.cs": (b"", None),
    "s b/s.cs": (None, b""),
}
"""Files of which one side is empty, before and after; None for none."""


@pytest.mark.parametrize("words", [("diff", "HEAD~1"), ("format-patch", "-1", "--stdout")])
def test_empty_files_come_go_are_emptied_and_filled(place: Place, words: tuple[str, ...]) -> None:
    def git(*words: str) -> str:
        name = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "core.autocrlf=false")
        done = subprocess.run(["git", *name, *words], check=True, cwd=place.folder, capture_output=True)
        return done.stdout.decode()

    def put(at: int) -> None:
        for path, states in STATES.items():
            (place.folder / path).unlink(missing_ok=True)
            if (data := states[at]) is not None:
                (place.folder / path).parent.mkdir(exist_ok=True)
                place.put(path, data)

    def bytes_of(path: str) -> bytes | None:
        return place.bytes(path) if (place.folder / path).exists() else None

    git("init", "-q")
    put(0)
    git("add", *(path for path, (before, _) in STATES.items() if before is not None))
    git("commit", "-qm", "one")
    put(1)
    git("add", "-A", *STATES)
    git("commit", "-qm", "two")
    diff = git(*words, "--no-renames")
    git("reset", "-q", "--hard", "HEAD~1")
    assert sorted(apply(place, diff, *STATES)) == sorted(STATES)
    assert {path: bytes_of(path) for path in STATES} == {path: after for path, (_, after) in STATES.items()}
    place.writer.undo(None, ME)
    assert {path: bytes_of(path) for path in STATES} == {path: was for path, (was, _) in STATES.items()}


@pytest.mark.parametrize("word", ["new", "deleted"])
def test_a_file_of_which_a_diff_knows_no_lines_stays_where_it_has_some(place: Place, word: str) -> None:
    diff = f"diff --git a/a.cs b/a.cs\n{word} file mode 100644\nindex 0000000..e69de29\n"
    with pytest.raises(VersionConflict, match=r"^Nothing was written\."):
        apply(place, diff, "a.cs")
    assert place.bytes("a.cs") == b"one\r\ntwo\r\nthree\r\n"


@pytest.mark.parametrize("fence", ["```", "````", "~~~"])
def test_a_diff_in_a_fence_is_read_without_the_words_around_it(place: Place, fence: str) -> None:
    other = GOOD.replace("a.cs", "c.cs")
    answer = f"Here it is:\n\n{fence}diff\n{GOOD}{fence}\n\nAnd then\n{fence}diff\n{other}{fence}\nDone.\n"
    assert [patch.path for patch in parse_patch(answer)] == ["a.cs", "c.cs"]
    assert apply(place, f"{fence}diff\n{GOOD}{fence}\n", "a.cs") == ["a.cs"]


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ('"a/\\303\\244.cs"', "ä.cs"),
        ('"a/a \\"b\\".cs"', 'a "b".cs'),
        ('"a/a\\\\b.cs"', "a\\b.cs"),
        ('"a/tab\\there.cs"', "tab\there.cs"),
        ('"a/q.cs"\t2026-01-01', "q.cs"),
    ],
)
def test_a_path_in_quotes_is_read_as_git_means_it(written: str, path: str) -> None:
    (patch,) = parse_patch(f"--- {written}\n+++ {written.replace('a/', 'b/', 1)}\n@@ -1 +1 @@\n-a\n+b\n")
    assert patch.path == path


@pytest.mark.parametrize(
    ("diff", "reason"),
    [
        ("diff --git a/a.cs b/a.cs\nold mode 100644\nnew mode 100755\n", "mode"),
        ("diff --git a/a.cs b/c.cs\nsimilarity index 100%\nrename from a.cs\nrename to c.cs\n", "renames"),
        ("diff --git a/a.cs b/c.cs\nrename from a.cs\nrename to c.cs\n", "renames"),
        ("diff --git a/a.cs b/c.cs\ncopy from a.cs\ncopy to c.cs\n", "copies"),
        ("--- a/a.cs\n+++ b/c.cs\n@@ -1 +1 @@\n-a\n+b\n", "renames"),
        (
            "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n",
            "symbolic",
        ),
        ("diff --git a/l b/l\nindex 1..2 120000\n--- a/l\n+++ b/l\n@@ -1 +1 @@\n-a\n+b\n", "symbolic"),
        ("diff --git a/a.cs b/a.cs\nindex 1..2 100644\n", "without a change"),
        ("diff --git a/a.cs b/c.cs\nnew file mode 100644\n", "one file twice"),
        ("diff --git a/a.cs b/a.cs\nGIT binary patch\nliteral 0\n", "binary"),
        ("Binary files a/a.cs and b/a.cs differ\n", "binary"),
        ("diff --cc a.cs\n--- a/a.cs\n+++ b/a.cs\n@@@ -1,1 -1,1 +1,1 @@@\n", "combined"),
        ("--- a/a.cs\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "no new lines"),
        ("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "names no file"),
        (
            "diff --git a/l b/l\ndeleted file mode 120000\n--- a/l\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
            "symbolic",
        ),
        ("--- a/a.cs\n+++ b/a.cs\n@@ -1,3 +1,3 @@\n one\n", "ends within"),
        ("--- a/a.cs\n+++ b/a.cs\n@@ -1 +1 @@\n-a\n+b\ngarbage\n", "no hunk"),
        ("--- a/a.cs\n+++ b/a.cs\n@@ -1 +1 @@\n-a\n+b\n+c\n", "no hunk"),
        ("--- a/a.cs\n+++ b/a.cs\n@@ -x +1 @@\n-a\n+b\n", "begins like"),
        ("--- a/a.cs\n+++ b/a.cs\n@@ -1 +1 @@\n*a\n+b\n", "begins with"),
        ("--- a/a.cs\n+++ b/a.cs\n", "no hunk"),
        ("--- a/a.cs\nrubbish\n", "must follow"),
        ("@@ -1 +1 @@\n-a\n+b\n", "before the name"),
        ("hello\n", "no diff"),
        ("", "no diff"),
        (GOOD + GOOD, "twice"),
        (GOOD + "@@ -1 +1 @@\n-one\n+x\n", "out of order"),
        ('--- "a/\\303\\244.cs\n+++ b/a.cs\n@@ -1 +1 @@\n-a\n+b\n', "quoted path is damaged"),
        ('--- "a/\\303.cs"\n+++ b/a.cs\n@@ -1 +1 @@\n-a\n+b\n', "quoted path is damaged"),
        ('--- "a/\\q.cs"\n+++ b/a.cs\n@@ -1 +1 @@\n-a\n+b\n', "quoted path is damaged"),
        (f"```diff\n{GOOD}rubbish\n```\n", "no hunk"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_line(place: Place, diff: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as caught:
        apply(place, diff, "a.cs")
    assert caught.value.message.startswith("Nothing was written. The patch was refused at its line ")
    assert caught.value.details["line"] >= 0
    assert place.bytes("a.cs") == b"one\r\ntwo\r\nthree\r\n"


@pytest.mark.parametrize(
    "name", ["../x.cs", "/etc/passwd", ".git/config", "sub/../../x.cs", ".context/index.db"]
)
def test_paths_in_a_patch_stay_inside(place: Place, name: str) -> None:
    diff = f"--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n"
    with pytest.raises(PathRefused, match=r"^Nothing was written\."):
        place.writer.patch(diff, {}, ["h"], owner=ME)


def test_a_link_in_the_way_of_a_patch_is_refused(place: Place) -> None:
    (place.folder / "link.cs").symlink_to("a.cs")
    with pytest.raises(PathRefused, match="symbolic link"):
        place.writer.patch(GOOD.replace("a.cs", "link.cs"), {"link.cs": place.token("a.cs")}, ["h"], owner=ME)
    assert place.bytes("a.cs") == b"one\r\ntwo\r\nthree\r\n"


@given(st.text(max_size=200))
def test_no_text_makes_the_parser_do_anything_but_refuse_or_answer(text: str) -> None:
    try:
        assert parse_patch(text)
    except UsageError as error:
        assert error.details["line"] >= 0


@given(
    st.lists(
        st.sampled_from([*GOOD.splitlines(), "@@ -0,0 +1 @@", "\\ No newline at end of file", "", "+", "-"]),
        max_size=9,
    )
)
def test_no_mixture_of_lines_does(lines: list[str]) -> None:
    try:
        assert parse_patch("\n".join(lines))
    except UsageError as error:
        assert error.details["line"] >= 0


LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=9)


@pytest.mark.parametrize("seed", range(12))
def test_what_git_diff_writes_is_applied_to_what_git_had(place: Place, seed: int) -> None:
    old = "".join(f"{number * seed % 7}\n" for number in range(40)) + ("end" if seed % 2 else "")
    new = old.replace("3\n", "three\n\n", 2).replace("5\n", "", 1) + ("" if seed % 3 else "more\n")
    place.put("old.cs", old.encode())
    place.put("a.cs", new.encode())
    diff = subprocess.run(
        ["git", "diff", "--no-index", "old.cs", "a.cs"],
        check=False,
        cwd=place.folder,
        capture_output=True,
        text=True,
    ).stdout
    if not diff:
        return
    diff = diff.replace("a/old.cs", "a/a.cs")
    place.put("a.cs", old.encode())
    apply(place, diff, "a.cs")
    assert place.bytes("a.cs") == new.encode()
