"""The kept index: whatever lies in its place, there is a store."""

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from services.errors import WorkspaceError
from services.index.catalog.store import DamagedError, Store, StoredFile

ROW = StoredFile("a.cs", "", 3, 4, b"record")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.db"


def filled(path: Path) -> None:
    store = Store(path)
    store.put([ROW])
    store.keep("catalogue", b"value")
    store.close()


def test_what_is_written_is_there_at_the_next_opening(path: Path) -> None:
    filled(path)
    store = Store(path)
    assert [tuple(key) for key in store.listed()] == [("a.cs", "", 3, 4)]
    assert store.raw("a.cs", "") == b"record"
    assert store.value("catalogue") == b"value"
    assert store.renewed == ""


def test_a_row_is_replaced_and_forgotten_by_path_and_variant(path: Path) -> None:
    store = Store(path)
    store.put([ROW, ROW._replace(variant="x")])
    store.put([ROW._replace(record=b"newer")])
    assert store.raw("a.cs", "") == b"newer"
    store.forget([("a.cs", "")])
    assert [key.variant for key in store.listed()] == ["x"]
    store.drop("catalogue")
    assert store.value("catalogue") is None


def test_a_store_of_another_version_is_made_anew(path: Path) -> None:
    filled(path)
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 1")
    store = Store(path)
    assert "version" in store.renewed
    assert store.listed() == []


def altered(path: Path, statement: str) -> Store:
    filled(path)
    with sqlite3.connect(path) as db:
        db.execute(statement)
    db.close()
    return Store(path)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE files SET record = X'7265636F7265'",
        "UPDATE files SET size = 7",
        "UPDATE files SET checksum = checksum + 1",
        "DROP TABLE files",
    ],
)
def test_a_record_that_is_not_the_one_that_was_written_is_damage(path: Path, statement: str) -> None:
    store = altered(path, statement)
    if "DROP" in statement:  # the table is made again, and nothing is in it
        assert store.raw("a.cs", "") is None
    else:
        with pytest.raises(DamagedError):
            store.raw("a.cs", "")


def test_a_value_that_is_not_the_one_that_was_written_is_damage(path: Path) -> None:
    store = altered(path, "UPDATE kept SET value = X'00'")
    with pytest.raises(DamagedError):
        store.value("catalogue")
    store.clear("damaged")
    assert store.value("catalogue") is None


