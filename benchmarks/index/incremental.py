"""Whether an index that followed edits equals a fresh one: edits, renames, deletions and branch switches, at random.

python -m benchmarks.index.incremental CORPUS_FOLDER [--edits 1000] [--seed 1] [--every 100]
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from services.index.index import Index
from services.model import Progress
from services.settings import IndexSettings
from services.workspace.files.openers import SHARED_FOLDER
from services.workspace.files.root import Root
from services.workspace.state import StateFolder

_IDENTITY = (
    "-c",
    "user.name=benchmark",
    "-c",
    "user.email=benchmark@localhost",
    "-c",
    "commit.gpgsign=false",
)
_BRANCHES = 4
_TYPE = re.compile(r"\b(?:class|struct|interface|enum|record) (\w+)")
_OPEN = re.compile(r"\{[ \t]*\r?\n")
_SWITCH = 25  # one edit in so many is a change of branch


class Editor:
    """Random editor of a folder under git; each edit returns the paths that a watcher would report, or None
    for many."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.random = random.Random(seed)
        self.made: Counter[str] = Counter()
        self._edits: tuple[Callable[[str], list[str]], ...] = (
            self._body, self._member, self._comment, self._cut, self._retype,
            self._delete, self._rename, self._move, self._double, self._swap, self._project,
        )  # fmt: skip

    def prepare(self) -> None:
        """Makes the branches: each a few dozen edits away from the first."""
        self._git("init", "-q", "-b", "b0")
        (self.folder / ".git/info/exclude").write_text(f"{SHARED_FOLDER}/\n")
        self._commit()
        for at in range(1, _BRANCHES):
            self._git("checkout", "-q", "-b", f"b{at}", "b0")
            for _ in range(40):
                self._one()
            self._commit()
        self.made.clear()

    def edit(self) -> list[str] | None:
        """Make one edit, or change the branch."""
        if self.random.randrange(_SWITCH):
            return self._one()
        self._commit()
        self._git("checkout", "-q", f"b{self.random.randrange(_BRANCHES)}")
        self.made["branch"] += 1
        return None

    def _one(self) -> list[str]:
        edit = self.random.choice(self._edits)
        self.made[edit.__name__.strip("_")] += 1
        return edit(self.random.choice(self._files(".cs")))

    def _files(self, ending: str) -> list[str]:
        found = self._git("ls-files", "-co", "--exclude-standard", "-z").split("\0")
        return sorted(path for path in found if path.endswith(ending) and (self.folder / path).is_file())

    def _git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *_IDENTITY, *arguments], cwd=self.folder, capture_output=True, text=True, check=True
        )
        return done.stdout

    def _commit(self) -> None:
        self._git("add", "-A")
        self._git("commit", "-q", "--allow-empty", "-m", "edits")

    def _read(self, path: str) -> str:
        return (self.folder / path).read_bytes().decode("utf-8", "surrogateescape")

    def _write(self, path: str, text: str) -> list[str]:
        where = self.folder / path
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_bytes(text.encode("utf-8", "surrogateescape"))
        return [path]

    # Edits

    def _body(self, path: str) -> list[str]:
        number = self.random.randrange(1000)
        return self._write(path, re.sub(r"\breturn\b", f"return {number} +", self._read(path), count=1))

    def _member(self, path: str) -> list[str]:
        name = self.random.choice(_TYPE.findall(self._read(path)) or ["int"])
        member = f"public {name} Added{self.random.randrange(50)}() => throw null;\n"
        return self._inserted(path, member)

    def _comment(self, path: str) -> list[str]:
        return self._inserted(path, f"    /// <summary>Said {self.random.randrange(50)}.</summary>\n")

    def _inserted(self, path: str, text: str) -> list[str]:
        old = self._read(path)
        places = [match.end() for match in _OPEN.finditer(old)] or [len(old)]
        at = self.random.choice(places)
        return self._write(path, old[:at] + text + old[at:])

    def _cut(self, path: str) -> list[str]:
        lines = self._read(path).splitlines(keepends=True)
        at = self.random.randrange(len(lines) or 1)
        return self._write(path, "".join(lines[:at] + lines[at + self.random.randrange(1, 9) :]))

    def _retype(self, path: str) -> list[str]:
        text = self._read(path)
        names = _TYPE.findall(text)
        if not names:
            return self._comment(path)
        old = self.random.choice(names)
        return self._write(path, re.sub(rf"\b{old}\b", f"{old}{self.random.randrange(9)}", text))

    def _delete(self, path: str) -> list[str]:
        (self.folder / path).unlink()
        return [path]

    def _rename(self, path: str) -> list[str]:
        return self._moved(path, path.removesuffix(".cs") + f"{self.random.randrange(9)}.cs")

    def _move(self, path: str) -> list[str]:
        other = self.random.choice(self._files(".cs")).rpartition("/")[0]
        return self._moved(path, f"{other}/{path.rpartition('/')[2]}".lstrip("/"))

    def _moved(self, path: str, to: str) -> list[str]:
        text = self._read(path)
        self._delete(path)
        return [path, *self._write(to, text)]

    def _double(self, path: str) -> list[str]:
        return self._write(path.removesuffix(".cs") + ".Copy.cs", self._read(path))

    def _swap(self, path: str) -> list[str]:
        other = self.random.choice(self._files(".cs"))
        mine, its = self._read(path), self._read(other)
        return self._write(path, its) + self._write(other, mine)

    def _project(self, path: str) -> list[str]:
        projects = self._files(".csproj")
        if not projects:
            return self._comment(path)
        project = self.random.choice(projects)
        text = self._read(project)
        added = f"<PropertyGroup><DefineConstants>$(DefineConstants);D{self.random.randrange(9)}</DefineConstants>"
        return self._write(project, text.replace("</Project>", f"{added}</PropertyGroup></Project>"))


