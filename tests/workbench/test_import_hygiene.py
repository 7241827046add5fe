"""What the command line imports: never the screen, and nothing heavy before it is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.workspace import project, write_workspace

SCREEN = ("textual", "rich.console", "workbench.app", "themes")
SERVERS = ("mcp", "mcp_types", "anyio", "starlette", "uvicorn", "httpx2")
HEAVY = ("numpy", "tree_sitter", "sqlite3", "tiktoken", "re2", "tomlkit", "watchdog", "multiprocessing")


def imported_by(code: str) -> set[str]:
    """Names of the modules that a fresh interpreter has imported after `code`."""
    report = f"import sys\n{code}\nprint(*sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", report], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stderr.split())


def within(modules: set[str], packages: tuple[str, ...]) -> set[str]:
    """Those of `modules` that are one of `packages` or in it."""
    return {
        name for name in modules for package in packages if name == package or name.startswith(f"{package}.")
    }


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["search", "--help"], ["nonsense"]])
def test_help_and_errors_import_neither_the_screen_nor_anything_heavy(arguments: list[str]) -> None:
    modules = imported_by(f"from workbench.shell.cli import run; run({arguments!r})")
    assert within(modules, SCREEN + HEAVY + SERVERS) == set()


def test_rendering_and_every_command_stay_clear_of_textual() -> None:
    modules = imported_by(
        "import workbench.shell.text.render, workbench.shell.command, workbench.shell.output, workbench.shell.start\n"
        "from workbench.shell.group import make_group; g = make_group()\n"
        "[g.get_command(None, name) for name in g.list_commands(None)]"
    )
    assert within(modules, SCREEN + SERVERS) == set()


def test_services_import_neither_textual_nor_rich_nor_click() -> None:
    modules = imported_by("import services.operations, services.settings, services.model, services.errors")
    assert within(modules, ("textual", "rich", "click")) == set()


def test_a_start_that_finds_everything_as_it_was_parses_and_evaluates_nothing() -> None:
    modules = imported_by("import services.bench")
    assert within(modules, ("services.syntax.parse.parsing", "services.msbuild.evaluation")) == set()


def test_whoever_asks_a_resident_process_imports_next_to_nothing() -> None:
    before = imported_by("import os, sys")
    modules = imported_by("import workbench.shell.asking, services.resident.client") - before
    assert within(modules, ("typing", "re", "enum", "socket", "click", "msgspec", "json", "pathlib")) == set()
    assert len(modules) < 20


def test_status_and_outlines_import_no_search_engine() -> None:
    modules = imported_by("import services.bench, services.index.index, services.bench.health")
    assert within(modules, ("numpy", "asyncio")) == set()


def test_the_window_imports_nothing_that_binds_code() -> None:
    modules = imported_by(
        "import services.bench.window.curation, services.bench.window.packs, services.bench.health"
    )
    assert within(modules, ("numpy", "services.index.binding")) == set()


@pytest.mark.parametrize("arguments", [["status"], ["outline", "Shop"], ["pin", "Shop"], ["window"]])
def test_answers_out_of_a_kept_index_need_neither_numpy_nor_the_parser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    source = "/// <summary>Sells.</summary>\npublic class Shop { Till till; }\npublic class Till { }\n"
    write_workspace(tmp_path, {"A.csproj": project(), "Shop.cs": source})
    monkeypatch.setenv("CODECORTEX_RESIDENT", "off")
    call = "from workbench.shell.cli import run; run([*{!r}, '--root', {!r}])"
    for _ in ("the index", "the dependencies"):
        imported_by(call.format(["pin", "Shop"], str(tmp_path)))
    modules = imported_by(call.format(arguments, str(tmp_path)))
    assert within(modules, ("numpy", "tree_sitter")) == set()


def test_searching_generates_no_code_of_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dataclass takes as long to build as ten structs."""
    write_workspace(tmp_path, {"A.csproj": project(), "Shop.cs": "public class Shop { }\n"})
    monkeypatch.setenv("CODECORTEX_RESIDENT", "off")
    call = f"from workbench.shell.cli import run; run(['search', 'Shop', '--root', {str(tmp_path)!r}])"
    assert "dataclasses" not in imported_by(call)
