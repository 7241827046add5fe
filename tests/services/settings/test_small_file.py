import os
from pathlib import Path

import platformdirs
import pytest

from services.settings.personal import personal_folder, read_small


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"four")
    return path


@pytest.mark.parametrize("most", [4, 5, 1_000])
def test_a_file_of_at_most_the_limit_is_read_whole(file: Path, most: int) -> None:
    assert read_small(file, most) == b"four"


def test_a_larger_one_is_refused_and_not_cut(file: Path) -> None:
    with pytest.raises(ValueError, match="larger than 3 bytes"):
        read_small(file, 3)


def test_an_empty_one_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert read_small(tmp_path / "empty", 0) == b""


def test_a_pipe_that_nobody_writes_to_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="not a regular file"):
        read_small(tmp_path / "pipe", 10)


def test_a_device_without_an_end_is_refused() -> None:
    with pytest.raises(ValueError, match="not a regular file"):
        read_small(Path("/dev/zero"), 10)


def test_a_link_is_followed_only_where_it_may_be(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(file)
    assert read_small(link, 4) == b"four"
    with pytest.raises(OSError, match="symbolic links"):
        read_small(link, 4, follow=False)


def test_no_file_and_a_folder_are_errors_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_small(tmp_path / "none", 4)
    with pytest.raises(IsADirectoryError):
        read_small(tmp_path, 4)


def test_descriptors_are_closed_whatever_comes(file: Path, tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    read_small(file, 4)
    for path, most in ((file, 1), (tmp_path, 4)):
        with pytest.raises((ValueError, OSError)):
            read_small(path, most)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.parametrize("given", ["/elsewhere/of", "/elsewhere/", "relative", "", None])
@pytest.mark.parametrize("home", ["/home/somebody", "/home/somebody/", "/", "relative", "", None])
def test_folders_of_the_person_are_those_of_the_library(
    monkeypatch: pytest.MonkeyPatch, given: str | None, home: str | None
) -> None:
    for name, value in (
        ("HOME", home),
        *((f"XDG_{kind}_HOME", given) for kind in ("STATE", "CONFIG", "CACHE")),
    ):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    own = "codecortex"
    assert personal_folder("state") == platformdirs.user_state_path(own, appauthor=False)
    assert personal_folder("config") == platformdirs.user_config_path(own, appauthor=False)
    assert personal_folder("cache") == platformdirs.user_cache_path(own, appauthor=False)
    assert personal_folder("log") == platformdirs.user_log_path(own, appauthor=False)
