"""Changes of a library's public API between two tags of its repository.

python -m benchmarks.api_changes REPOSITORY FROM TO --project PATH [--json OUT]

Both states are checked out into scratch clones and indexed; PATH is the project file, in the repository (one that was
moved between the tags is found by its name). Prints one JSON object: added and removed (documentation ids), changed
([id, signature before, after]), breaking ([code, sentence], as Microsoft's ApiCompat tells it).
"""

from __future__ import annotations

import argparse
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from benchmarks.harness.corpus import settings
from services.bench import Bench
from services.review.api.compare import ApiChanges, compared
from services.review.api.sides import surface
from services.review.api.symbol import ApiSymbol

_MATTER = (
    "*.cs", "*.sln*", "*.*proj", "*.projitems", "*.props", "*.targets", "*.json", "*.config", ".*ignore",
)  # fmt: skip
"""What is checked out: a mirror may lack what is large and no source."""


class Side(msgspec.Struct, kw_only=True, frozen=True):
    """A state of a library."""

    assembly: str
    framework: str
    api: Mapping[str, ApiSymbol]


def side(repository: Path, tag: str, project: str) -> Side:
    """The public API of a project at a tag."""
    with TemporaryDirectory(prefix="codecortex-api-") as temporary:
        folder = Path(temporary, "clone")
        _git("clone", "-q", "--shared", "--no-checkout", str(repository), str(folder))
        _git("-C", str(folder), "sparse-checkout", "set", "--no-cone", *_MATTER)
        try:
            _git("-C", str(folder), "checkout", "-q", "--detach", tag)
        except subprocess.CalledProcessError:
            raise SystemExit(f"{repository} has no tag or commit {tag}.") from None
        project = _placed(folder, project, tag)
        # From the root, so that what stands in folders above the project counts; by itself where no solution has it.
        for opened in (folder, folder / project):
            with Bench.open(opened, settings=settings(2)) as bench:
                found = _read(bench, (folder / project).relative_to(bench.root).as_posix())
                if found is not None:
                    return found
    raise SystemExit(f"{project} is no project at {tag}.")


def _placed(folder: Path, project: str, tag: str) -> str:
    """Return the path of a project at a tag: the given one, else that of the only project of its name, as projects
    are moved."""
    if (folder / project).is_file():
        return project
    found = sorted(
        each.relative_to(folder).as_posix() for each in folder.rglob(Path(project).name) if each.is_file()
    )
    if len(found) == 1:
        return found[0]
    others = f" Others of that name: {', '.join(found)}." if found else ""
    raise SystemExit(f"There is no {project} at {tag}.{others}")


def _read(bench: Bench, path: str) -> Side | None:
    bench.index.refresh()
    own = next((each for each in bench.health.status().projects if each.path == path), None)
    if own is None:
        return None
    bench.index.relate()
    api = surface(bench.index.facade, [own.name])
    return Side(assembly=own.name, framework=own.target_framework or "", api=api)


def row(repository: Path, tags: tuple[str, str], project: str) -> dict[str, Any]:
    """Return the printed row of two tags."""
    old, new = (side(repository, tag, project) for tag in tags)
    changes = compared(old.api, new.api, name=f"{new.assembly}-{tags[1]}")
    return {
        "repo": repository.resolve().name,
        "assembly": new.assembly,
        "from": tags[0],
        "to": tags[1],
        "tfm": [old.framework, new.framework],
        **as_lists(changes),
    }


def as_lists(changes: ApiChanges) -> dict[str, list[Any]]:
    """Changes as lists of ids, signatures and sentences."""
    return {
        "added": [each.id for each in changes.added],
        "removed": [each.id for each in changes.removed],
        "changed": [
            [each.id, each.before.signature, each.after.signature]
            for each in changes.changed
            if each.before is not None and each.after is not None
        ],
        "breaking": [[each.code, each.bare] for each in changes.breaking],
    }


def _git(*words: str) -> None:
    subprocess.run(["git", *words], check=True, stderr=subprocess.DEVNULL)


def main() -> None:
    """Compare, print and store the results."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the clones go, too
    chosen = _options().parse_args()
    answer = msgspec.json.encode(row(chosen.repository, (chosen.old, chosen.new), chosen.project))
    print(answer.decode())
    if chosen.json:
        chosen.json.write_bytes(answer)


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m benchmarks.api_changes", description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    options.add_argument("repository", type=Path)
    options.add_argument("old", metavar="FROM", help="a tag, or any commit")
    options.add_argument("new", metavar="TO")
    options.add_argument(
        "--project", required=True, metavar="PATH", help="the project file, in the repository"
    )
    options.add_argument("--json", type=Path, metavar="OUT", help="write the same to this file")
    return options


if __name__ == "__main__":
    main()
