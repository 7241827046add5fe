"""A code base may hold anything: nothing of it runs because the program was started in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TRAPS = (
    "click", "services", "widgets", "themes", "msgspec", "multiprocessing", "concurrent", "pathlib", "json",
    "platformdirs", "numpy", "tree_sitter", "tomllib", "sqlite3", "shutil", "tempfile", "difflib",
)  # fmt: skip
FILES = 12
"""More than the index reads without starting worker processes."""

LAUNCHERS = {
    "console script": [str(Path(sys.executable).with_name("codecortex"))],
    "module": [sys.executable, "-m", "workbench"],
}


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder in which every import is a trap: importing one leaves a file `sprung`."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    sprung = tmp_path / "sprung"
    for name in TRAPS:
        (folder / f"{name}.py").write_text(f"open({str(sprung)!r}, 'a').write({name!r})\n")
    (folder / "workbench").mkdir()
    for number in range(FILES):
        (folder / f"Till{number}.cs").write_text(f"namespace Shop;\npublic class Till{number};\n")
    return folder


def start(command: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run in `folder`, with a home of its own."""
    home = str(folder.parent / "home")
    surroundings = {
        **os.environ,
        "HOME": home,
        "XDG_CONFIG_HOME": home,
        "XDG_STATE_HOME": home,
        **environment,
    }
    surroundings.pop("PYTHONSAFEPATH", None)
    return subprocess.run(
        command, cwd=folder, env=surroundings, capture_output=True, text=True, timeout=120, check=False
    )


def sprung(folder: Path) -> str:
    """Names of the traps that were imported."""
    trace = folder.parent / "sprung"
    return trace.read_text() if trace.exists() else ""


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["search", "--help"]])
def test_as_a_module_nothing_of_the_folder_is_imported(hostile: Path, arguments: list[str]) -> None:
    done = start([sys.executable, "-m", "workbench", *arguments], hostile)
    assert (done.returncode, sprung(hostile)) == (0, "")


def test_as_a_console_script_nothing_of_the_folder_is_imported(hostile: Path) -> None:
    script = Path(sys.executable).with_name("codecortex")
    done = start([str(script), "--version"], hostile, PYTHONPATH=":")
    assert (done.returncode, sprung(hostile)) == (0, "")


def test_the_traps_do_spring_without_the_guard(hostile: Path) -> None:
    start([sys.executable, "-c", "import click"], hostile)
    assert sprung(hostile) == "click"


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_neither_indexing_nor_its_workers_import_from_the_folder(hostile: Path, launcher: str) -> None:
    done = start([*LAUNCHERS[launcher], "search", "Till", "--jsonl"], hostile)
    assert (done.returncode, done.stdout.count("\n"), sprung(hostile)) == (0, FILES, ""), done.stderr


def test_a_deleted_current_folder_is_said_to_be_gone(tmp_path: Path) -> None:
    command = 'cd "$0" && rmdir "$0" && exec "$@"'
    gone = tmp_path / "gone"
    gone.mkdir()
    done = start(["sh", "-c", command, str(gone), *LAUNCHERS["console script"], "status"], tmp_path)
    assert done.returncode == 1
    assert done.stderr == "error: The current folder has been deleted. Go to another one.\n"
