"""The test workflow over a C# project. No .NET runs here: in the place of its program stands one that answers with
recorded results, as they are, and with each outcome as though it had passed."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from services.llm.values import ChatMessage, End, Event, TextPiece, TokenUsage, Tool
from services.ops.jobs import OpState
from tests.services.agents.test_workflow import flow_of
from tests.support.forge import NOTIFY_SECRET, TOKEN
from tests.support.review_change import git
from tests.support.till_shop import calling
from tests.support.workspace import write_workspace

RECORDED = Path(__file__).parents[1] / "testing" / "recorded"
TEST = "Calc.Tests/TillTests.cs"
WRONG = "public class TillTests { [Xunit.Fact] public void Pays() => Xunit.Assert.Equal(5, new Calc.Till().Pay(2)); }\n"
OLD = "public class MoneyTests { [Xunit.Fact] public void Halves() => new Calc.Money().Half(4); }\n"
RIGHT = WRONG.replace("5", "4")
NET = "<PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup>"
PROJECT = '<Project Sdk="Microsoft.NET.Sdk">' + NET + "{}</Project>"
OF_TESTS = PROJECT.format(
    '<ItemGroup><PackageReference Include="xunit" Version="2.9.0" />'
    '<PackageReference Include="Microsoft.NET.Test.Sdk" Version="17.11.0" />'
    '<ProjectReference Include="../Calc/Calc.csproj" /></ItemGroup>'
)
RUNNER = f"""#!{sys.executable}
import pathlib, sys
written = pathlib.Path({TEST!r}).read_text()
folder = pathlib.Path(sys.argv[sys.argv.index("--results-directory") + 1])
folder.mkdir(parents=True, exist_ok=True)
is_right = written == {RIGHT!r}
(folder / "run.trx").write_bytes({{}}[is_right])
sys.exit(not is_right)
"""


class TillModel:
    """Writes a wrong test, and the right one once it is told what failed."""

    def complete(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[Tool] = (),
        *,
        max_tokens: int | None = None,
        cancel: threading.Event | None = None,
    ) -> Iterator[Event]:
        del tools, max_tokens, cancel
        if messages[-1].role == "tool":
            yield from (TextPiece("The tests are written."), TokenUsage(10, 5), End())
            return
        failed = "this failed" in (messages[1].content or "")
        assert not failed or "Calc.Tests.MoneyTests.Shares" in (messages[1].content or "")
        yield from calling("c", "write-test-file", {"path": TEST, "content": RIGHT if failed else WRONG})


def calc(folder: Path) -> Path:
    """A library with tests, in a repository whose last commit adds a type without any."""
    write_workspace(folder, {
        "Calc/Calc.csproj": PROJECT.format(""), "Calc.Tests/Calc.Tests.csproj": OF_TESTS,
        "Calc/Money.cs": "namespace Calc;\npublic class Money { public int Half(int a) => a / 2; }\n",
        "Calc.Tests/MoneyTests.cs": OLD,
    })  # fmt: skip
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    write_workspace(
        folder, {"Calc/Till.cs": "namespace Calc;\npublic class Till { public int Pay(int a) => a * 2; }\n"}
    )
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "two")
    return folder


def test_a_commit_of_a_library_gets_tests_that_are_mended_by_recorded_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = (RECORDED / "xunit.trx").read_bytes()
    results = {False: failed, True: failed.replace(b'outcome="Failed"', b'outcome="Passed"')}
    (tmp_path / "bin").mkdir()
    runner = tmp_path / "bin" / "dotnet"
    runner.write_text(RUNNER.replace("{}", repr(results)))
    runner.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    for name, value in (("GITHUB_TOKEN", TOKEN), ("NOTIFY_SECRET", NOTIFY_SECRET)):
        monkeypatch.setenv(name, value)
    with flow_of(tmp_path, model=TillModel(), shop=calc(tmp_path / "shop")) as flow:
        op = flow.done()
        told = [each.text for each in flow.ops.jobs.get(op.op_id).events]
        assert op.state is OpState.DONE, (op.error, told)
        assert op.result["passed"], (op.result, told)
        (branch,) = set(flow.forge.branches()) - {"main"}
        written = git(flow.forge.repository, "show", f"{flow.forge.branches()[branch]}:{TEST}")
        assert (written + "\n", len(flow.forge.requests)) == (RIGHT, 1)
