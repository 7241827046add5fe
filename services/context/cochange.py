"""Commit history of a repository, as evidence of which files change together."""

from __future__ import annotations

import math
import os
import re
import threading
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from heapq import nlargest
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec
import numpy as np

from services.context.words import STOP_WORDS, identifiers, terms
from services.settings.personal import read_small
from services.workspace.scan.git import run
from services.workspace.source_kinds import is_source

MOST_FILES = 60
"""A commit of more files tells nothing of any two of them."""
_MOST_SUBJECT = 400
_TIMEOUT = 120.0
_COMMITS = re.compile(rb"\x01(?=[0-9a-f]{40,64} -?\d+\x02)")
_FORMAT = "--format=%x01%H %ct%x02%s%x03"
_LONGEST = 4_096
"""Bytes of a file that says which commit is checked out."""
_REF, _FOLDER = b"ref: ", b"gitdir: "


class LoggedCommit(NamedTuple):
    """Commit. `files`: paths from the workspace's root, under their names at that time; `moved`: (old, new) path."""

    id: str
    time: int
    terms: tuple[int, ...]
    files: tuple[str, ...]
    moved: tuple[tuple[str, str], ...]


def tip(folder: Path, revision: str = "HEAD") -> str | None:
    """The commit that is checked out; None where there is none."""
    answer = run(folder, ("rev-parse", "--quiet", "--verify", "--end-of-options", f"{revision}^{{commit}}"))
    return answer.out.decode("ascii", "replace").strip() if answer else None


def is_ancestor(folder: Path, old: str, new: str) -> bool:
    """Whether a commit came before another; False also where git does not know it (any more)."""
    return run(folder, ("merge-base", "--is-ancestor", old, new)) is not None


def read(
    folder: Path, tip: str, *, since: str | None = None, cancel: threading.Event | None = None
) -> Iterator[LoggedCommit]:
    """The commits up to `tip` that are no merges, the newest first; only those that `since` does not have. Commits that
    cannot be read are left out. Raises Cancelled."""
    arguments = [
        *("log", "--no-merges", "--no-color", "--encoding=UTF-8", "-z"),
        *("--name-status", "-M100%", "-l2000", "--relative", _FORMAT, tip),
        *((f"^{since}",) if since else ()),
        "--",
    ]
    answer = run(folder, arguments, timeout=_TIMEOUT, cancel=cancel)
    if answer is None:
        return
    for piece in _COMMITS.split(answer.out)[1:]:
        commit = _commit(piece)
        if commit is not None:
            yield commit


def _commit(piece: bytes) -> LoggedCommit | None:
    head, _, rest = piece.partition(b"\x02")
    subject, _, names = rest.partition(b"\x03")
    id_, _, time = head.partition(b" ")
    if not time.strip().lstrip(b"-").isdigit():
        return None
    text = subject[: 4 * _MOST_SUBJECT].decode("utf-8", "replace")[:_MOST_SUBJECT]
    files, moved = _files(names)
    return LoggedCommit(id_.decode("ascii", "replace"), int(time), _terms(text), files, moved)


def _terms(subject: str) -> tuple[int, ...]:
    names = (name for name in identifiers(subject) if name.lower() not in STOP_WORDS)
    return tuple(dict.fromkeys(term for name in names for term in terms(name, prose=True)))


def _files(names: bytes) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The C# files of a commit under their new names, and those that moved: by git's word, or since a file of the same
    name went elsewhere in the same commit."""
    fields = [field.lstrip(b"\n") for field in names.lstrip(b"\0\n").split(b"\0")]
    gone: dict[str, str] = {}
    come: dict[str, str] = {}
    files: list[str] = []
    moved: list[tuple[str, str]] = []
    at = 0
    while at + 1 < len(fields):
        state, path = fields[at][:1], _path(fields[at + 1])
        at += 2
        if state in b"RC" and state:
            new = _path(fields[at]) if at < len(fields) else path
            at += 1
            if state == b"R":
                moved.append((path, new))
            path = new
        if not is_source(path):
            continue
        if state == b"D":
            gone[PurePosixPath(path).name] = path
            continue
        if state == b"A":
            come[PurePosixPath(path).name] = path
        files.append(path)
    moved += [(old, come[name]) for name, old in gone.items() if name in come]
    return tuple(files), tuple(moved)


def _path(name: bytes) -> str:
    """Return a path of git. One that is not UTF-8 is of no file that an index has; half a surrogate could not be
    stored."""
    return name.decode("utf-8", "replace")


class Tip:
    """Commit that is checked out in a workspace; git runs only when its HEAD or reference files change. Not
    thread-safe."""

    def __init__(self, folder: Path) -> None:
        """`folder`: the workspace's root."""
        self._folder = folder
        self._told = ""
        self._told_of: tuple[object, ...] | None = None

    def now(self) -> str:
        """The commit; empty where there is none."""
        stamp = _stamp(
            self._folder
        )  # before git is asked: a commit that comes meanwhile is seen the next time
        if stamp is None or stamp != self._told_of:
            self._told, self._told_of = tip(self._folder) or "", stamp
        return self._told


