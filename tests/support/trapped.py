"""A repository whose configuration names a trap wherever git takes the name of a program. A trap leaves its name."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

LITERAL = (
    "core.alternateRefsCommand core.askPass core.editor core.fsmonitor core.gitProxy core.pager core.sshCommand "
    "credential.helper credential.https://example.org.helper sequence.editor diff.external interactive.diffFilter "
    "gpg.program gpg.openpgp.program gpg.ssh.program gpg.ssh.defaultKeyCommand gpg.x509.program "
    "filter.t.clean filter.t.smudge filter.t.process filter.one=two.clean filter.one=two.process filter.a.b.clean "
    "diff.t.command diff.t.textconv merge.t.driver mergetool.t.cmd difftool.t.cmd man.t.cmd browser.t.cmd "
    "hook.t.command hook.filter.clean.command "
    "pager.log pager.diff pager.status pager.show pager.config pager.blame pager.grep pager.branch "
    "remote.origin.uploadpack remote.origin.receivepack remote.other.uploadpack uploadpack.packObjectsHook "
    "trailer.t.command trailer.t.cmd sendemail.smtpServer sendemail.toCmd instaweb.browser web.browser "
    "tar.t.command imap.tunnel guitool.t.cmd"
)
"""Settings whose value is the program."""
SHELL = "alias.log alias.status alias.diff alias.rev-parse alias.ls-files alias.config submodule.sub.update"
"""Settings whose value is `!` and the program."""
PLAIN = {
    "log.showSignature": "true",
    "format.pretty": "%G? %GK %s",
    "pretty.medium": "%G? %s",
    "gpg.format": "ssh",
    "gpg.ssh.allowedSignersFile": "/dev/null",
    "diff.submodule": "diff",
    "diff.ignoreSubmodules": "none",
    "status.submoduleSummary": "true",
    "submodule.recurse": "true",
    "submodule.sub.active": "true",
    "submodule.sub.ignore": "none",
    "fetch.recurseSubmodules": "true",
    "filter.t.required": "true",
    "hook.t.event": "post-index-change",
    "protocol.allow": "always",
    "protocol.ext.allow": "always",
    "protocol.file.allow": "always",
    "remote.origin.promisor": "true",
    "remote.origin.partialCloneFilter": "blob:none",
    "extensions.partialClone": "origin",
    "extensions.worktreeConfig": "true",
    "remote.other.vcs": "ext",
    "gc.auto": "1",
    "maintenance.auto": "true",
    "core.untrackedCache": "true",
    "color.ui": "always",
    "grep.fallbackToNoIndex": "true",
    "include.path": "../.gitconfig",
}
HOOKS = (
    "post-index-change fsmonitor-watchman pre-commit post-checkout post-merge pre-auto-gc reference-transaction "
    "post-rewrite proc-receive push-to-checkout query-watchman"
)
PROGRAMS = "git rg bwrap xclip xsel wl-copy which cat sh dotnet ssh gpg gpg-agent git-remote-ext"
FIRST = "first"
"""A tag; the blob of its `gone.txt` is missing."""
SIGNED = b"""\
tree %b
author n <e@example.org> 0 +0000
committer n <e@example.org> 0 +0000
gpgsig %b
 bm90aGluZw==
 %b

