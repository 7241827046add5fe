"""git's reading commands, called so that nothing of the repository's own configuration runs and nothing outside the
workspace is told."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from services.errors import CommandRefused, PathRefused
from services.llm.commands.place import CommandWorkspace
from services.llm.commands.words import TABLES, OptionKind, ParsedArguments, rebuilt, refused, take_apart
from services.workspace.files.openers import SHARED_FOLDER, STATE_FOLDER, protected
from services.workspace.scan import git

_ENVIRONMENT = {
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM": "1",  # an isolated one is made of pieces
    "GIT_NO_REPLACE_OBJECTS": "1",
}
_TAKE_PATHS = (
    "log",
    "show",
    "diff",
    "status",
    "ls-files",
    "ls-tree",
    "grep",
    "blame",
    "shortlog",
    "rev-list",
)
_ONLY_PATHS = ("status", "ls-files")
_TELL_CONTENT = ("show", "diff", "status", "ls-files", "grep")
"""Those that tell of files without being asked to: the program's own state is left out."""
_ASKED_FOR_CONTENT = ("-p", "-u", "--patch", "--stat", "--name-only", "--name-status", "--raw", "--numstat")
_NUMBERED = {**dict.fromkeys(("log", "show", "shortlog", "rev-list", "reflog"), "-n"), "grep": "-C"}
"""The option that `-20` stands for."""
_LIST_ONLY = ("branch", "tag")
_LIST_REFERENCES = ("for-each-ref", "show-ref", "reflog")

_REVISION = re.compile(r"[\w][\w./@{}^~+#,=%!-]*|@[\w./@{}^~+-]*|\^[\w@][\w./@{}^~+-]*")
_DATED = re.compile(r"[\w./-]*@\{[\w ./:+-]*\}[\^~\d{}\w]*")
_REFERENCES = re.compile(r"[\w./*@{}-]+")
_WRITES = ("expire", "delete", "drop", "exists", "list")
_SIGNED = re.compile(r"%\W*G|%\(.*signature", re.IGNORECASE)

_PROGRAMS = re.compile(
    r"(filter\..*\.(clean|smudge|process)|diff\..*\.(command|textconv)|merge\..*\.driver|alias\..*|include\.path"
    r"|includeif\..*|core\.(worktree|sshcommand|gitproxy|askpass|editor|alternaterefscommand|fsmonitor|hookspath|pager)"
    r"|gpg\..*program|credential\..*helper|uploadpack\..*|pager\..*|diff\.external|interactive\.difffilter"
    r"|extensions\.(worktreeconfig|partialclone)|remote\..*\.(uploadpack|receivepack|vcs|promisor)|submodule\..*\.update)"
)


def calls(words: Sequence[str], place: CommandWorkspace) -> list[tuple[str, ...]]:
    """The argument lists of git. Raises CommandRefused."""
    there = f"There are: {', '.join(TABLES)}."
    if not words or words[0].startswith("-"):
        piece = words[0] if words else "git"
        raise refused(piece, "git's own options are the program's to give", f"Write git COMMAND. {there}")
    name, *rest = words
    known = TABLES.get(name)
    if known is None:
        raise refused(f"git {name}", "it is not among git's commands that only read", there)
    given = take_apart(f"git {name}", rest, known, number=_NUMBERED.get(name, ""))
    repository = _Repository(place)
    for option, value in given.options:
        repository.check_value(name, option, value or "")
    before, paths = repository.operands(name, given)

    def shown(kind: OptionKind, value: str) -> str:
        return repository.revision(value) if kind is OptionKind.REVISION else value

    options = [*_subcommand(name), *rebuilt(given, known, shown), *_own(name, given)]
    return [
        (
            "--no-pager",
            name,
            *git.OPTIONS.get(name, ()),
            *options,
            *before,
            *repository.held(name, paths, given),
        )
    ]


def environment(call: Sequence[str], place: CommandWorkspace) -> Mapping[str, str]:
    """Variables for one of `calls`. Raises CommandRefused where the repository's configuration cannot be read."""
    hardened = git.hardened(place.root.path, call[1])
    if hardened is None:
        raise CommandRefused(
            "git was refused: the repository's configuration cannot be read.", piece="git", instead=""
        )
    return {**hardened, **_ENVIRONMENT}


def programs_named(place: CommandWorkspace) -> str:
    """Return the settings of the repository that name programs or lead outside; empty where there are none."""
    folder = place.root.path
    listed = git.run(folder, ("config", "--list", "--local", "-z", "--includes"))
    if listed is None:
        return "its configuration cannot be read"
    for entry in os.fsdecode(listed.out).split("\0"):
        key, _, value = entry.partition("\n")
        if _PROGRAMS.fullmatch(key.lower()) and not (
            key.lower() == "core.fsmonitor" and value in ("false", "")
        ):
            return f"its own configuration sets {key}"
    found, top = folders(place), _line(place, "--show-toplevel")
    if not all(f"{each}/".startswith(f"{os.path.realpath(top)}/") for each in found):
        return "its data lies outside"
    if any(Path(each, "objects", "info", "alternates").exists() for each in found):
        return "it takes objects from another repository"
    return ""


def folders(place: CommandWorkspace) -> tuple[str, ...]:
    """Return the folders of the repository's data."""
    named = (_line(place, "--absolute-git-dir"), _line(place, "--git-common-dir"))
    paths = (os.path.realpath(place.root.path / each) for each in named if each)
    return tuple(dict.fromkeys(paths))


def _line(place: CommandWorkspace, asked: str) -> str:
    told = git.run(place.root.path, ("rev-parse", asked))
    return os.fsdecode(told.out).rstrip("\n") if told is not None else ""