def _stamp(folder: Path) -> tuple[object, ...] | None:
    """Another value whenever another commit may be checked out (gitrepository-layout(5)); None where only git knows."""
    found = next((each for at in (folder, *folder.parents) if (each := at / ".git").exists()), None)
    if found is None:
        return ()
    private = _named(found, _FOLDER) if found.is_file() else found
    if private is None:
        return None
    shared = _named(private / "commondir", b"") or private
    head = _read(private / "HEAD")
    if head is None or not head.startswith(_REF):
        return None if head is None else (str(private), head)
    name = os.fsdecode(head.removeprefix(_REF).strip())
    if not name.startswith("refs/") or ".." in name:
        return None
    ref = _read(shared / name)
    if ref is not None and ref.startswith(_REF):  # which names another one
        return None
    tables = (_status(shared / each) for each in ("packed-refs", "reftable/tables.list"))
    return str(private), head, ref, *tables


def _named(file: Path, prefix: bytes) -> Path | None:
    """The folder that a file names, by its absolute path or from where it lies."""
    told = _read(file)
    if told is None or not told.startswith(prefix):
        return None
    return file.parent / os.fsdecode(told.removeprefix(prefix).strip())


def _read(file: Path) -> bytes | None:
    """The content of a file; None of what is none that git writes."""
    with suppress(OSError, ValueError):
        return read_small(file, _LONGEST)
    return None


def _status(file: Path) -> tuple[int, int, int] | None:
    with suppress(OSError, ValueError):
        found = file.stat()
        return found.st_ino, found.st_size, found.st_mtime_ns
    return None


_SHORT = 3  # words that are added to each subject: one word alone is not all that a commit is about
HALF_LIFE = 3 * 365 * 24 * 3600.0
"""Seconds after which a commit counts half."""
_LATELY, _HALF_OF_LATELY = 60, 8
"""The newest commits that tell what is being worked on, and how many before one counts half."""


class CoChange(NamedTuple):
    """How a file changed with others. `score`: commits, those long ago and those of many files counting less; `times`:
    in so many commits with `other`, which changed in `of`."""

    score: float
    times: int
    of: int
    other: str


class About(NamedTuple):
    """Similarity of a file to words: it changed in `times` of the commits whose messages match them."""

    score: float
    times: int


class StoredHistory(msgspec.Struct, array_like=True):
    """Serialised history. `commits`: (time, terms, files by number), the oldest first."""

    tip: str
    names: list[str]
    commits: list[tuple[int, tuple[int, ...], tuple[int, ...]]]


