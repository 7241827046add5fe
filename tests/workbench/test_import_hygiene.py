"""What the command line imports: never the screen, and nothing heavy before it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCREEN = ("textual", "rich.console", "workbench.app.app", "themes")
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
