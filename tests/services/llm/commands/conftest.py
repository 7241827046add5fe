from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.llm.tool_files import ToolFiles
from services.prompt.secrets.masking import Masker
from services.workspace.files.root import Root

CANARY = "CANARY-7f3a"


def git(folder: Path, *arguments: str) -> None:
    names = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *names, *arguments], cwd=folder, check=True, capture_output=True)


def make_workspace(base: Path) -> Path:
    """A repository `work` with files of every kind, beside a folder `outside` with the canary."""
    root, outside = base / "work", base / "outside"
    (root / "src" / "inner").mkdir(parents=True)
    outside.mkdir()
    (outside / "CANARY.txt").write_text(f"{CANARY} outside\n")
    (root / "src" / "A.cs").write_text("class A\n{\n    int b; // TODO\n}\n")
    (root / "src" / "inner" / "B c.cs").write_text("class B { } // TODO\n")
    (root / "-x").write_text("dashed\n")
    (root / "names.txt").write_text("../outside/CANARY.txt\0")
    (root / "evil.sh").write_text("#!/bin/sh\ntouch pwned\n")
    (root / "evil.sh").chmod(0o755)
    (root / "src" / "evil.sh").write_text("#!/bin/sh\ntouch pwned\n")
    (root / "src" / "evil.sh").chmod(0o755)
    (root / ".gitignore").write_text(".env\nbin/\n.context/\n")
    (root / ".env").write_text(f"KEY={CANARY} env\n")
    (root / "bin").mkdir()
    (root / "bin" / "Gen.cs").write_text(f"// {CANARY} TODO generated\n")
    (root / ".context").mkdir()
    (root / ".context" / "note.md").write_text(f"{CANARY} state\n")
    (root / "link.txt").symlink_to("../outside/CANARY.txt")
    (root / "abs.txt").symlink_to(outside / "CANARY.txt")
    (root / "linked").symlink_to("../outside")
    git(root, "init", "-q", "-b", "main", ".")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "First")
    (root / "src" / "A.cs").write_text("class A\n{\n    int b; // TODO more\n}\n")
    git(root, "commit", "-qam", "Second")
    git(root, "branch", "side")
    git(root, "tag", "v1")
    git(root, "config", "remote.origin.url", "https://user:hunter2hunter2@example.org/x.git")
    git(root, "config", "user.name", CANARY)
    return root


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_workspace(tmp_path_factory.mktemp("commands"))


@pytest.fixture(scope="module")
def files(workspace: Path) -> Iterator[ToolFiles]:
    with Root.open(workspace) as root:
        yield ToolFiles(root, Masker(b"k" * 32))
