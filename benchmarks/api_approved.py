"""Accuracy of a library's public API, compared with the listing that its own tests have approved.

python -m benchmarks.api_approved REPOSITORY TAG --project PATH --approved PATH [--show 10]

An approved listing is what PublicApiGenerator writes of the compiled library, as Serilog, FluentAssertions and
Quartz.NET keep it. It is C#, so that it is indexed as a project of its own. It leaves out what the compiler makes of
records.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.api_changes import side
from benchmarks.harness.corpus import settings
from services.bench import Bench
from services.review.api.sides import surface
from services.review.api.symbol import ApiSymbol

_PROJECT = """<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>
<TargetFramework>{}</TargetFramework><LangVersion>latest</LangVersion></PropertyGroup></Project>"""
_ATTRIBUTE = re.compile(r"^\[assembly:.*$", re.MULTILINE)


def approved(text: str, framework: str) -> Mapping[str, ApiSymbol]:
    """The API of a listing."""
    with TemporaryDirectory(prefix="codecortex-api-") as temporary:
        folder = Path(temporary)
        (folder / "Approved.csproj").write_text(_PROJECT.format(framework), "utf-8")
        (folder / "Approved.cs").write_text(_ATTRIBUTE.sub("", text.lstrip("\ufeff")), "utf-8")
        with Bench.open(folder, settings=settings(1)) as bench:
            bench.index.refresh()
            bench.index.relate()
            return surface(bench.index.facade, ["Approved"])


def main() -> None:
    """Compare and print."""
    chosen = _options().parse_args()
    own = side(chosen.repository, chosen.tag, chosen.project)
    command = ["git", "-C", str(chosen.repository), "show", f"{chosen.tag}:{chosen.approved}"]
    listed = approved(subprocess.run(command, check=True, capture_output=True).stdout.decode(), own.framework)
    # A listing shows no constructor that nobody can call, and so seems to have one that the compiler makes.
    theirs = {key for key, each in listed.items() if not each.implicit}
    ours = {key for key, each in own.api.items() if not each.implicit}
    both = theirs & own.api.keys()
    print(
        f"{own.assembly} {chosen.tag} ({own.framework}): {len(both)} of {len(theirs)} approved members are told,"
    )
    print(f"{len(ours & listed.keys())} of {len(ours)} told ones are approved")
    for sign, keys in (("-", theirs - own.api.keys()), ("+", ours - listed.keys())):
        print("".join(f"  {sign} {key}\n" for key in sorted(keys)[: chosen.show]), end="")


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m benchmarks.api_approved", description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    options.add_argument("repository", type=Path)
    options.add_argument("tag")
    options.add_argument(
        "--project", required=True, metavar="PATH", help="the project file, in the repository"
    )
    options.add_argument("--approved", required=True, metavar="PATH", help="the listing, in the repository")
    options.add_argument("--show", type=int, default=10, help="differences of each sort to print")
    return options


if __name__ == "__main__":
    main()
