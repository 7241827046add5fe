"""Ignored files are not opened for agents."""

import subprocess

import pytest

from services.errors import FileMissing, PathRefused
from services.operations import by_name
from services.source.journal.actor import Owner
from tests.support.serving import SHOP, served

AGENT = Owner("tester")
FILES = {**SHOP, ".gitignore": "*.env\nout/\n", "secret.env": "KEY=1\n", "out/x.txt": "made\n"}


def call(serving, name, **arguments):
    return serving.call(by_name(name), arguments, agent=AGENT)


@pytest.fixture(params=[True, False], ids=["repository", "folder"])
def folder(tmp_path, request):
    if request.param:
        subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


@pytest.mark.parametrize(
    "path", ["secret.env", "./secret.env", "Shop/../secret.env", "secret.env:1-1", "out/x.txt"]
)
@pytest.mark.parametrize("name", ["getObjectSourceV2", "getObjectSource", "lock", "objectStructure"])
def test_an_ignored_file_is_not_opened(folder, path, name):
    with served(folder, FILES) as serving, pytest.raises(PathRefused, match="ignored"):
        call(serving, name, object=path)


@pytest.mark.parametrize("path", ["out/new.cs", "./out/new.cs", "Shop/../out/new.txt"])
def test_an_ignored_file_is_not_made(folder, path):
    """Neither git nor the workbench would show it to anybody."""
    diff = "--- /dev/null\n+++ b/out/new.cs\n@@ -0,0 +1 @@\n+x\n"
    with served(folder, FILES) as serving:
        for name, arguments in {
            "lock": {"object": path},
            "setObjectSource": {"object": path, "content": "x\n", "lockHandle": "h"},
            "applyPatch": {"diff": diff, "expected": {}, "lockHandles": ["h"]},
        }.items():
            with pytest.raises(PathRefused, match="ignored"):
                call(serving, name, **arguments)
        assert call(serving, "lock", object="Shop/New.cs")["LOCK_HANDLE"]
        assert not call(serving, "grepObjectSource", pattern="out/new", glob="out/new.cs")["matches"]


@pytest.mark.parametrize("path", ["secret.env", "file:secret.env", "range:secret.env:1-1"])
def test_an_ignored_file_is_not_pinned(folder, path):
    with served(folder, FILES) as serving, pytest.raises(PathRefused):
        call(serving, "Pin", path=path)


def test_a_folder_that_is_not_there_is_said_not_to_be_there(folder):
    with served(folder, FILES) as serving:
        for path in ("Shop/Typo/Order.cs", "Typo/Deep/Order.cs", "Shop/Order.cs/Order.cs"):
            with pytest.raises(FileMissing, match="no file"):
                call(serving, "getObjectSourceV2", object=path)


@pytest.mark.parametrize("path", ["gone/x.cs", "gone/deep/x.cs", "Shop/new/x.env", "own/x.cs", "own/a/x.cs"])
def test_what_would_be_ignored_in_a_folder_that_is_not_there_is_refused(folder, path):
    rules = {".gitignore": FILES[".gitignore"] + "gone/\n", ".codecortexignore": "own/\n"}
    with served(folder, {**FILES, **rules}) as serving, pytest.raises(PathRefused, match="ignored"):
        call(serving, "lock", object=path)


@pytest.mark.parametrize(
    "path", ["link/x.cs", "link/new/x.cs", "dangling/x.cs", "dangling/new/x.cs", "away/new/x.cs"]
)
def test_no_link_leads_to_a_folder_that_is_not_there(folder, path):
    with served(folder, FILES) as serving:
        (folder / "link").symlink_to("out")
        (folder / "dangling").symlink_to(".git/none")
        (folder / "away").symlink_to("..")
        for name in ("getObjectSourceV2", "lock"):
            with pytest.raises(PathRefused):
                call(serving, name, object=path)
        assert not (folder.parent / "new").exists()


def test_what_git_has_of_a_folder_that_was_moved_away_is_read(tmp_path):
    with served(tmp_path, FILES) as serving:
        git = ("git", "-c", "user.name=A", "-c", "user.email=a@b", "-C", str(tmp_path))
        for command in (("init", "-q"), ("add", "."), ("commit", "-qm", "x")):
            subprocess.run([*git, *command], check=True)
        (tmp_path / "Shop").rename(tmp_path / "Moved")
        read = call(serving, "getObjectSourceV2", object="Shop/Order.cs", version="active")
        assert read["lineCount"] == 3


def test_a_link_to_an_ignored_file_is_not_opened(folder):
    with served(folder, FILES) as serving:
        (folder / "open.txt").symlink_to("secret.env")
        with pytest.raises(PathRefused):
            call(serving, "getObjectSourceV2", object="open.txt")


def test_an_ignored_file_is_not_patched(folder):
    diff = "--- a/secret.env\n+++ b/secret.env\n@@ -1 +1 @@\n-KEY=1\n+KEY=2\n"
    with served(folder, FILES) as serving, pytest.raises(PathRefused):
        call(serving, "applyPatch", diff=diff, expected={}, lockHandles=["x"])


def test_a_text_that_names_no_file_may_say_the_name_of_an_ignored_one(folder):
    with served(folder, FILES) as serving:
        for text in ("secret.env", "out/x.txt", "file:secret.env"):
            call(serving, "grepObjectSource", pattern=text)
            call(serving, "SearchSymbols", query=text)
            handle = call(serving, "lock", object="Shop/Order.cs", purpose=text)["LOCK_HANDLE"]
            token = call(serving, "getObjectSourceV2", object="Shop/Order.cs")["token"]
            lines = {"startLine": 1, "endLine": 1, "content": text, "dryRun": True}
            call(
                serving, "setObjectSourceV2", object="Shop/Order.cs", token=token, lockHandle=handle, **lines
            )
            whole = {"content": text, "dryRun": True}
            call(serving, "setObjectSource", object="Shop/Order.cs", lockHandle=handle, **whole)
            call(serving, "unLock", object="Shop/Order.cs", lockHandle=handle)
            call(serving, "Pin", path=text, **{"as": "note"})
            for other in ({}, {"as": "diff"}):
                with pytest.raises(PathRefused):
                    call(serving, "Pin", path=text, **other)


def test_the_settings_can_allow_ignored_files(folder):
    with served(folder, FILES, ignored_files=True) as serving:
        assert call(serving, "getObjectSourceV2", object="secret.env")["content"] == "KEY=1\n"


def test_other_files_are_opened(folder):
    with served(folder, FILES) as serving:
        assert call(serving, "getObjectSourceV2", object="Shop/Order.cs")["lineCount"] == 3


@pytest.mark.parametrize("path", [".git/config", ".context/window.json", ".GIT/config", "Shop/../.git/HEAD"])
def test_git_and_the_programs_state_are_never_opened(tmp_path, path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    with served(tmp_path, FILES, ignored_files=True) as serving:
        call(serving, "Pin", path="Shop.Order")
        with pytest.raises(Exception) as caught:
            call(serving, "getObjectSourceV2", object=path)
    assert "KEY" not in str(caught.value)
    assert type(caught.value).__name__ in ("PathRefused", "SymbolNotFound")
