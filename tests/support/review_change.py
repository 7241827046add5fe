"""A small library with a test project in a repository, for reviews of changes of it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from services.bench.bench import Bench
from tests.support.workspace import indexed, project

CODE = """namespace N;

public class Shop
{
    public int Sum(int a)
    {
        return a;
    }

    public int Twice(int a) => Sum(a) + Sum(a);
}
"""
TESTS = """namespace N.Tests;

public class ShopTests
{
    [Fact]
    public void Sums() => new N.Shop().Twice(2);
}
"""
_NET = "<TargetFramework>net8.0</TargetFramework>"


def git(folder: Path, *words: str) -> str:
    """Return the output of git."""
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@contextmanager
def committed(folder: Path, more: Mapping[str, str] | None = None) -> Iterator[Bench]:
    """Yield a workspace over the library, all of it in one commit. `more`: further files."""
    git(folder, "init", "-q")
    reference = '<ItemGroup><ProjectReference Include="..\\Lib\\Lib.csproj" /></ItemGroup>'
    files = {
        "Lib/Lib.csproj": project(_NET), "Lib/Shop.cs": CODE, ".gitignore": ".context/\n",
        "Lib.Tests/Lib.Tests.csproj": project(_NET).replace("</Project>", f"{reference}</Project>"),
        "Lib.Tests/ShopTests.cs": TESTS, **(more or {}),
    }  # fmt: skip
    with indexed(folder, files) as made:
        git(folder, "add", ".")
        git(folder, "commit", "-qm", "one")
        yield made


def write(bench: Bench, text: str, path: str = "Lib/Shop.cs") -> None:
    """Writes a file, and brings the index up to date."""
    (bench.root / path).write_text(text)
    bench.index.refresh()


def commit(bench: Bench, text: str, path: str = "Lib/Shop.cs") -> str:
    """Commits a file; the id."""
    write(bench, text, path)
    git(bench.root, "add", ".")
    git(bench.root, "commit", "-qm", "more")
    return git(bench.root, "rev-parse", "HEAD")