class _Repository:
    """The repository of a workspace. `top`: the workspace's path in it, with `/` behind it; empty where it is the whole
    of it."""

    def __init__(self, place: CommandWorkspace) -> None:
        self._place = place
        if not _line(place, "--is-inside-work-tree"):
            instead = "Use the other programs."
            raise CommandRefused("This workspace is no git repository.", piece="git", instead=instead)
        self.top = _line(place, "--show-prefix")

    def check_value(self, name: str, option: str, value: str) -> None:
        """Raises CommandRefused for a value that would run a program, or name what lies outside."""
        if _SIGNED.search(value):
            raise refused(value, "it would run a program that checks signatures", "Leave %G out.")
        if option == "-L" and name in ("log", "show"):
            self._pathspec(value.rpartition(":")[2])

    def operands(self, name: str, given: ParsedArguments) -> tuple[list[str], list[str]]:
        """Revisions or patterns, and paths. git guesses which is which; here what is there as a file, and is no
        revision, is a path."""
        dashed = len(given.operands) if given.dashed is None else given.dashed
        plain = [*given.operands[:dashed]]
        paths = [self._pathspec(each) for each in given.operands[dashed:]]
        before: list[str] = []
        if name == "grep" and not given.has("-e"):
            if not plain:
                raise refused("git grep", "it has no pattern", "Write git grep PATTERN.")
            before += ["-e", plain.pop(0)]
        for each in plain:
            if name in _ONLY_PATHS or (name in _TAKE_PATHS and self._is_path(each)):
                paths.append(self._pathspec(each))
            else:
                before.append(self._named(name, each, given))
        if name == "shortlog" and not before:
            before.append("HEAD")  # else it reads standard input
        return before, paths

    def _named(self, name: str, word: str, given: ParsedArguments) -> str:
        if name == "remote":
            raise refused(word, "remotes are listed alone", "Write git remote -v.")
        if name in _LIST_ONLY:
            if not given.has("-l", "--list"):
                raise refused(word, f"git {name} NAME would make one", f"Write git {name} --list {word}.")
            return word
        if name in _LIST_REFERENCES:
            if not _REFERENCES.fullmatch(word) or word in _WRITES or word.startswith("-"):
                raise refused(word, "it is no name of references", "Write refs/heads, or a branch.")
            return word
        return self.revision(word)

    def revision(self, word: str) -> str:
        """A revision, a range, or a file of one, as it is passed on. Raises CommandRefused."""
        revision, colon, path = (word, "", "") if _DATED.fullmatch(word) else word.partition(":")
        for each in re.split(r"\.\.\.?", revision):
            if each and not (_REVISION.fullmatch(each) or _DATED.fullmatch(each)):
                raise refused(
                    word, "it is no revision", "Write a commit, branch, tag, A..B or REVISION:PATH."
                )
            if self.top and each and not self._is_commit(each.lstrip("^")):
                raise refused(
                    word, "it is no commit, and this workspace is a part of its repository", "Name a commit."
                )
        return f"{revision}:./{self._inside(word, path)}" if colon else word

    def held(self, name: str, paths: Sequence[str], given: ParsedArguments) -> list[str]:
        """The paths, behind `--`: the workspace where none was named and the repository is larger."""
        if name not in _TAKE_PATHS:
            return []
        if given.has("--follow") or name in ("blame", "ls-tree"):
            return ["--", *paths] if paths else []
        tells = name in _TELL_CONTENT or given.has(*_ASKED_FOR_CONTENT)
        if not paths and not self.top and not tells:
            return []
        return ["--", *(paths or ["."]), f":(exclude){SHARED_FOLDER}", f":(exclude,glob)**/{STATE_FOLDER}/**"]

    def _is_commit(self, word: str) -> bool:
        asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{word}^{{commit}}")
        return git.run(self._place.root.path, asked) is not None

    def _is_path(self, word: str) -> bool:
        if ":" in word or word in ("HEAD", "@"):
            return False
        asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", word)
        if git.run(self._place.root.path, asked) is not None:
            return False
        return "/" in word or not _REVISION.fullmatch(word) or os.path.lexists(self._place.root.path / word)

    def _pathspec(self, word: str) -> str:
        """A path of the workspace, which may be gone from the disk."""
        if word.startswith(":"):
            raise refused(word, "git's signs before paths are not taken", "Write the path itself.")
        bare = word.rstrip("/") or word
        try:
            path = "." if bare in (".", "./", "") else self._place.root.normalise(bare)
        except PathRefused as error:
            raise CommandRefused(f"path escapes base directory: {word}", piece=word, instead="") from error
        at = self._place.root.path / path
        if os.path.lexists(at):
            named = self._place.path(OptionKind.PATH, bare)
            return path if at.is_symlink() else named  # git knows the link, not what is behind it
        return path

    def _inside(self, word: str, path: str) -> str:
        """The path of `REVISION:PATH` below the workspace."""
        if path.startswith("./"):
            inside = path.removeprefix("./")
        elif path.startswith(self.top):
            inside = path.removeprefix(self.top)
        else:
            raise refused(word, "it lies outside the workspace", "Write REVISION:./PATH.")
        parts = inside.split("/")
        if inside.startswith("/") or ".." in parts or any(map(protected, parts)):
            raise CommandRefused(f"path escapes base directory: {path}", piece=word, instead="")
        return inside


def _subcommand(name: str) -> list[str]:
    return ["show"] if name == "reflog" else []


def _own(name: str, given: ParsedArguments) -> list[str]:
    """Options of the program's own, so that nothing is written, and what is ignored is left out."""
    if name == "ls-files" and given.has("-o", "--others"):
        return ["--exclude-standard"]
    return ["--list"] if name in _LIST_ONLY and not given.has("--show-current") else []
