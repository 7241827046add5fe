"""Commits: as git tells them, and what they tell."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.context import cochange as log
from services.context.cochange import MOST_FILES, CoChangeHistory, LoggedCommit, StoredHistory
from services.context.query import numbered
from services.context.words import asked


class Repository:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.time = 1_700_000_000
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str | bytes) -> str:
        who = ("-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        environment = {"GIT_AUTHOR_DATE": f"{self.time} +0000", "GIT_COMMITTER_DATE": f"{self.time} +0000"}
        done = subprocess.run(
            ["git", *who, *arguments],
            cwd=self.folder,
            check=True,
            capture_output=True,
            env=os.environ | environment,
        )
        return done.stdout.decode()

    def commit(self, message: str | bytes, **files: str) -> str:
        for name, text in files.items():
            path = self.folder / name.replace("__", "/")
            path = path.with_name(f"{path.name}.cs")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.time += 86_400
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", message)
        return self.git("rev-parse", "HEAD").strip()


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def read(repository: Repository) -> CoChangeHistory:
    history = CoChangeHistory()
    tip = log.tip(repository.folder)
    assert tip is not None
    history.add(tip, log.read(repository.folder, tip))
    return history


def test_files_that_changed_together_are_told_with_how_often(repository: Repository) -> None:
    repository.commit("one", A="1", B="1", C="1")
    repository.commit("two", A="2", B="2")
    repository.commit("three", A="3")
    found = read(repository).together({"A.cs": 1.0})
    assert {path: (each.times, each.of, each.other) for path, each in found.items()} == {
        "B.cs": (2, 3, "A.cs"),
        "C.cs": (1, 3, "A.cs"),
    }
    assert found["B.cs"].score > found["C.cs"].score


def _of_a_late_an_early_and_a_large_commit() -> CoChangeHistory:
    year = 365 * 86_400
    history = CoChangeHistory()
    many = tuple(f"M{n}.cs" for n in range(20))
    commits = [
        LoggedCommit("3", 20 * year, (), ("A.cs", "New.cs"), ()),
        LoggedCommit("2", 20 * year, (), ("A.cs", *many), ()),
        LoggedCommit("1", 1 * year, (), ("A.cs", "Old.cs"), ()),
    ]
    history.add("3", commits)
    return history


def test_what_changed_long_ago_and_with_many_others_counts_less() -> None:
    found = _of_a_late_an_early_and_a_large_commit().together({"A.cs": 1.0})
    assert found["New.cs"].score > found["Old.cs"].score > 0
    assert found["New.cs"].score > found["M1.cs"].score


def test_commits_that_changed_most_of_what_is_likely_lead_to_the_rest_of_them() -> None:
    history = CoChangeHistory()
    commits = [
        LoggedCommit("4", 4, (), ("A.cs", "Single.cs"), ()),
        LoggedCommit("3", 3, (), ("A.cs", "B.cs", "Both.cs"), ()),
        LoggedCommit("2", 2, (), ("Elsewhere.cs", "Else.cs"), ()),
        LoggedCommit("1", 1, (), ("A.cs",), ()),
    ]
    history.add("4", commits)
    found = history.alike({"A.cs": 1.0, "B.cs": 1.0, "Unknown.cs": 5.0})
    assert set(found) == {"A.cs", "B.cs", "Both.cs", "Single.cs"}
    assert found["Both.cs"] > found["Single.cs"]
    assert set(history.alike({"A.cs": 1.0, "B.cs": 1.0}, most=1)) == {"A.cs", "B.cs", "Both.cs"}
    assert history.alike({}) == CoChangeHistory().alike({"A.cs": 1.0}) == {}


def test_old_commits_that_were_alike_and_those_of_many_files_count_less() -> None:
    found = _of_a_late_an_early_and_a_large_commit().alike({"A.cs": 1.0})
    assert found["New.cs"] > found["Old.cs"] > 0
    assert found["New.cs"] > found["M1.cs"]


def test_a_commit_of_very_many_files_tells_nothing() -> None:
    history = CoChangeHistory()
    files = tuple(f"F{n}.cs" for n in range(MOST_FILES + 1))
    history.add("1", [LoggedCommit("1", 1, (), files, ())])
    assert history.together({"F0.cs": 1.0}) == {}


def test_files_keep_their_history_when_they_move(repository: Repository) -> None:
    repository.commit("one", A="long enough to be told from others " * 3, B="1")
    repository.git("mv", "A.cs", "Moved.cs")
    repository.commit("move")
    repository.commit("again", Moved="changed", C="1")
    found = read(repository).together({"Moved.cs": 1.0})
    assert set(found) == {"B.cs", "C.cs"}


def test_a_file_that_goes_to_another_folder_and_changes_on_the_way_is_the_same(
    repository: Repository,
) -> None:
    repository.commit("one", A="1", B="1")
    (repository.folder / "A.cs").unlink()
    repository.commit("move and edit", src__A="something else altogether")
    assert set(read(repository).together({"src/A.cs": 1.0})) == {"B.cs"}


def test_what_is_new_is_added_to_what_was_read(repository: Repository) -> None:
    repository.commit("one", A="a long text that git knows again", B="1")
    history = read(repository)
    old = history.tip
    repository.git("mv", "A.cs", "N.cs")
    repository.commit("move")
    new = repository.commit("two", N="2", C="1")
    assert log.is_ancestor(repository.folder, old, new)
    history.add(new, log.read(repository.folder, new, since=old))
    assert (
        set(history.together({"N.cs": 1.0}))
        == set(read(repository).together({"N.cs": 1.0}))
        == {"B.cs", "C.cs"}
    )
    assert len(history) == len(read(repository))


def test_words_of_subjects_lead_to_files_in_any_language(repository: Repository) -> None:
    repository.commit("Retry when the socket breaks", A="1")
    repository.commit("取消订单", B="1")
    repository.commit("Wait for the lock", C="1")
    history = read(repository)
    assert set(history.about(numbered(asked("socket retries")))) == {"A.cs"}
    assert set(history.about(numbered(asked("lock", prose=True)))) == {"C.cs"}
    assert set(history.about(numbered(asked("取消订单")))) == {"B.cs"}
    assert history.about(numbered(asked("nothing of the kind"))) == {}


def test_bytes_that_are_no_text_and_control_characters_in_a_message_harm_nothing(
    repository: Repository,
) -> None:
    repository.commit(b"caf\xe9 \x01 \x02 \x03 retry", A="1", B="1")
    repository.commit("next", A="2", B="2")
    history = read(repository)
    assert history.together({"A.cs": 1.0})["B.cs"].times >= 1
    assert len(history) >= 1


def test_names_with_blanks_and_quotes_are_whole(repository: Repository) -> None:
    repository.commit("odd", **{"a b 'c' \"d\" é": "1", "B": "1"})
    assert set(read(repository).together({"B.cs": 1.0})) == {"a b 'c' \"d\" é.cs"}


def test_names_that_are_not_utf8_leave_a_history_that_can_be_stored(repository: Repository) -> None:
    with open(os.fsencode(repository.folder) + b"/\xff.cs", "w") as file:  # noqa: PTH123 - no name of pathlib's
        file.write("1")
    repository.commit("odd", B="1", C="1")
    history = read(repository)
    assert msgspec.msgpack.encode(history.stored())
    assert history.together({"B.cs": 1.0})["C.cs"].times >= 1


def test_merges_are_left_out(repository: Repository) -> None:
    repository.commit("base", A="1")
    repository.git("checkout", "-q", "-b", "side")
    repository.commit("side", B="1")
    repository.git("checkout", "-q", "main")
    repository.commit("main", C="1")
    repository.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    assert len(read(repository)) == 3


def test_a_folder_in_a_repository_counts_its_own_files_by_its_own_paths(repository: Repository) -> None:
    repository.commit("one", sub__A="1", sub__B="1", C="1")
    inner = Repository.__new__(Repository)
    inner.folder = repository.folder / "sub"
    assert set(read(inner).together({"A.cs": 1.0})) == {"B.cs"}


def test_where_there_is_no_repository_or_no_commit_there_is_no_tip(tmp_path: Path) -> None:
    assert log.tip(tmp_path) is None
    Repository(tmp_path)
    assert log.tip(tmp_path) is None
    assert list(log.read(tmp_path, "HEAD")) == []


def test_a_shallow_clone_has_what_it_has(
    repository: Repository, tmp_path_factory: pytest.TempPathFactory
) -> None:
    repository.commit("one", A="1", B="1")
    repository.commit("two", A="2", C="2")
    folder = tmp_path_factory.mktemp("shallow") / "clone"
    url = repository.folder.as_uri()
    subprocess.run(["git", "clone", "-q", "--depth", "1", url, str(folder)], check=True, capture_output=True)
    shallow = Repository.__new__(Repository)
    shallow.folder = folder
    assert len(read(shallow)) == 1


def test_a_commit_of_a_hundred_thousand_files_is_read_and_tells_nothing(repository: Repository) -> None:
    # in folders: git takes minutes to add so many files to one
    files = [
        b"M 100644 inline src/%d/T%d.cs\ndata 1\n1\n" % (number % 100, number) for number in range(100_000)
    ]
    commits = b"".join(
        b"commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata 3\nall\n%s" % (time, b"".join(changed))
        for time, changed in ((1, files), (2, [row.replace(b"1\n1", b"1\n2") for row in files[:2]]))
    )
    git = ("git", "fast-import", "--quiet")
    subprocess.run(git, cwd=repository.folder, input=commits, check=True, capture_output=True)
    history = read(repository)
    assert len(history) == 1
    assert history.together({"src/1/T1.cs": 1.0})["src/0/T0.cs"].times == 1
    assert "src/2/T2.cs" not in history.together({"src/1/T1.cs": 1.0})


@given(
    st.lists(
        st.lists(st.sampled_from([f"{name}.cs" for name in "ABCDEFG"]), min_size=1, max_size=4, unique=True),
        max_size=12,
    )
)
def test_what_is_kept_is_the_same_history(commits: list[list[str]]) -> None:
    history = CoChangeHistory()
    history.add("tip", [LoggedCommit(str(n), n, (n,), tuple(files), ()) for n, files in enumerate(commits)])
    kept = msgspec.msgpack.decode(msgspec.msgpack.encode(history.stored()), type=StoredHistory)
    assert CoChangeHistory(kept).together({"A.cs": 1.0, "B.cs": 0.5}) == history.together(
        {"A.cs": 1.0, "B.cs": 0.5}
    )
    assert CoChangeHistory(kept).tip == "tip"


def test_what_the_newest_commits_changed_counts_by_age_and_company() -> None:
    history = CoChangeHistory()
    commits = (("A.cs",), ("B.cs",), ("C.cs", "D.cs"))
    history.add("tip", [LoggedCommit(str(n), 1, (), files, ()) for n, files in enumerate(commits)])
    lately = history.lately()
    assert lately["A.cs"] == 1.0
    assert lately["A.cs"] > lately["B.cs"] > lately["C.cs"] == lately["D.cs"] > 0