@contextmanager
def indexed(folder: Path) -> Iterator[Index]:
    """An index of a folder, brought up to date, with what depends on what."""
    root = Root.open(folder)
    state = StateFolder.open(root)
    index = Index(root, state, settings=IndexSettings())
    try:
        index.load()
        index.refresh(report=silent, cancel=None)
        yield index
    finally:
        index.close()
        state.close()
        root.close()


def silent(_: Progress) -> None:
    """Ignore the report."""


def told(index: Index) -> list[str]:
    """Return everything that an index knows of its symbols, sorted: their values, hashes, dependencies and users."""
    index.dependencies.relate()
    lines = [msgspec.json.encode(symbol).decode() for symbol in index.symbols()]
    for at, _ in list(index.catalogue.live_types()):
        detail = index.detail(at)
        if detail is not None:
            links = {
                "hashes": detail.hashes,
                "parts": sorted(f"{part.file}:{part.start_line} {part.quality}" for part in detail.parts),
                "depends": sorted(f"{link.fqn} {link.type_id} {link.count}" for link in detail.depends_on),
                "used": sorted(f"{link.fqn} {link.type_id} {link.count}" for link in detail.used_by),
            }
            lines.append(f"{detail.symbol.id} {json.dumps(links)}")
    lines.append(f"qualities {sorted(index.qualities().items())} counts {index.counts()}")
    return sorted(lines)


def fresh(folder: Path) -> list[str]:
    """Return the answers of an index that has never seen the folder before."""
    with TemporaryDirectory(prefix="codecortex-fresh-") as temporary:
        copy = Path(temporary) / folder.name
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(SHARED_FOLDER), symlinks=True)
        with indexed(copy) as index:
            return told(index)


def compare(folder: Path, *, edits: int, seed: int, every: int) -> int:
    """Edits a folder and compares every so often; how many comparisons differed."""
    editor = Editor(folder, seed)
    editor.prepare()
    differed = 0
    spent = 0.0
    with indexed(folder) as index:
        for done in range(1, edits + 1):
            paths = editor.edit()
            began = time.perf_counter()
            if paths is None or not all(path.endswith(".cs") for path in paths):
                index.refresh(report=silent, cancel=None)
            else:
                index.update(paths, report=silent, cancel=None)
            spent += time.perf_counter() - began
            if done % 7 == 0:
                index.dependencies.relate()
            if done % every == 0 or done == edits:
                differed += not _equal(told(index), fresh(folder), done)
    kinds = ", ".join(f"{count} {kind}" for kind, count in editor.made.most_common())
    print(f"{edits} edits ({kinds}); {spent / edits * 1000:.0f} ms each; {differed} comparisons differed")
    return differed


def _equal(mine: list[str], its: list[str], done: int) -> bool:
    only_mine, only_its = sorted(set(mine) - set(its)), sorted(set(its) - set(mine))
    print(
        f"after {done} edits: {len(its)} facts, {len(only_mine)} stale, {len(only_its)} missing", flush=True
    )
    for sign, lines in (("+", only_mine), ("-", only_its)):
        for line in lines[:3]:
            print(f"  {sign} {line[:600]}")
    return mine == its


def main() -> None:
    """Copy, edit, compare."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.index.incremental", description=__doc__)
    options.add_argument("corpus", type=Path, help="the folder; a copy of it is edited")
    options.add_argument("--edits", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--every", type=int, default=100, help="edits between two comparisons")
    chosen = options.parse_args()
    with TemporaryDirectory(prefix="codecortex-edits-") as temporary:
        copy = Path(temporary) / chosen.corpus.resolve().name
        ignored = shutil.ignore_patterns(".git", SHARED_FOLDER)
        shutil.copytree(chosen.corpus, copy, ignore=ignored, symlinks=True)
        raise SystemExit(min(compare(copy, edits=chosen.edits, seed=chosen.seed, every=chosen.every), 1))


if __name__ == "__main__":
    main()
