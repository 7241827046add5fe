"""What ripgrep says decides which files are opened, and nothing else: no answer depends on whether it is there."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.errors import Cancelled
from services.model import GrepFile
from services.source.grep_pattern import compiled
from services.source.grep_search import GrepRequest, GrepTotals, grep_files
from services.workspace.files.root import Root
from services.workspace.scan.sweep import Ripgrep
from tests.support.workspace import write_workspace

needs_ripgrep = pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not on the PATH")


@pytest.fixture
def without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A PATH that has git alone."""
    tools = tmp_path.parent / f"{tmp_path.name}-tools"
    tools.mkdir()
    (tools / "git").symlink_to(shutil.which("git") or "git")
    monkeypatch.setenv("PATH", str(tools))


def found(
    folder: Path, pattern: str, most: int = 1_000, *, any_case: bool = False
) -> tuple[list[GrepFile], GrepTotals]:
    tally = GrepTotals()
    with Root.open(folder) as root:
        wanted = GrepRequest(compiled(pattern, case_insensitive=any_case), 0, most)
        return list(grep_files(root, wanted, tally=tally)), tally


def begun(folder: Path, *texts: bytes) -> Ripgrep:
    sieve = Ripgrep.begin(folder, texts, ignore_case=False)
    assert sieve is not None
    sieve.wait(60)
    return sieve