signed
"""


class Trapped:
    """The repository at `folder`, with a C# file that is changed and one that is not tracked. `settings`: how many name
    a program; `marks`: a folder that holds a file for each trap that was sprung."""

    def __init__(self, at: Path, *, person: Path | None = None) -> None:
        self.folder = at / "repository"
        self.marks = at / "marks"
        self.folder.mkdir(parents=True)
        self.marks.mkdir()
        self._count = 0
        self._git("init", "-q", "-b", "trunk", ".")
        self._files()
        self._submodule()
        self._signatures()
        self._configured(person)

    @property
    def settings(self) -> int:
        """Settings and hooks that name a program."""
        return self._count

    def sprung(self) -> list[str]:
        """The traps that ran."""
        return sorted(mark.name for mark in self.marks.iterdir())

    def trap(self, name: str, at: Path | None = None) -> str:
        """A program that leaves its name, and what it calls itself by."""
        self._count += 1
        program = at or self.marks.parent / f"trap-{self._count}"
        mark = self.marks / f"{self._count}-{name.replace('/', '_')}"
        program.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{mark}'\n")
        program.chmod(0o755)
        return str(program)

    def _git(self, *arguments: str, fed: bytes | None = None, at: Path | None = None) -> bytes:
        who = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "protocol.file.allow=always")
        return subprocess.run(
            ["git", *who, *arguments], cwd=at or self.folder, check=True, capture_output=True, input=fed
        ).stdout.strip()

    def _files(self) -> None:
        write = self.folder.joinpath
        write("A.cs").write_text("namespace N;\npublic class A\n{\n    public int Do() => 1;\n}\n")
        write("B.cs").write_text("namespace N;\npublic class B\n{\n    public A Make() => new A();\n}\n")
        write("App.csproj").write_text('<Project Sdk="Microsoft.NET.Sdk"></Project>\n')
        write(".gitattributes").write_text(
            "A.cs filter=t diff=t merge=t\nB.cs filter=one=two diff=t\n*.txt filter=a.b\n"
        )
        write("note.txt").write_text("text\n")
        self._git("add", "-A")
        write("gone.txt").write_text("gone\n")
        self._git("add", "-A")
        self._git("commit", "-qm", "first")
        self._git("tag", FIRST)
        self._git("rm", "-q", "gone.txt")
        write("A.cs").write_text("namespace N;\npublic class A\n{\n    public int Do() => 2;\n}\n")
        self._git("commit", "-qam", "second")

    def _submodule(self) -> None:
        """Add a submodule that is changed inside, with a monitor in a configuration of its own."""
        other = self.marks.parent / "other"
        other.mkdir()
        self._git("init", "-q", "-b", "trunk", ".", at=other)
        (other / "C.cs").write_text("public class C { }\n")
        (other / ".gitattributes").write_text("*.cs filter=inner diff=t\n")
        self._git("add", "-A", at=other)
        self._git("commit", "-qm", "first", at=other)
        self._git("submodule", "add", "-q", str(other), "sub")
        self._git("commit", "-qm", "submodule")
        inner = self.folder / "sub"
        (inner / "C.cs").write_text("public class C { int a; }\n")
        self._git("commit", "-qam", "second", at=inner)
        (inner / "C.cs").write_text("public class C { int b; }\n")
        for key in ("core.fsmonitor", "filter.inner.clean", "diff.t.textconv", "core.pager", "diff.external"):
            self._git("config", key, self.trap(f"submodule {key}"), at=inner)

    def _signatures(self) -> None:
        for kind in (b"PGP SIGNATURE", b"SSH SIGNATURE", b"SIGNED MESSAGE"):
            begin, end = b"-----BEGIN %b-----" % kind, b"-----END %b-----" % kind
            commit = SIGNED % (self._git("rev-parse", "HEAD^{tree}"), begin, end)
            parent = b"\nparent %b\nauthor" % self._git("rev-parse", "HEAD")
            fed = commit.replace(b"\nauthor", parent, 1)
            made = self._git("hash-object", "-t", "commit", "-w", "--stdin", fed=fed).decode()
            self._git("update-ref", "HEAD", made)

    def _configured(self, person: Path | None) -> None:
        (self.folder / "A.cs").write_text("namespace N;\npublic class A\n{\n    public int Do() => 3;\n}\n")
        os.utime(self.folder / "B.cs", (0, 0))
        os.utime(self.folder / "note.txt", (0, 0))
        (self.folder / "New.cs").write_text("public class New { }\n")
        hooks = self.folder / ".git/hooks"
        hooks.mkdir(exist_ok=True)
        for hook in HOOKS.split():
            self.trap(f"hook {hook}", hooks / hook)
        tools = self.folder / "bin"
        tools.mkdir()
        for name in PROGRAMS.split():
            self.trap(f"program {name}", tools / name)
        self._git("config", "remote.other.url", f"ext::{self.trap('ext of other')}")
        self._git("config", "remote.origin.url", f"ext::{self.trap('ext of origin')}")
        self._files_of_settings(person)
        blob = self._git("rev-parse", f"{FIRST}:gone.txt").decode()
        (
            self.folder / ".git/objects" / blob[:2] / blob[2:]
        ).unlink()  # would be fetched from the promisor remote

    def _files_of_settings(self, person: Path | None) -> None:
        """Into the repository's own configuration, one of its work tree, one that it includes, and the person's."""
        every = [
            self.folder / ".git/config",
            self.folder / ".git/config.worktree",
            self.folder / ".gitconfig",
        ]
        for file in every if person is None else [*every, person]:
            settings = [(key, self.trap(f"{file.name} {key}")) for key in LITERAL.split()]
            settings += [(key, f"!{self.trap(f'{file.name} {key}')}") for key in SHELL.split()]
            settings += [
                (key, value)
                for key, value in PLAIN.items()
                if file.name == "config" or not key.startswith(("include.", "extensions."))
            ]
            with file.open("a", encoding="utf-8") as written:
                written.writelines(_setting(key, value) for key, value in settings)
        self._git("config", "--file", str(every[0]), "core.repositoryFormatVersion", "1")


def _setting(key: str, value: str) -> str:
    """Return the lines of one setting: a process of git for each of 300 would take a second."""
    section, _, rest = key.partition(".")
    middle, _, name = rest.rpartition(".")
    header = f'{section} "{middle}"' if middle else section
    return f'[{header}]\n\t{name} = "{value}"\n'
