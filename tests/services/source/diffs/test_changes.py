"""Change sets of a repository: which files differ, and every line with the numbers it has."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import WorkspaceError
from services.model import ChangeSet, FileChange
from services.source.diffs import changes
from services.source.diffs.changes import ChangeSets
from services.source.diffs.hunks import counts_of, emphasis, hunks_of
from services.source.diffs.listing import DiffScope
from services.workspace.files.root import Root

BEFORE = "".join(f"line {n}\n" for n in range(1, 41))


class Repository:
    """A folder under git. `changes`: what is compared in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "-q", "-b", "trunk", ".")
        self.changes = ChangeSets(Root.open(folder))

    def git(self, *arguments: str) -> str:
        who = ("-c", "user.name=n", "-c", "user.email=e@example.org")
        done = subprocess.run(
            ["git", *who, *arguments], cwd=self.folder, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def write(self, path: str, text: str | bytes) -> None:
        where = self.folder / path
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_bytes(text if isinstance(text, bytes) else text.encode())

    def commit(self, message: str = "m") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    folder = tmp_path / "repository"
    folder.mkdir()
    made = Repository(folder)
    made.write("A.cs", BEFORE)
    made.write("B.cs", "b\n" * 5)
    made.write("C.cs", "".join(f"c{n}\n" for n in range(9)))
    made.commit("first")
    yield made


def _files(found: ChangeSet) -> dict[str, tuple[str, int | None, int | None]]:
    return {file.path: (file.status, file.added, file.deleted) for file in found.files}


def _edit(repository: Repository) -> None:
    repository.write("A.cs", BEFORE.replace("line 20\n", "line twenty\n"))
    (repository.folder / "B.cs").unlink()
    (repository.folder / "C.cs").rename(repository.folder / "D.cs")
    repository.write("new/E.cs", "e\n")
    repository.write("F.bin", b"\0\1")


def test_the_working_tree_shows_every_kind_of_change(repository: Repository) -> None:
    _edit(repository)
    found = repository.changes.read()
    assert _files(found) == {
        "A.cs": ("modified", 1, 1),
        "B.cs": ("deleted", 0, 5),
        "D.cs": ("renamed", 0, 0),
        "F.bin": ("untracked", None, None),
        "new/E.cs": ("untracked", 1, 0),
    }
    assert next(file for file in found.files if file.path == "D.cs").old_path == "C.cs"
    assert next(file for file in found.files if file.path == "F.bin").binary


def test_a_commit_and_a_range_show_what_the_working_tree_showed(repository: Repository) -> None:
    first = repository.git("rev-parse", "HEAD")
    _edit(repository)
    second = repository.commit("second")
    shown = _files(repository.changes.read(DiffScope.parse(second)))
    assert shown["A.cs"] == ("modified", 1, 1)
    assert shown["D.cs"] == ("renamed", 0, 0)
    assert shown["F.bin"] == ("added", None, None)
    assert _files(repository.changes.read(DiffScope.parse(f"{first}..{second}"))) == shown
    assert _files(repository.changes.read(DiffScope.parse(f"{first}.."))) == shown
    assert repository.changes.read().files == ()


@pytest.mark.parametrize("most", [64_000_000, 10])
def test_the_files_of_a_commit_are_asked_for_at_once(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    _edit(repository)
    repository.commit()
    monkeypatch.setattr(changes, "_MOST_BYTES", most)
    asked: list[tuple[str, ...]] = []
    run = changes.git.run
    monkeypatch.setattr(
        changes.git, "run", lambda root, words, **more: asked.append(words) or run(root, words, **more)
    )
    found = repository.changes.read(DiffScope.parse("HEAD~1..HEAD"))
    at_once = len(asked)
    # The commits, the files with their counts, how large they are, and what they hold.
    assert [words[0] for words in asked] == ["cat-file", "diff-tree", "cat-file", "cat-file"]
    shown = {file.path: len(repository.changes.hunks(file)) for file in found.files}
    assert shown == {"A.cs": 1, "B.cs": 1, "D.cs": 0, "F.bin": 0, "new/E.cs": 1}
    # What there is no room for is asked for when it is looked at.
    assert (len(asked) == at_once) == (most > 10)


def test_a_moved_file_has_its_counts_whatever_it_is_called(repository: Repository) -> None:
    repository.write(":a.txt", "a\nb\nc\nd\n")
    repository.write("1\t2\tb.txt", "a\n")
    repository.commit()
    repository.git("mv", "./:a.txt", ":100644 b.txt")
    repository.write(":100644 b.txt", "a\nb\nc\ne\n")
    repository.write("1\t2\tb.txt", "a\nb\n")
    repository.commit()
    shown = _files(repository.changes.read(DiffScope.parse("HEAD")))
    assert shown == {"1\t2\tb.txt": ("modified", 1, 0), ":100644 b.txt": ("renamed", 1, 1)}


@pytest.mark.parametrize("name", ["-h", "HEAD\nHEAD", "HEAD\0", "HEAD commit 5", "HEAD:A.cs", "none"])
def test_what_is_no_commit_is_refused_by_its_name(repository: Repository, name: str) -> None:
    with pytest.raises(WorkspaceError) as refused:
        repository.changes.read(DiffScope(old=name, new="HEAD"))
    assert refused.value.details["revision"] == name


def test_the_first_commit_adds_everything(repository: Repository) -> None:
    assert {file.status for file in repository.changes.read(DiffScope.parse("HEAD")).files} == {"added"}


def test_a_range_may_begin_before_the_first_commit(repository: Repository) -> None:
    repository.write("D.cs", "d\n")
    first, last = repository.git("rev-parse", "HEAD"), repository.commit()
    for text in (f"{first}^..{last}", f"{first}^..", "HEAD~1^..HEAD"):
        assert list(_files(repository.changes.read(DiffScope.parse(text)))) == [
            "A.cs",
            "B.cs",
            "C.cs",
            "D.cs",
        ]


def test_before_the_first_commit_everything_is_new(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.write("A.cs", "a\n")
    repository.git("add", "A.cs")
    assert _files(repository.changes.read()) == {"A.cs": ("added", 1, 0)}
    assert repository.changes.commits() == ()


def test_hunks_number_each_side_and_mark_the_words_that_changed(repository: Repository) -> None:
    _edit(repository)
    change = repository.changes.read().files[0]
    (hunk,) = repository.changes.hunks(change)
    assert (hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count) == (17, 7, 17, 7)
    out, into = (line for line in hunk.lines if line.sign != " ")
    assert (out.old, out.new, out.text, out.spans) == (20, None, "line 20", ((5, 7),))
    assert (into.old, into.new, into.text, into.spans) == (None, 20, "line twenty", ((5, 11),))


def test_a_file_that_was_only_touched_has_not_changed(repository: Repository) -> None:
    os.utime(repository.folder / "A.cs", (1, 1))
    assert repository.changes.read().files == ()


@pytest.mark.parametrize("most", [0, 500])
def test_the_signature_changes_where_as_many_lines_differ_otherwise(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(changes, "_MOST_COUNTED", most)
    signatures = set()
    for text in ("one\n", "three\n"):
        repository.write("A.cs", text + BEFORE)
        signatures |= {repository.changes.read().signature, repository.changes.read().signature}
    assert len(signatures) == 2


def test_the_signature_changes_with_what_differs(repository: Repository) -> None:
    before = repository.changes.read().signature
    repository.write("A.cs", BEFORE + "more\n")
    assert repository.changes.read().signature != before


def test_filters_that_a_repository_configures_are_not_run(repository: Repository, tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    repository.write(".gitattributes", "*.cs filter=evil diff=evil\n")
    for name in ("filter.evil.clean", "diff.evil.textconv", "diff.evil.command"):
        repository.git("config", name, f"touch {trace}; cat")
    repository.write("A.cs", BEFORE + "more\n")
    change = repository.changes.read().files[1]
    assert repository.changes.hunks(change)
    assert change.path == "A.cs"
    assert not trace.exists()


@pytest.mark.parametrize(
    "text", ["nowhere", "--output=x", "HEAD..nowhere", "HEAD...b", "nowhere^..", "HEAD^^..HEAD"]
)
def test_a_revision_that_git_does_not_know_is_told(repository: Repository, text: str) -> None:
    with pytest.raises(WorkspaceError, match="git knows no commit"):
        repository.changes.read(DiffScope.parse(text))


def test_files_that_git_cannot_list_are_said(repository: Repository) -> None:
    repository.write("new/E.cs", "e\n")
    os.mkfifo(repository.folder / "new/.gitignore")
    with pytest.raises(WorkspaceError, match="git cannot tell what differs"):
        repository.changes.read()


def test_without_a_repository_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="not in a git repository"):
        ChangeSets(Root.open(tmp_path)).read()


@pytest.mark.parametrize(
    "subject",
    ["caf\u00e9 \u2028 more", "a\x1fb\x1fc", "tab\there", "esc \x1b[31m", "x" * 5_000, ":(glob)", "'\"$(id)"],
    ids=["letters", "the sign between fields", "tab", "escape", "long", "pathspec", "quotes"],
)
def test_a_commit_is_told_whatever_its_subject_says(repository: Repository, subject: str) -> None:
    repository.write("a.cs", "one\n")
    id_ = repository.commit(f"{subject}\n\nBody.")
    repository.write("a.cs", "two\n")
    last = repository.commit("second")
    found = repository.changes.commits()
    assert [each.id for each in found][:2] == [last, id_]
    assert (found[1].subject, found[1].author, found[1].parents) == (subject, "n", (found[2].id,))
    assert [each.id for each in repository.changes.between(id_, last)] == [last]


def test_commits_come_last_first_with_their_names(repository: Repository) -> None:
    repository.write("A.cs", "a\n")
    second = repository.commit("second \x1b[31m")
    found = repository.changes.commits()
    assert [commit.subject for commit in found] == ["second \x1b[31m", "first"]
    assert found[0].id == second
    assert "trunk" in found[0].refs
    assert repository.changes.commits(most=1, skip=1) == found[1:]


def test_a_workspace_below_the_repository_shows_its_own_files(repository: Repository) -> None:
    repository.write("sub/G.cs", "g\n")
    repository.commit("second")
    repository.write("sub/G.cs", "h\n")
    repository.write("A.cs", "a\n")
    below = ChangeSets(Root.open(repository.folder / "sub"))
    assert _files(below.read()) == {"G.cs": ("modified", 1, 1)}
    assert [commit.subject for commit in below.commits()] == ["second"]


def test_what_the_program_keeps_of_a_workspace_further_down_is_no_change(repository: Repository) -> None:
    for path in (".context/packs/a.md", "sub/.context/.gitignore", "sub/context/H.cs"):
        repository.write(path, "h\n")
    assert list(_files(repository.changes.read())) == ["sub/context/H.cs"]


def test_a_mode_that_changed_is_told(repository: Repository) -> None:
    (repository.folder / "A.cs").chmod(0o755)
    (change,) = repository.changes.read().files
    assert change.mode_changed
    assert repository.changes.hunks(change) == ()


def test_a_conflict_is_one_file(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "side")
    repository.write("B.cs", "side\n")
    repository.commit("side")
    repository.git("checkout", "-q", "trunk")
    repository.write("B.cs", "trunk\n")
    repository.commit("trunk")
    subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e@x", "merge", "-q", "side"], cwd=repository.folder,
                   capture_output=True, check=False)  # fmt: skip
    assert [(file.path, file.status) for file in repository.changes.read().files] == [("B.cs", "conflict")]


def test_a_file_that_is_gone_since_is_all_deleted(repository: Repository) -> None:
    change = FileChange(path="X.cs", status="modified", old_mode="100644", new_mode="100644",
                        old_blob=repository.git("rev-parse", "HEAD:B.cs"))  # fmt: skip
    with pytest.raises(WorkspaceError):
        repository.changes.hunks(change)


lines = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "int x = 1;\n", "int y = 1;\n"]), max_size=30)