def test_a_file_that_turns_out_to_be_damaged_when_written_gives_way_to_a_fresh_one(path: Path) -> None:
    store = Store(path)
    store.put([ROW._replace(path=f"{n}.cs", record=bytes(3_000)) for n in range(200)])
    store.close()
    data = bytearray(path.read_bytes())
    for page in range(1, len(data) // 4_096):
        data[page * 4_096 : page * 4_096 + 100] = b"\xee" * 100
    path.write_bytes(bytes(data))
    store = Store(path)
    store.put([ROW])
    assert store.renewed
    assert [key.path for key in store.listed()] == ["a.cs"]


def test_what_there_is_no_room_for_is_kept_in_memory_and_said(path: Path) -> None:
    filled(path)
    store = Store(path)
    store._db.execute("PRAGMA max_page_count = 1")
    store.put([ROW._replace(path="b.cs", record=bytes(1_000_000))])
    assert store.raw("a.cs", "") == b"record"
    assert store.raw("b.cs", "") == bytes(1_000_000)
    assert not store.is_lasting
    assert "full" in store.unkept
    store.close()
    assert Store(path).raw("a.cs", "") == b"record"


def test_the_file_and_what_is_beside_it_are_the_owners_alone(path: Path) -> None:
    filled(path)
    path.chmod(0o644)
    store = Store(path)
    store.put([ROW])
    files = list(path.parent.glob("index.db*"))
    assert len(files) == 3
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


@pytest.mark.parametrize("content", [b"garbage" * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_no_store_is_made_anew(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    store = Store(path)
    assert store.renewed
    store.put([ROW])
    assert len(store.listed()) == 1
    store.close()
    assert Store(path).renewed == ""


def test_a_store_that_was_cut_off_is_found_out_and_made_anew(path: Path) -> None:
    store = Store(path)
    store.put([ROW._replace(path=f"{at}.cs", record=b"x" * 4000) for at in range(100)])
    store.close()
    path.write_bytes(path.read_bytes()[:8192])
    store = Store(path)
    try:
        store.listed()
        store.raw("50.cs", "")
    except DamagedError as error:
        store.clear(str(error))
    assert store.renewed
    store.put([ROW])
    assert store.raw("a.cs", "") == b"record"


def test_a_folder_in_its_place_leaves_a_store_in_memory(path: Path) -> None:
    path.mkdir()
    store = Store(path)
    assert store.unkept
    store.put([ROW])
    assert store.raw("a.cs", "") == b"record"
    assert path.is_dir()


def test_a_folder_that_is_not_there_leaves_a_store_in_memory(tmp_path: Path) -> None:
    store = Store(tmp_path / "none" / "index.db")
    store.put([ROW])
    assert len(store.listed()) == 1
    assert store.unkept


def test_a_write_that_the_system_refuses_says_so_and_keeps_the_rows(path: Path) -> None:
    filled(path)
    store = Store(path)
    with sqlite3.connect(path) as db:
        db.execute("CREATE TRIGGER no BEFORE DELETE ON files BEGIN SELECT RAISE(ABORT, 'no'); END")
    with pytest.raises((WorkspaceError, DamagedError)):
        store.forget([("a.cs", "")])
    assert len(store.listed()) == 1


WRITER = """
import sys
from pathlib import Path
from services.index.catalog.store import Store, StoredFile
path, name = Path(sys.argv[1]), sys.argv[2]
store = Store(path)
print("ready", flush=True)
sys.stdin.readline()
for at in range(40):
    store.put([StoredFile(f"{name}{at}.cs", "", at, at, bytes([at]) * 3000), StoredFile("both.cs", "", at, at, b"x")])
    store.keep(name, bytes([at]))
    store.forget([(f"{name}{at - 1}.cs", "")])
store.close()
print(store.renewed, store.unkept)
"""


def test_two_processes_that_write_at_once_lose_nothing(path: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert [writer.communicate()[0].strip() for writer in writers] == ["", ""]
    with closing(Store(path)) as store:
        store.verify()
        assert (store.renewed, store.unkept) == ("", "")
        assert [key.path for key in store.listed()] == ["both.cs", "one39.cs", "two39.cs"]
        assert (store.value("one"), store.value("two")) == (bytes([39]), bytes([39]))


def test_two_processes_share_it_and_read_while_it_is_written(path: Path) -> None:
    one, other = Store(path), Store(path)
    seen: list[int] = []
    stop = threading.Event()

    def watch() -> None:
        while not stop.is_set():
            seen.append(len(other.listed()))

    thread = threading.Thread(target=watch)
    thread.start()
    for batch in range(20):
        one.put([ROW._replace(path=f"{batch}-{at}.cs") for at in range(10)])
    stop.set()
    thread.join()
    assert all(count % 10 == 0 for count in seen)
    assert len(other.listed()) == 200


def test_an_emptied_store_is_made_anew_and_said(path: Path) -> None:
    filled(path)
    path.write_bytes(b"")
    store = Store(path)
    assert store.renewed == "it was empty"
    store.close()


def test_a_store_that_was_never_finished_is_finished_without_a_word(path: Path) -> None:
    """The disk was full, or the process killed, before there was anything in it."""
    with closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA journal_mode = WAL")
    assert path.stat().st_size
    store = Store(path)
    assert not store.renewed
    store.put([ROW])
    assert store.raw("a.cs", "") == b"record"
    store.close()


@pytest.mark.parametrize("beside", ["", "-wal", "-journal"])
@pytest.mark.parametrize("missing", [1, 2_048, 4_096, 10_000])
def test_a_cut_end_is_found_on_opening(path: Path, missing: int, beside: str) -> None:
    """A log without a change in it, which a process that was killed leaves, hides nothing."""
    filled(path)
    if beside:
        path.with_name(path.name + beside).touch()
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - missing)
    store = Store(path)
    assert store.renewed
    store.close()
    store = Store(path)
    assert not store.renewed
    store.close()


def test_a_whole_one_is_opened_beside_another_that_writes(path: Path) -> None:
    filled(path)
    writer = Store(path)
    writer.put([StoredFile(f"N{at}.cs", "", at, at, b"x" * 5_000) for at in range(50)])
    reader = Store(path)
    assert not reader.renewed
    reader.close()
    writer.close()


@pytest.mark.parametrize("kind", ["zeroed", "overwritten"])
def test_each_damaged_page_is_found_or_lacks_nothing(path: Path, kind: str) -> None:
    rows = [StoredFile(f"N{at}.cs", "", at, at, bytes([at]) * (at * 900)) for at in range(12)]
    with closing(Store(path)) as store:
        store.put([row._replace(mtime_ns=9) for row in rows])
        store.put(rows)
        store.forget([(row.path, "") for row in rows[::3]])
    whole = path.read_bytes()
    size, unused = int.from_bytes(whole[16:18]), int.from_bytes(whole[36:40])
    found = 0
    for at in range(0, len(whole), size):
        noise = bytes(size) if kind == "zeroed" else Random(at).randbytes(size)
        path.write_bytes(whole[:at] + noise + whole[at + size :])
        with closing(Store(path)) as store:
            found += is_found(store)
            if not is_found(store):
                assert [store.raw(row.path, "", (row.size, row.mtime_ns)) for row in rows] == [
                    row.record for row in rows
                ]
    assert found >= len(whole) // size - unused


def is_found(store: Store) -> bool:
    """Whether opening or reading everything tells of damage."""
    try:
        store.verify()
    except DamagedError:
        return True
    return bool(store.renewed)


def test_a_damaged_table_of_earlier_records_is_found_on_opening(path: Path) -> None:
    filled(path)
    base = sqlite3.connect(path)
    (page,) = base.execute("SELECT rootpage FROM sqlite_master WHERE name = 'earlier'").fetchone()
    (size,) = base.execute("PRAGMA page_size").fetchone()
    base.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(bytes(size))
    store = Store(path)
    assert store.renewed
    store.close()
