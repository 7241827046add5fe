"""Addresses of resident processes: another name for whatever changes answers, the same for the rest."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from services.resident.address import find_address, is_private, reachable, runtime_folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "root"
    made.mkdir()
    return made


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    run = tmp_path / "run"
    run.mkdir(mode=0o700)
    return {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(run), "PATH": "/usr/bin:/bin"}


def name(root: Path, variables: dict[str, str]) -> str:
    address = find_address(str(root), variables)
    assert address is not None
    return address.name


@pytest.mark.parametrize(
    "given",
    [
        {"CODECORTEX_WINDOW_BUDGET": "500"},
        {"MCP_MAX_MATCHES": "3"},
        {"XDG_STATE_HOME": "/elsewhere"},
        {"HOME": "/elsewhere"},
        {"TZ": "Asia/Tokyo"},
    ],
)
def test_what_changes_answers_changes_the_name(
    root: Path, variables: dict[str, str], given: dict[str, str]
) -> None:
    assert name(root, variables | given) != name(root, variables)


@pytest.mark.parametrize("variable", ["TERM", "CODECORTEX_RESIDENT", "CODECORTEX_SESSION", "PWD", "SHLVL"])
def test_what_differs_between_terminals_does_not(
    root: Path, variables: dict[str, str], variable: str
) -> None:
    assert name(root, variables | {variable: "another"}) == name(root, variables)


@pytest.mark.parametrize("file", ["root/.codecortex.toml", ".config/codecortex/settings.toml"])
def test_settings_files_change_it(root: Path, variables: dict[str, str], tmp_path: Path, file: str) -> None:
    before = name(root, variables)
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text("[window]\nbudget = 900\n")
    assert name(root, variables) != before


def test_another_folder_under_the_same_path_has_another_one(
    root: Path, variables: dict[str, str], tmp_path: Path
) -> None:
    before = name(root, variables)
    root.rename(tmp_path / "moved")
    root.mkdir()
    assert name(root, variables) != before
    assert name(tmp_path / "moved", variables) != before


def test_a_link_leads_to_the_same_one(root: Path, variables: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    assert name(tmp_path / "link", variables) == name(root, variables)


def test_a_solution_has_its_own(root: Path, variables: dict[str, str]) -> None:
    (root / "All.sln").write_text("")
    address = find_address(str(root / "All.sln"), variables)
    assert address is not None
    assert (address.root, address.start, address.path) == (str(root), "All.sln", str(root / "All.sln"))
    assert address.name != name(root, variables)


def test_the_mask_of_new_files_counts(root: Path, variables: dict[str, str]) -> None:
    before = name(root, variables)
    mask = os.umask(0o077)
    try:
        other = name(root, variables)
    finally:
        os.umask(mask)
    assert (other != before) == (mask != 0o077)


def test_nothing_is_asked_where_there_is_no_workspace_or_no_home(
    root: Path, variables: dict[str, str]
) -> None:
    assert find_address(str(root / "gone"), variables) is None
    (root / "Program.cs").write_text("")
    assert find_address(str(root / "Program.cs"), variables) is None
    assert find_address(str(root), {"PATH": "/bin"}) is None


def test_a_runtime_folder_that_others_can_enter_is_not_used(tmp_path: Path) -> None:
    open_ = tmp_path / "open"
    open_.mkdir()
    open_.chmod(0o755)
    assert not is_private(str(open_))
    (tmp_path / "link").symlink_to(tmp_path)
    own = f"/tmp/codecortex-{os.getuid()}"
    for given in (open_, tmp_path / "link", tmp_path / "missing", Path("relative")):
        assert runtime_folder({"XDG_RUNTIME_DIR": str(given)}) == own
    assert runtime_folder({}) == own


def test_a_socket_that_is_too_long_for_the_kernel_goes_by_the_folders_descriptor() -> None:
    assert reachable("/run/user/1/codecortex/a.sock", 7) == "/run/user/1/codecortex/a.sock"
    assert reachable(f"/{'x' * 120}/a.sock", 7) == "/proc/self/fd/7/a.sock"