class CoChangeHistory:
    """Commits up to `tip`, under the names that files have now. Not thread-safe while it is added to."""

    def __init__(self, kept: StoredHistory | None = None) -> None:
        self.tip = kept.tip if kept else ""
        self._names = list(kept.names) if kept else []
        self._commits = list(kept.commits) if kept else []
        self._index()

    def __len__(self) -> int:
        return len(self._commits)

    def stored(self) -> StoredHistory:
        """Return the history in its serialised form."""
        return StoredHistory(self.tip, self._names, self._commits)

    def add(self, tip: str, commits: Iterable[LoggedCommit]) -> None:
        """Takes commits, the newest first, that come after those it has."""
        now: dict[str, str] = {}  # by the name of then
        number = {name: at for at, name in enumerate(self._names)}
        new: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = []
        for commit in commits:
            files = tuple(dict.fromkeys(now.get(path, path) for path in commit.files))
            for old, moved in commit.moved:
                now[old] = now.get(moved, moved)
            if 0 < len(files) <= MOST_FILES:
                numbers = tuple(number.setdefault(path, len(number)) for path in files)
                new.append((commit.time, commit.terms, numbers))
        self._names = [now.get(name, name) for name in number]
        self._commits += reversed(new)
        self.tip = tip
        self._unite()
        self._index()

    def _unite(self) -> None:
        """Merge the numbers of files that have the same name by now."""
        number: dict[str, int] = {}
        to = [number.setdefault(name, len(number)) for name in self._names]
        if len(number) != len(to):
            self._names = list(number)
            self._commits = [
                (time, terms, tuple(dict.fromkeys(to[at] for at in files)))
                for time, terms, files in self._commits
            ]

    def _index(self) -> None:
        self._number = {name: at for at, name in enumerate(self._names)}
        self._of_file: dict[int, array[int]] = defaultdict(lambda: array("I"))
        self._of_term: dict[int, array[int]] = defaultdict(lambda: array("I"))
        for at, (_, words, files) in enumerate(self._commits):
            for file in files:
                self._of_file[file].append(at)
            for term in words:
                self._of_term[term].append(at)
        self._now = self._commits[-1][0] if self._commits else 0
        self._worth = np.array(
            [self._weight(at) / math.sqrt(len(files)) for at, (_, _, files) in enumerate(self._commits)]
        )

    def _weight(self, commit: int) -> float:
        return 0.5 ** (max(0, self._now - self._commits[commit][0]) / HALF_LIFE)

    def lately(self) -> dict[str, float]:
        """The files that the newest commits changed, the newest commit and those of few files counting most."""
        score: defaultdict[int, float] = defaultdict(float)
        for age, (_, _, files) in enumerate(reversed(self._commits[-_LATELY:])):
            for file in files:
                score[file] += 0.5 ** (age / _HALF_OF_LATELY) / math.sqrt(len(files))
        return {self._names[file]: each for file, each in score.items()}

    def together(self, seeds: Mapping[str, float]) -> dict[str, CoChange]:
        """The files that changed together with any of these, which count as they weigh; of these themselves, those that
        changed with each other."""
        score: defaultdict[int, float] = defaultdict(float)
        best: dict[int, tuple[int, int, int]] = {}
        for path, weight in seeds.items():
            at = self._number.get(path)
            commits = self._of_file.get(at) if at is not None else None
            if at is None or not commits:
                continue
            times: Counter[int] = Counter()
            for commit in commits:
                files = self._commits[commit][2]
                share = weight * self._weight(commit) / max(1, len(files) - 1)
                for file in files:
                    if file != at:
                        score[file] += share
                        times[file] += 1
            for file, count in times.items():
                best[file] = max(best.get(file, (0, 0, 0)), (count, len(commits), at))
        told = ((file, *best[file]) for file in score)
        return {self._names[f]: CoChange(score[f], n, of, self._names[at]) for f, n, of, at in told}

    def alike(self, likely: Mapping[str, float], *, most: int = 60) -> dict[str, float]:
        """The files of the `most` commits that changed most of these, which count as they weigh; commits long ago and
        those of many files count less."""
        likeness = np.zeros(len(self._commits))
        for path, weight in likely.items():
            if path in self._number:
                likeness[np.asarray(self._of_file[self._number[path]], np.intp)] += weight
        likeness *= self._worth
        score: defaultdict[int, float] = defaultdict(float)
        for commit in np.argsort(-likeness, kind="stable")[:most].tolist():
            files = self._commits[commit][2]
            if likeness[commit] and len(files) > 1:
                for file in files:
                    score[file] += float(likeness[commit]) ** 2
        return {self._names[file]: each for file, each in score.items()}

    def about(self, query: Mapping[int, float], *, most: int = 60) -> dict[str, About]:
        """The files of the `most` commits whose subjects have most of these words, which count as they weigh."""
        found: defaultdict[int, float] = defaultdict(float)
        count = max(1, len(self._commits))
        for term, weight in query.items():
            commits = self._of_term.get(term, ())
            rarity = math.log(1 + count / len(commits)) if commits else 0.0
            for commit in commits:
                found[commit] += weight * rarity
        score: defaultdict[int, float] = defaultdict(float)
        times: Counter[int] = Counter()
        for commit, worth in nlargest(most, found.items(), key=lambda pair: (pair[1], pair[0])):
            _, terms, files = self._commits[commit]
            share = worth * worth * self._weight(commit) / math.sqrt(len(files) * (_SHORT + len(terms)))
            for file in files:
                score[file] += share
                times[file] += 1
        return {self._names[file]: About(each, times[file]) for file, each in score.items()}
