"""Attacks are refused before anything runs; what is honest is run, and sees nothing that is hidden."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.errors import CommandRefused
from services.llm.commands.allow import allowed
from services.llm.commands.isolation import Isolation
from services.llm.commands.running import Runner, works
from services.llm.tool_files import ToolFiles
from services.prompt.secrets.masking import Masker
from services.workspace.files.root import Root
from tests.services.llm.commands.attacks import ATTACKS
from tests.services.llm.commands.conftest import CANARY, git, make_workspace


def test_there_are_enough_attacks() -> None:
    assert len(ATTACKS) >= 300


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_refused_with_its_piece(attack: str, files: ToolFiles) -> None:
    line = attack.replace("{out}", str(files.root.path.parent / "outside"))
    line = line.replace("{{", "{").replace("}}", "}")
    with pytest.raises(CommandRefused) as caught:
        allowed(line, files)
    assert CANARY not in caught.value.message
    assert caught.value.details["piece"]


def told(files: ToolFiles, line: str) -> str:
    return Runner(Isolation.NONE).run(allowed(line, files)).text


HONEST = [
    ("echo hello 'a b' \"c\" *", "hello a b c *"),
    ("cat src/A.cs", "class A\n{\n    int b; // TODO more\n}"),
    ("cat './src/inner/B c.cs'", "class B { } // TODO"),
    ("cat -- -x", "dashed"),
    ("cat ./-x", "dashed"),
    ("head -n 1 src/A.cs", "class A"),
    ("head -1 src/A.cs", "class A"),
    ("head -qn1 src/A.cs", "class A"),
    ("tail --lines=1 src/A.cs", "}"),
    ("wc -l src/A.cs", "4 src/A.cs"),
    ("sort -r src/A.cs", "}\n{\nclass A\n    int b; // TODO more"),
    ("grep -n TODO src/A.cs", "3:    int b; // TODO more"),
    ("grep -rn TODO", "src/A.cs:3:    int b; // TODO more\nsrc/inner/B c.cs:1:class B { } // TODO"),
    ("grep -rn --include=*.cs --exclude-dir=inner TODO .", "src/A.cs:3:    int b; // TODO more"),
    ("grep -rlE '(TODO|FIXME)' src", "src/A.cs\nsrc/inner/B c.cs"),
    ("grep -c 'b;$' src/A.cs", "0\n[exit status 1]"),
    ('grep -m1 -A 1 "class" src/A.cs', "class A\n{"),
    ("find src -name '*.cs'", "src/inner/B c.cs\nsrc/A.cs"),
    ("find . -type f -name *.cs ! -path *inner*", "./src/A.cs"),
    ("find src '(' -name 'A*' -o -name 'B*' ')' -type f", "src/inner/B c.cs\nsrc/A.cs"),
    ("find src -maxdepth 1 -name A.cs -printf '%f'", "A.cs"),
    ("ls src", "A.cs\nevil.sh\ninner"),
    ("ls -1 .", "-x\nevil.sh\nnames.txt\nsrc"),
    ("git log --oneline --format=%s", "Second\nFirst"),
    ("git log -1 --format=%s", "Second"),
    ("git log -n 1 --format=%s HEAD~1", "First"),
    ("git log --format=%s -- src/A.cs", "Second\nFirst"),
    ("git log --format=%s src/A.cs", "Second\nFirst"),
    ("git show HEAD~1:src/A.cs", "class A\n{\n    int b; // TODO\n}"),
    ("git show --stat --format=%s HEAD", "Second\n\n src/A.cs | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)"),
    ("git diff --name-only HEAD~1 HEAD", "src/A.cs"),
    ("git diff --name-only HEAD~1..HEAD -- src", "src/A.cs"),
    ("git diff HEAD", "[nothing was printed]"),
    ("git diff -U0 -M50% --stat=60 HEAD~1 HEAD", None),
    ("git diff --unified=1 --find-renames=50% --find-copies HEAD~1", None),
    ("git log -n1 -pU1 -C90 -M --format=%s", None),
    ("git blame -M20 -C src/A.cs", None),
    ("git grep -n -0 more", "src/A.cs:3:    int b; // TODO more"),
    ("git grep -n TODO", "src/A.cs:3:    int b; // TODO more\nsrc/inner/B c.cs:1:class B { } // TODO"),
    ("git branch --list", "* main\n  side"),
    ("git branch --show-current", "main"),
    ("git tag", "v1"),
    ("git ls-files src/inner", "src/inner/B c.cs"),
    ("git status -s", "[nothing was printed]"),
    ("git rev-parse --abbrev-ref HEAD", "main"),
    ("git rev-list --count HEAD", "2"),
    ("git shortlog -s", "     2\tA"),
    ("git describe --tags", "v1"),
    ("git merge-base main side", None),
    ("git blame -s src/A.cs", None),
    ("git reflog -n 1", None),
    ("git for-each-ref refs/heads", None),
    ("git show-ref", None),
    ("git ls-tree -r --name-only HEAD src", "src/A.cs\nsrc/evil.sh\nsrc/inner/B c.cs"),
    ("git show HEAD@{0} --format=%s --no-patch", "Second"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "answer"), HONEST)
def test_what_is_honest_is_run(line: str, answer: str | None, files: ToolFiles) -> None:
    text = told(files, line)
    assert CANARY not in text
    assert "fatal" not in text
    if answer is not None:
        assert sorted(text.splitlines()) == sorted(answer.splitlines())


EVERYTHING = [
    "grep -rn . .",
    "find .",
    "find . -ls",
    "ls -a",
    "ls -laF .",
    "grep -rn CANARY",
    "git remote -v",
    "git grep -n .",
    "git log -p",
    "git ls-files -o",
]


@pytest.mark.parametrize("line", EVERYTHING)
def test_what_is_hidden_never_shows(line: str, files: ToolFiles) -> None:
    text = told(files, line)
    assert CANARY not in text
    assert "hunter2" not in text
    assert not {".env", ".git", ".context", "bin", "./.env", "./.git", "./bin"} & {*text.split()}


REFUSALS = [
    ("grep -r TODO | head", "|", "-m"),
    ("cat a.cs && ls", "&", "another call"),
    ('grep "b$" src/A.cs', "$", "single quotes"),
    ("cat src/*.cs", "src/*.cs", "find -name"),
    ("cat src", "src", "Name a file"),
    ("grep TODO", "grep", "-r"),
    ("cat", "cat", "Name a file"),
    ("tail -f src/A.cs", "-f", "There are: -n"),
    ("awk 1", "awk", "There are: cat"),
    ("git commit", "git commit", "There are: log"),
    ("git branch new", "new", "--list"),
    ("echo 'open", "'open", "Close it"),
    ("grep --incl=*.cs x .", "--incl", "--include"),
    ("sort --reverse=1 src/A.cs", "--reverse=1", "Write --reverse"),
    ("head -n x src/A.cs", "-n x", "number"),
    ("git diff -Ux", "-U x", "number"),
    ("npm test", "npm", "vitest run"),
    ("make test", "make", "pytest"),
    ("cat src/b\udcff.cs", "cat src/b\\udcff.cs", "rename"),
]


@pytest.mark.parametrize(("line", "piece", "instead"), REFUSALS)
def test_a_refusal_names_the_piece_and_the_form_that_would_do(
    line: str, piece: str, instead: str, files: ToolFiles
) -> None:
    with pytest.raises(CommandRefused) as caught:
        allowed(line, files)
    assert caught.value.details["piece"] == piece
    assert instead in caught.value.message


INSIDE = [
    "git log -p",
    "git show HEAD",
    "git grep CANARY",
    "git diff HEAD~1",
    "git status",
    "git ls-files",
    "git log --stat",
]
OUTSIDE = [
    "git show {}",
    "git show HEAD:top.txt",
    "git diff HEAD:top.txt HEAD:A.cs",
    "git log -- ../top.txt",
    "git ls-tree {}",
    "git log -L1,2:../top.txt",
]


def test_a_part_of_a_repository_sees_that_part_alone(tmp_path: Path) -> None:
    root = make_workspace(tmp_path)
    (root / "top.txt").write_text(f"{CANARY} top\n")
    git(root, "add", "top.txt")
    git(root, "commit", "-qm", "Third")
    asked = subprocess.run(
        ["git", "rev-parse", "HEAD:top.txt"], check=True, cwd=root, capture_output=True, text=True
    )
    with Root.open(root / "src") as part:
        files = ToolFiles(part, Masker(b"k" * 32))
        for line in INSIDE:
            assert CANARY not in Runner().run(allowed(line, files)).output, line
        for line in OUTSIDE:
            with pytest.raises(CommandRefused):
                allowed(line.format(asked.stdout.strip()), files)
        assert "class A" in Runner().run(allowed("git show HEAD:./A.cs", files)).output


NAMED = [
    ("core.fsmonitor", "touch pwned"),
    ("filter.x.clean", "touch pwned"),
    ("diff.x.textconv", "touch pwned"),
    ("diff.x.command", "touch pwned"),
    ("core.worktree", ".."),
    ("include.path", "../x"),
    ("alias.log", "!touch pwned"),
    ("gpg.program", "./evil.sh"),
    ("core.sshCommand", "touch pwned"),
    ("remote.o.uploadpack", "touch pwned"),
]


@pytest.mark.parametrize(("key", "value"), NAMED)
def test_a_repository_that_names_programs_is_not_asked_without_isolation(
    tmp_path: Path, key: str, value: str
) -> None:
    root = make_workspace(tmp_path)
    (root / ".gitattributes").write_text("*.cs filter=x diff=x\n")
    git(root, "config", key, value)
    with Root.open(root) as opened:
        files = ToolFiles(opened, Masker(b"k" * 32))
        for line in ("git status", "git diff", "git log -p"):
            try:
                command = allowed(line, files)
            except CommandRefused:
                continue  # it is no work tree of this workspace any more
            assert command.unsafe
            with pytest.raises(CommandRefused, match="no isolation"):
                Runner(Isolation.NONE).run(command)
    assert not [*tmp_path.rglob("pwned")]


@pytest.fixture
def odd(tmp_path: Path) -> Iterator[ToolFiles]:
    """A workspace with names that are not UTF-8, and with links."""
    root = tmp_path / "work"
    (root / "src").mkdir(parents=True)
    (root / "src" / "A.cs").write_text("class A { }\n")
    (root / "src" / "b\udcff.cs").write_text(f"{CANARY}\n")
    (root / "d\udcfe").mkdir()
    (root / "d\udcfe" / "x.cs").write_text(f"{CANARY}\n")
    (root / ".gitignore").write_text("secret/\n")
    (root / "secret").mkdir()
    (root / "secret" / "x.cs").write_text(f"{CANARY}\n")
    for name, target in {
        "A link.cs": "src/A.cs", "all": "src", "far": "../", "hidden": "secret", "hidden.cs": "secret/x.cs",
        "none": "x",
    }.items():  # fmt: skip
        (root / name).symlink_to(target)
    git(root, "init", "-q", "-b", "main", ".")
    with Root.open(root) as opened:
        yield ToolFiles(opened, Masker(b"k" * 32))


WORKING = [each for each in Isolation if works(each)]


@pytest.mark.parametrize("isolation", WORKING)
def test_names_that_are_not_utf8_are_left_out(isolation: Isolation, odd: ToolFiles) -> None:
    def run(line: str) -> list[str]:
        printed = Runner(isolation).run(allowed(line, odd)).output.splitlines()
        # A sandbox may say that it cannot look at such a name.
        return sorted(each for each in printed if "Bad address" not in each and "are not missing" not in each)

    assert run("ls src") == ["A.cs"]
    assert run("ls") == ["A link.cs", "all", "src"]
    assert run("find .") == [".", "./.gitignore", "./A link.cs", "./all", "./src", "./src/A.cs"]
    assert run("grep -rl . .") == [".gitignore", "src/A.cs"]


def test_a_link_that_stays_inside_is_read_as_what_it_leads_to(odd: ToolFiles) -> None:
    assert told(odd, "cat 'A link.cs' all/A.cs") == "class A { }\nclass A { }"
    assert told(odd, "ls all") == "A.cs"
    assert told(odd, "find all -name A.cs") == "src/A.cs"


@pytest.mark.parametrize("path", ["hidden", "hidden.cs", "hidden/x.cs", "far", "far/work/src/A.cs", "none"])
def test_a_link_to_what_is_hidden_or_outside_is_refused(path: str, odd: ToolFiles) -> None:
    with pytest.raises(CommandRefused):
        allowed(f"cat {path}", odd)


def test_git_is_asked_of_a_link_and_not_of_what_is_behind_it(odd: ToolFiles) -> None:
    assert told(odd, "git status -s all") == "?? all"


def _executable(path: Path) -> Path:
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def package(folder: Path) -> tuple[Path, ToolFiles]:
    (folder / "work/src/inner").mkdir(parents=True)
    root = Root.open(folder / "work")
    return root.path, ToolFiles(root, Masker(b"k" * 32))


def test_a_javascript_runner_is_the_one_of_the_package_or_of_a_folder_above(tmp_path: Path) -> None:
    root, files = package(tmp_path)
    with pytest.raises(CommandRefused, match="jest is not installed here") as refused:
        allowed("jest --rootDir src", files)
    assert refused.value.details["instead"] == "Run npm install where jest is used."
    above = _executable(root / "node_modules/.bin/jest")
    assert allowed("jest --rootDir src/inner", files).calls[0][0] == str(above)
    own = _executable(root / "src/node_modules/.bin/jest")
    assert allowed("jest --rootDir src/inner", files).calls[0][0] == str(own)
    assert allowed("jest", files).calls[0][0] == str(above)


def test_a_javascript_runner_outside_the_root_is_not_run(tmp_path: Path) -> None:
    root, files = package(tmp_path)
    outside = _executable(root.parent / "node_modules/.bin/jest")
    (root / "node_modules/.bin").mkdir(parents=True)
    (root / "node_modules/.bin/jest").symlink_to(outside)
    with pytest.raises(CommandRefused, match="jest is not installed here"):
        allowed("jest", files)
