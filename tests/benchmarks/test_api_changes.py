"""Public API changes between two tags of a repository, as the command prints them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from benchmarks import api_changes
from tests.support.workspace import project, write_workspace

SHARED = """<Project><PropertyGroup>
  <TargetFrameworks>net8.0;netstandard2.0</TargetFrameworks><DefineConstants>$(DefineConstants);FULL</DefineConstants>
</PropertyGroup></Project>"""
PROJECT = project("<AssemblyName>Acme.Lib</AssemblyName>")
OLD = """namespace N {
#if FULL
public class C { public void Gone() {} public int Kept(int a) => a; }
#endif
#if NETSTANDARD2_0
public class Elsewhere {}
#endif
}"""
NEW = OLD.replace("public void Gone() {}", "public void Come() {}").replace("Kept(int a)", "Kept(int a = 1)")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Tags 1 and 2 of a library that is moved to another folder between them."""
    folder = tmp_path / "repository"

    def git(*words: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)

    write_workspace(folder, {"Directory.Build.props": SHARED, "Lib/Lib.csproj": PROJECT, "Lib/C.cs": OLD})
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    git("tag", "1")
    (folder / "src").mkdir()
    git("mv", "Lib", "src/Lib")
    write_workspace(folder, {"src/Lib/C.cs": NEW})
    git("commit", "-qam", "two")
    git("tag", "2")
    return folder


def test_what_changed_is_printed_though_the_project_was_moved(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "out.json"
    words = [str(repository), "1", "2", "--project", "src/Lib/Lib.csproj", "--json", str(kept)]
    monkeypatch.setattr("sys.argv", ["api_changes", *words])
    monkeypatch.setattr("signal.signal", lambda *_: None)
    api_changes.main()
    told = json.loads(capsys.readouterr().out)
    assert told == json.loads(kept.read_text())
    assert told == {
        "repo": "repository", "assembly": "Acme.Lib", "from": "1", "to": "2", "tfm": ["net8.0", "net8.0"],
        "added": ["M:N.C.Come"], "removed": ["M:N.C.Gone"],
        "changed": [["M:N.C.Kept(System.Int32)", "int N.C.Kept(int a)", "int N.C.Kept(int a = 1)"]],
        "breaking": [["CP0002", "Member 'void N.C.Gone()' exists but not"]],
    }  # fmt: skip


def test_what_is_not_there_is_told(repository: Path) -> None:
    with pytest.raises(SystemExit, match="no tag or commit 3"):
        api_changes.side(repository, "3", "Lib/Lib.csproj")
    with pytest.raises(SystemExit, match=r"no Lib/Other\.csproj at 1"):
        api_changes.side(repository, "1", "Lib/Other.csproj")
