import json
import multiprocessing
import threading
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.model import Notice
from services.prompt.presets import WindowStore
from services.prompt.secrets.masking import Secret
from services.prompt.state import RECENT_KEPT, Encoder, Entry, WindowState, decode, encode
from services.prompt.vault import Vault
from services.workspace.files.root import Root
from services.workspace.state import StateFolder
from tests.services.prompt.support import MemoryFiles


def store_over(files, notices=None):
    return WindowStore(files, on_notice=(notices if notices is not None else []).append)


def pin(key, at=1):
    return lambda state: state.with_pinned(Entry(key, at))


def keys(entries):
    return [entry.key for entry in entries]


def test_what_is_kept_is_read_by_people():
    store = store_over(files := MemoryFiles())
    store.update(pin("type:A", at=7))
    assert files.read("window.json").decode() == (
        '{\n  "format": 2,\n  "pinned": [\n    {\n      "key": "type:A",\n      "label": "",\n'
        '      "pinnedAt": 7,\n      "version": ""\n    }\n  ],\n  "recent": []\n}\n'
    )


def test_who_pinned_is_kept_until_somebody_takes_it_out():
    """Pinning again what is pinned does not make it somebody else's."""
    state = (
        WindowState().with_pinned(Entry("type:A", 1, by="claude")).with_pinned(Entry("type:A", 2, label="A"))
    )
    assert decode(encode(state)) == state
    assert (state.pinned[0].by, state.pinned[0].label) == ("claude", "A")
    assert state.without("type:A").with_pinned(Entry("type:A", 3)).pinned[0].by == ""


def test_nothing_is_written_when_nothing_changes():
    store = store_over(files := MemoryFiles())
    store.update(pin("type:A"))
    files.writes.clear()
    store.update(lambda state: state)
    assert files.writes == []


