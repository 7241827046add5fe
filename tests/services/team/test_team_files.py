"""Files of a team: what one machine writes another one reads, also after the database was away."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest

from services.errors import Busy
from services.model.review import Review
from services.ops.rows import SCHEMA
from services.prompt.pack_files import PackFile, PackFiles
from services.review.store import Reviews
from services.team.database import TeamDatabase
from services.team.files import TABLES, TeamFolder
from services.workspace.files.root import Root
from services.workspace.state import StateFolder
from tests.support.postgres import PostgresServer, shared_postgres


@pytest.fixture(scope="module")
def server() -> PostgresServer:
    return shared_postgres()


class Machine:
    """A clone on a machine of its own: another folder, another state."""

    def __init__(self, folder: Path, name: str, database: TeamDatabase, stack: ExitStack) -> None:
        (folder / name / "root").mkdir(parents=True)
        root = stack.enter_context(Root.open(folder / name / "root"))
        self.state = stack.enter_context(StateFolder.open(root, user_folder=folder / name / "state"))
        self.folder = TeamFolder(root, self.state, database)
        stack.callback(self.folder.close_copy)
        stack.callback(database.close)
        self.state.shared = self.folder

    def read(self, name: str) -> bytes | None:
        self.folder.pull(now=True)
        return self.folder.read(name)


@pytest.fixture
def machines(server: PostgresServer, tmp_path: Path) -> Iterator[tuple[Machine, Machine]]:
    with ExitStack() as stack:
        made = [
            Machine(
                tmp_path, name, TeamDatabase(server.address, str(tmp_path), tables=SCHEMA + TABLES), stack
            )
            for name in ("a", "b")
        ]
        yield made[0], made[1]


NAME = "presets/mine.json"


def test_what_one_machine_writes_another_one_reads(machines: tuple[Machine, Machine]) -> None:
    a, b = machines
    before = b.folder.stamp("presets")
    a.folder.write(NAME, b"1")
    assert b.read(NAME) == b"1"
    assert b.folder.stamp("presets") != before
    assert b.folder.names("presets") == ("mine.json",)
    b.folder.write(NAME, b"22")
    assert a.read(NAME) == b"22"
    assert a.folder.remove(NAME)
    assert not a.folder.remove(NAME)
    assert (b.read(NAME), b.folder.names("presets"), b.folder.stamp(NAME)) == (None, (), None)
    assert not (a.folder.where / NAME).exists(), "nothing of it is in the repository"


def test_what_others_wrote_before_a_write_of_ones_own_is_read_too(machines: tuple[Machine, Machine]) -> None:
    a, b = machines
    a.folder.write(NAME, b"1")
    b.folder.write("presets/other.json", b"2")
    assert b.read(NAME) == b"1"


def test_who_did_not_read_the_last_text_does_not_replace_it(machines: tuple[Machine, Machine]) -> None:
    a, b = machines
    a.folder.write(NAME, b"1")
    assert b.read(NAME) == b"1"
    a.folder.write(NAME, b"2")
    with pytest.raises(Busy, match="meanwhile"):
        b.folder.write(NAME, b"3")
    assert b.folder.read(NAME) == b"2"
    b.folder.write(NAME, b"3")
    assert a.read(NAME) == b"3"


def test_files_of_before_are_read_until_the_team_has_its_own(machines: tuple[Machine, Machine]) -> None:
    a, b = machines
    (a.folder.where / "packs").mkdir(parents=True)
    (a.folder.where / "packs" / "old.toml").write_bytes(b"old")
    assert a.read("packs/old.toml") == b"old"
    assert a.folder.names("packs") == ("old.toml",)
    a.folder.write("packs/old.toml", b"new")
    assert b.read("packs/old.toml") == b"new"
    assert a.folder.remove("packs/old.toml")
    assert (a.read("packs/old.toml"), a.folder.names("packs")) == (None, ())


def test_while_the_database_is_away_reading_goes_on_and_writing_waits(
    server: PostgresServer, machines: tuple[Machine, Machine]
) -> None:
    a, b = machines
    a.folder.write(NAME, b"1")
    a.folder.write("presets/both.json", b"1")
    assert b.read("presets/both.json") == b"1"
    server.stop()
    b.folder.write("presets/new.json", b"new")
    b.folder.write("presets/both.json", b"of b")
    assert (b.folder.read(NAME), b.folder.read("presets/new.json")) == (b"1", b"new")
    assert "2 changes" in b.folder.notices()[0].message
    server.start()
    written(a.folder, "presets/both.json", b"of a")
    for _ in range(500):
        if b.read("presets/both.json") == b"of a":
            break
        time.sleep(0.02)
    assert b.folder.read("presets/both.json") == b"of a"
    assert a.read("presets/new.json") == b"new"
    assert b.state.read("team-aside/presets-both.json") == b"of b"
    (notice,) = b.folder.notices()
    assert "Others changed" in notice.message


def written(folder: TeamFolder, name: str, data: bytes) -> None:
    """Write it, and see that it is there for others."""
    folder.write(name, data)
    for _ in range(500):
        folder.pull(now=True)
        if not folder.notices():
            return
        time.sleep(0.02)
    raise AssertionError("the database does not come back")


def test_packs_notes_and_reviews_are_shared_by_their_own_stores(machines: tuple[Machine, Machine]) -> None:
    a, b = machines
    PackFiles(a.state).write("core", PackFile(filter="type:A"), "text")
    b.folder.pull(now=True)
    assert PackFiles(b.state).names() == ["core"]
    assert (PackFiles(b.state).read("core") or PackFile()).filter == "type:A"
    review = Reviews(a.state).of("HEAD", title="t", signature="s")
    Reviews(a.state).change(review, lambda now: msgspec.structs.replace(now, title="by a"))
    b.folder.pull(now=True)
    assert Reviews(b.state).get(review.id).title == "by a"

    def slower(now: Review) -> Review:
        if now.signature == "s":
            other = Reviews(a.state)
            other.change(review, lambda now: msgspec.structs.replace(now, signature="of a"))
        return msgspec.structs.replace(now, title=f"{now.title} and b")

    Reviews(b.state).change(review, slower)
    a.folder.pull(now=True)
    found = Reviews(a.state).get(review.id)
    assert (found.title, found.signature) == ("by a and b", "of a"), "no change is lost"