def replaced(tools: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program is called rg; an empty workspace lies beside it."""
    tools.mkdir()
    (tools.parent / "w").mkdir()
    (tools / "rg").write_text(f"#!/bin/sh\n{script}\n")
    (tools / "rg").chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(tools))


def tree(folder: Path) -> Path:
    """More files than are read before ripgrep is waited for, and everything that could be taken differently."""
    files: dict[str, str] = {f"a/{number:03}.cs": "nothing here\n" for number in range(250)}
    files |= {f"b/{number}.cs": f"some Needle {number}\n" for number in range(5)}
    files |= {
        ".gitignore": "*.log\nsecret/\nbin/\n",
        ".ignore": "z/\n",
        "z/kept.cs": "Needle of z\n",
        "x.log": "Needle ignored\n",
        "tracked.log": "Needle tracked though ignored\n",
        "secret/a.cs": "Needle ignored\n",
        "bin/tracked.cs": "Needle tracked in bin\n",
        "own/.codecortexignore": "hidden.cs\n",
        "own/hidden.cs": "Needle hidden\n",
        ".hidden.cs": "Needle behind a dot\n",
        "-e.cs": "Needle of an odd name\n",
    }
    write_workspace(folder, files)
    (folder / "c.bin").write_bytes(b"\0\0Needle")
    (folder / "d.bin").write_bytes(b"\0\0nothing")
    (folder / "utf16.cs").write_text("a Needle\n", "utf-16")
    (folder / "bom.cs").write_bytes(b"\xef\xbb\xbfNeedle\r\n")
    (folder / "broken.cs").write_bytes(b"\xff\xfeNeedle\xe9 caf\xe9 Needle\n"[2:])
    (folder / os.fsdecode(b"caf\xc3\xa9.cs")).write_text("NEEDLE\n")
    os.mkfifo(folder / "pipe")
    (folder / "loop").symlink_to("loop")
    (folder / "zero.cs").symlink_to("/dev/zero")
    for command in (
        ["git", "init", "-q"],
        ["git", "add", "-f", "tracked.log", "bin/tracked.cs", "a", "zero.cs"],
    ):
        subprocess.run(command, cwd=folder, check=True)
    return folder


QUESTIONS = [
    ("Needle", False),
    ("needle", True),
    ("nothing|Needle tracked", False),
    (r"public|Needle\s+of\s+\w+", False),
    ("^Needle$", False),
    ("caf", False),
    ("nowhere at all", False),
]


@needs_ripgrep
@pytest.mark.parametrize("most", [3, 1_000])
def test_the_answers_are_the_same_without_it(
    tmp_path: Path, most: int, request: pytest.FixtureRequest
) -> None:
    folder = tree(tmp_path)
    with_it = [found(folder, pattern, most, any_case=case) for pattern, case in QUESTIONS]
    request.getfixturevalue("without")
    assert Ripgrep.begin(folder, [b"x"], ignore_case=False) is None
    assert [found(folder, pattern, most, any_case=case) for pattern, case in QUESTIONS] == with_it
    if most == 1_000:
        files = {file.file for file in with_it[0][0]}
        assert {"tracked.log", "bin/tracked.cs", "z/kept.cs", ".hidden.cs", "-e.cs", "utf16.cs"} < files
        assert not files & {"x.log", "secret/a.cs", "own/hidden.cs", "c.bin", "zero.cs"}
        assert with_it[0][1].binary == 1


@needs_ripgrep
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.binary(max_size=40) | st.text("Neédlſk\r\n", max_size=12).map(str.encode), any_case=st.booleans()
)
def test_no_file_with_a_match_is_passed_over(tmp_path: Path, data: bytes, any_case: bool) -> None:
    (tmp_path / "a.cs").write_bytes(data)
    pattern = compiled("dl|ks", case_insensitive=any_case)
    sieve = Ripgrep.begin(tmp_path, pattern.needles, ignore_case=any_case)
    assert sieve is not None
    sieve.wait(60)
    if pattern.may_match(data):
        assert sieve.chosen([b"a.cs"]) == [b"a.cs"]
    sieve.close()


@needs_ripgrep
def test_it_follows_no_symlink_and_opens_no_pipe(tmp_path: Path) -> None:
    sieve = begun(tree(tmp_path), b"Needle")
    assert sieve.chosen([b"zero.cs", b"pipe", b"-e.cs", b"none.cs"]) == [b"-e.cs"]
    assert sieve.chosen([b"none.cs", b"a/bin/not looked at"]) == [b"a/bin/not looked at"]
    sieve.close()


def test_it_ends_when_it_is_cancelled_or_no_longer_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replaced(tmp_path / "tools", "while :; do :; done", monkeypatch)
    cancel = threading.Event()
    sieve = Ripgrep.begin(tmp_path / "w", [b"x"], ignore_case=False, cancel=cancel)
    assert sieve is not None
    sieve.wait(0.01)
    assert sieve.chosen([b"a.cs"]) == [b"a.cs"]
    cancel.set()
    with pytest.raises(Cancelled):
        sieve.wait(60)
    sieve.close()
    sieve.close()


def test_a_program_of_the_workspace_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rg").write_text("#!/bin/sh\ntouch was-run\n")
    (tmp_path / "rg").chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert Ripgrep.begin(tmp_path, [b"x"], ignore_case=False) is None
    monkeypatch.setenv("PATH", ".")
    monkeypatch.chdir(tmp_path)
    assert Ripgrep.begin(tmp_path.parent, [b"x"], ignore_case=False) is None


def test_one_that_fails_leaves_every_file_to_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replaced(tmp_path / "tools", r"printf './a.cs\0'; exit 2", monkeypatch)
    sieve = begun(tmp_path / "w", b"x")
    assert sieve.chosen([b"a.cs", b"b.cs"]) == [b"a.cs", b"b.cs"]
    sieve.close()


def test_cases_beyond_ascii_are_left_to_the_program_itself(tmp_path: Path) -> None:
    assert Ripgrep.begin(tmp_path, ["é".encode()], ignore_case=True) is None
    assert Ripgrep.begin(tmp_path, [], ignore_case=False) is None


def test_words_that_most_files_have_are_looked_for_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[list[bytes]] = []
    monkeypatch.setattr(Ripgrep, "begin", lambda _, texts, **__: begun.append([*texts]))
    write_workspace(tmp_path, {"A.cs": "public class Of;"})
    for pattern in ("public", "public|Of", "public class", "Of"):
        assert len(found(tmp_path, pattern)[0]) == 1
    assert begun == [[b"public class"], [b"Of"]]
