"""Tests for a change: what none reaches, the prompt, and the files that are written, in test projects alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.bench.bench import Bench
from services.errors import PathRefused, UsageError
from services.operations.table import by_tool
from services.testing.test_files import WrittenTests
from tests.support.review_change import CODE, commit, committed, git
from tests.support.workspace import PYTEST_INI, project

SECOND = CODE.replace("public int Twice", "public int Thrice(int a) => a * 3;\n\n    public int Twice")
PYTHON = {
    "checks/pytest.ini": PYTEST_INI,
    "checks/test_shop.py": "import shop\n\ndef test_one():\n    assert shop\n",
    "checks/shop.py": "def half(a):\n    return a / 2\n",
    "checks/till.py": "def pay(a):\n    return a\n",
    "web/package.json": '{"name": "web", "devDependencies": {"vitest": "4"}}',
    "web/cart.ts": "export const total = 1\n",
    "web/cart.test.ts": "import { total } from './cart'\n",
    "Lib.Tests/Tool/Tool.csproj": project("<TargetFramework>net8.0</TargetFramework>"),
}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with committed(tmp_path, PYTHON) as made:
        commit(made, SECOND)
        yield made


def call(bench: Bench, tool: str, **arguments: Any) -> Any:
    operation = by_tool(tool)
    assert operation is not None
    return operation.run(bench, arguments)


def put(bench: Bench, path: str, content: str = "class ThriceTests { }\n", **more: Any) -> Any:
    return call(bench, "write-test-file", path=path, content=content, **more)


def test_the_prompt_names_what_no_test_reaches_and_where_tests_may_be_written(bench: Bench) -> None:
    cases = call(bench, "generate-test-cases", change="HEAD")
    assert cases.untested == ("N.Shop.Thrice (Lib/Shop.cs:10)",)
    assert "- N.Shop.Thrice" in cases.prompt
    assert cases.projects == ("Lib.Tests/Lib.Tests.csproj (dotnet)", "checks (pytest)", "web (vitest)")
    assert "- checks (pytest)\n" in cases.prompt
    assert cases.text == ""


def test_files_of_other_languages_are_reached_by_the_tests_that_name_them(bench: Bench) -> None:
    for path in ("checks/shop.py", "checks/till.py", "web/cart.ts", "checks/test_shop.py"):
        with (bench.root / path).open("a") as file:
            file.write("\n")
    git(bench.root, "commit", "-qam", "three")
    rows = call(bench, "analyze-test-matrix", change="HEAD").rows
    assert {each.member: [test.path for test in each.tests] for each in rows} == {
        "checks/shop.py": ["checks/test_shop.py"], "checks/till.py": [], "web/cart.ts": ["web/cart.test.ts"],
    }  # fmt: skip
    assert {each.how for each in rows} == {"names"}


@pytest.mark.parametrize("path", [
    "Lib.Tests/ThriceTests.cs", "Lib.Tests/Deep/ThriceTests.cs", "checks/test_till.py", "checks/sub/till_test.py",
    "web/till.test.ts", "web/src/till.spec.tsx",
])  # fmt: skip
def test_a_test_file_is_written_and_written_again(bench: Bench, path: str) -> None:
    assert "class ThriceTests" in put(bench, path, dryRun=True).diff
    assert not (bench.root / path).exists()
    assert put(bench, path).updated
    assert (bench.root / path).read_text() == "class ThriceTests { }\n"
    assert not put(bench, path).updated
    assert put(bench, path, "class Other { }\n").updated


@pytest.mark.parametrize("path", [
    "Lib/Shop.cs", "Lib/ThriceTests.cs", "Lib.Tests/Lib.Tests.csproj", "Lib.Tests/Directory.Build.props",
    "Lib.Tests/obj/Made.cs", "Lib.Tests/Tool/ToolTests.cs", "checks/conftest.py", "checks/helper.py",
    "checks/pytest.ini", "test_root.py", "web/vitest.config.ts", "web/node_modules/a/a.test.js", "web/cart.ts",
    "Lib.Tests/../Lib/Shop.cs",
])  # fmt: skip
def test_what_is_no_file_of_tests_is_refused(bench: Bench, path: str) -> None:
    before = (bench.root / path).read_bytes() if (bench.root / path).exists() else None
    with pytest.raises(UsageError, match=r"Only tests are written.*Test projects are: Lib\.Tests"):
        put(bench, path)
    assert ((bench.root / path).read_bytes() if (bench.root / path).exists() else None) == before


def test_a_path_that_leaves_is_refused(bench: Bench) -> None:
    with pytest.raises(PathRefused):
        put(bench, "../test_x.py")


def test_a_test_file_that_exists_is_left_alone(bench: Bench) -> None:
    with pytest.raises(UsageError, match="was not written by this tool"):
        put(bench, "Lib.Tests/ShopTests.cs")
    put(bench, "Lib.Tests/ThriceTests.cs")
    (bench.root / "Lib.Tests/ThriceTests.cs").write_text("class Mine { }\n")
    with pytest.raises(UsageError, match="was changed since this tool wrote it"):
        put(bench, "Lib.Tests/ThriceTests.cs")
    assert (bench.root / "Lib.Tests/ThriceTests.cs").read_text() == "class Mine { }\n"


def test_a_write_that_broke_off_is_known_on_either_side(bench: Bench) -> None:
    put(bench, "Lib.Tests/ThriceTests.cs", "one\n")
    record = WrittenTests(bench.state)
    record.note("Lib.Tests/ThriceTests.cs", b"one\n", b"two\n")
    for content in (b"one\n", b"two\n", None):
        record.require_own("Lib.Tests/ThriceTests.cs", content)
    with pytest.raises(UsageError):
        record.require_own("Lib.Tests/ThriceTests.cs", b"three\n")


def test_of_a_damaged_record_nothing_is_believed(bench: Bench) -> None:
    put(bench, "Lib.Tests/ThriceTests.cs", "one\n")
    bench.state.write("tests/written.json", b"{")
    with pytest.raises(UsageError, match="was not written by this tool"):
        put(bench, "Lib.Tests/ThriceTests.cs", "two\n")


def test_only_files_that_were_written_here_are_pushed(bench: Bench) -> None:
    put(bench, "Lib.Tests/ThriceTests.cs")
    asked = {"project": "github:o/n", "source": "topic", "title": "Thrice"}
    assert call(bench, "create-merge-request", **asked, files=["Lib.Tests/ThriceTests.cs"]).preview
    with pytest.raises(UsageError, match="was not written by this tool"):
        call(bench, "create-merge-request", **asked, files=["Lib/Shop.cs"])