@given(lines, lines)
def test_hunks_lead_from_one_text_to_the_other(old: list[str], new: list[str]) -> None:
    hunks = hunks_of(old, new)
    made, at = [], 0
    for hunk in hunks:
        for line in hunk.lines:
            if line.old is not None:
                made += old[at : line.old - 1]
                at = line.old
                assert old[line.old - 1] == line.text + "\n"
            if line.new is not None:
                assert new[line.new - 1] == line.text + "\n"
                made.append(line.text + "\n")
    assert made + old[at:] == new
    told = [line.sign for hunk in hunks for line in hunk.lines]
    assert counts_of(old, new) == (told.count("+"), told.count("-"))


@pytest.mark.parametrize(("count", "is_marked"), [(1_000, True), (1_001, False)])
def test_words_are_looked_for_in_blocks_that_somebody_reads(count: int, is_marked: bool) -> None:
    sides = ([f"the {name} line {at}\n" for at in range(count)] for name in ("old", "new"))
    (hunk,) = hunks_of(*sides)
    assert {line.spans for line in hunk.lines} == ({((4, 7),)} if is_marked else {()})


@given(st.text(max_size=40), st.text(max_size=40))
def test_marks_are_within_the_lines_and_what_is_not_marked_is_the_same(old: str, new: str) -> None:
    marks = emphasis(old, new)
    if marks != ((), ()):
        assert _without(old, marks[0]) == _without(new, marks[1])


def _without(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    for start, end in reversed(spans):
        assert 0 <= start < end <= len(text)
        text = text[:start] + text[end:]
    return text