def test_a_change_that_fails_leaves_everything_as_it_was():
    store = store_over(files := MemoryFiles())
    store.update(pin("type:A"))
    before = dict(files.files)
    with pytest.raises(ZeroDivisionError):
        store.update(lambda state: state.with_pinned(Entry("type:B", 1 // 0)))
    assert files.files == before


def test_pins_made_in_the_same_moment_or_by_a_clock_set_back_keep_their_order():
    state = WindowState()
    for key, at in (("type:B", 5), ("type:A", 5), ("type:C", 1)):
        state = state.with_pinned(Entry(key, at))
    assert keys(decode(encode(state)).pinned) == ["type:B", "type:A", "type:C"]


def test_the_recent_ones_are_few():
    state = WindowState()
    for n in range(RECENT_KEPT + 5):
        state = state.with_recent(Entry(f"type:{n}", n))
    assert keys(state.recent)[0] == f"type:{RECENT_KEPT + 4}"
    assert len(state.recent) == RECENT_KEPT


def test_using_the_last_used_again_writes_nothing():
    store = store_over(files := MemoryFiles())
    store.update(lambda state: state.with_recent(Entry("type:A", 1, "A", "v1")))
    files.writes.clear()
    store.update(lambda state: state.with_recent(Entry("type:A", 2, "A", "v1")))
    assert files.writes == []
    store.update(lambda state: state.with_recent(Entry("type:A", 3, "A", "v2")))
    assert files.writes == ["window.json"]


def test_fields_of_another_version_are_kept():
    files = MemoryFiles()
    given_ = {
        "format": 3,
        "later": [1],
        "pinned": [{"key": "type:A", "pinnedAt": 1, "level": "bodies"}],
        "recent": [],
    }
    files.write("window.json", json.dumps(given_).encode())
    store_over(files).update(pin("type:B", at=2))
    value = json.loads(files.read("window.json"))
    assert (value["format"], value["later"]) == (3, [1])
    assert value["pinned"][0]["level"] == "bodies"
    assert [each["key"] for each in value["pinned"]] == ["type:A", "type:B"]


def offered(notice, files):
    """The preset that a notice offers."""
    name = next(name for name in files.files if name.startswith("presets/rescued-"))
    assert name.removeprefix("presets/").removesuffix(".json") in f"{notice.message} {notice.what_to_do}"
    return decode(files.files[name])


@pytest.mark.parametrize("damaged", [b"", bytes(4_096), b"noise \xff" * 500])
def test_the_pins_of_a_damaged_file_are_offered_as_a_preset(damaged):
    files, notices = MemoryFiles(), []
    store = store_over(files, notices)
    for key in ("type:A", "type:B"):
        store.update(pin(key))
    files.files["window.json"] = damaged
    assert store_over(files, notices).load() == WindowState()
    (notice,) = notices
    assert "2 pinned items" in notice.message
    assert keys(offered(notice, files).pinned) == ["type:A", "type:B"]


def test_what_can_still_be_read_of_a_damaged_file_is_offered_without_a_copy():
    files, notices = MemoryFiles(), []
    store = store_over(files, notices)
    for key in ("type:A", "type:B", "type:C"):
        store.update(pin(key))
    store.update(lambda state: state.with_recent(Entry("type:R", 4)))
    del files.files["window.copy.json"]
    data = bytearray(files.files["window.json"])
    at = data.index(b"type:B")
    data[at - 20 : at + 20] = b"\xff" * 40
    files.files["window.json"] = bytes(data)
    store_over(files, notices).load()
    found = offered(notices[0], files)
    assert keys(found.pinned) == ["type:A", "type:C"]
    assert keys(found.recent) == ["type:R"]


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b'{"pinned": {}}',
        b'{"pinned": [3]}',
        b'{"pinned": [{"label": "no key"}]}',
        b'{"pinned": [{"key": "type:A", "pinnedAt": "yesterday"}]}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_file_is_kept_aside_and_said(damaged):
    files, notices = MemoryFiles(), []
    files.write("window.json", damaged)
    store = store_over(files, notices)
    assert store.load() == WindowState()
    (notice,) = notices
    assert isinstance(notice, Notice)
    assert (b"" if notice.file is None else files.read(notice.file)) == damaged
    assert keys(store.update(pin("type:A")).pinned) == ["type:A"]
    assert len(notices) == 1


ENTRIES = st.lists(
    st.builds(Entry, st.sampled_from([f"type:{c}" for c in "ABCDEF"]), st.integers(0, 9), st.text())
)


@given(ENTRIES, ENTRIES)
def test_what_is_written_is_read_back(pinned, recent):
    state = WindowState()
    for entry in pinned:
        state = state.with_pinned(entry)
    for entry in recent:
        state = state.with_recent(entry)
    again = decode(encode(state))
    assert (again.pinned, again.recent) == (state.pinned, state.recent)
    assert not {*keys(state.pinned)} & {*keys(state.recent)}
    assert len({*keys(state.pinned)}) == len(state.pinned)


def pin_many(folder, name, count):
    with Root.open(folder) as root, StateFolder.open(root) as files:
        store = store_over(files)
        for n in range(count):
            store.update(pin(f"type:{name}{n}", at=n))


def test_processes_that_pin_at_once_lose_nothing(tmp_path):
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=pin_many, args=(tmp_path, name, 25)) for name in "AB"]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    with Root.open(tmp_path) as root, StateFolder.open(root) as files:
        state = store_over(files).load()
    assert sorted(keys(state.pinned)) == sorted(f"type:{name}{n}" for name in "AB" for n in range(25))
    assert [key for key in keys(state.pinned) if "A" in key] == [f"type:A{n}" for n in range(25)]


def test_threads_that_pin_and_let_secrets_through_at_once_lose_nothing(tmp_path):
    """The lock of the file parts threads too: each takes it with a descriptor of its own."""
    ready = threading.Barrier(4)
    with Root.open(tmp_path) as root, StateFolder.open(root) as files:
        store, vault = store_over(files), Vault(files)

        def work(name):
            ready.wait()
            for n in range(10):
                store.update(pin(f"type:{name}{n}", at=n))
                vault.allow(Secret("token", 1, f"{name}{n}" * 8, masked=True), "here")

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, "ABCD"))
        expected = sorted(f"{name}{n}" for name in "ABCD" for n in range(10))
        assert sorted(keys(store.load().pinned)) == [f"type:{each}" for each in expected]
        assert sorted(each.hash for each in vault.allowed()) == [each * 8 for each in expected]


@given(st.lists(st.tuples(ENTRIES, ENTRIES), min_size=1, max_size=3))
def test_one_state_after_the_other_is_written_as_the_first(states):
    """And as msgspec lays out the whole of it."""
    encoder, kept = Encoder(), {}
    for pinned, recent in states:
        state = WindowState(extra={"later": [1, {"a": []}]})
        for entry in recent:
            state = state.with_recent(kept.setdefault(repr(entry), entry))
        for entry in pinned:
            state = state.with_pinned(kept.setdefault(repr(entry), entry))
        written = encoder.encode(state)
        assert written == encode(state) == msgspec.json.format(written, indent=2) + b"\n"
        assert decode(written) == state


def test_what_another_process_left_alone_is_the_same_entry():
    files = MemoryFiles()
    one, two = store_over(files), store_over(files)
    before = one.update(pin("type:A"))
    two.update(pin("type:B", at=2))
    assert one.load().pinned[0] is before.pinned[0]
    assert keys(one.load().pinned) == ["type:A", "type:B"]
