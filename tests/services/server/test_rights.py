"""What agents may do is what the settings say at the moment of each call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from services.errors import NotAllowed, PathRefused, ProposalPending
from services.operations import by_name
from services.server import path_access
from services.server.serving import Serving
from services.settings import IndexSettings, Settings, load
from services.settings.write import keep
from services.source.journal.actor import Owner
from tests.support.serving import SHOP
from tests.support.workspace import write_workspace

AGENT = Owner("tester")
FILE = "Shop/Orders.cs"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shop"
    write_workspace(folder, SHOP | {".gitignore": "secret.txt\n", "secret.txt": "x\n"})
    monkeypatch.setattr(path_access, "user_file_path", lambda: own(folder))
    return folder


def own(folder: Path) -> Path:
    """The person's settings file."""
    return folder.parent / "settings.toml"


def serve(folder: Path, again: Callable[[], Settings] | None = None) -> Serving:
    settings = Settings(index=IndexSettings(workers=1))
    return Serving.open(folder, settings, again=again or (lambda: load(folder, user_file=own(folder))))


def call(serving: Serving, name: str, **arguments: object) -> dict[str, object]:
    return serving.call(by_name(name), arguments, agent=AGENT)


def test_a_right_that_is_taken_away_is_gone_at_the_next_call_and_comes_back(shop):
    with serve(shop) as serving:
        handle = call(serving, "lock", object=FILE)["LOCK_HANDLE"]
        token = call(serving, "getObjectSourceV2", object=FILE)["token"]
        write = {
            "object": FILE,
            "startLine": 1,
            "endLine": 1,
            "content": "namespace Shop; //\n",
            "token": token,
        }
        keep("agents.write", "refuse", path=own(shop))
        with pytest.raises(NotAllowed, match=r"agents\.write"):
            call(serving, "setObjectSourceV2", **write, lockHandle=handle)
        with pytest.raises(NotAllowed, match=r"agents\.write"):
            call(serving, "lock", object="Shop/Order.cs")
        assert (shop / FILE).read_text() == SHOP[FILE]
        keep("agents.write", "ask", path=own(shop))
        keep("agents.patience", "0", path=own(shop))
        with pytest.raises(ProposalPending):
            call(serving, "setObjectSourceV2", **write, lockHandle=handle)
        keep("agents.write", "allow", path=own(shop))
        assert call(serving, "setObjectSourceV2", **write, lockHandle=handle)["updated"]
        keep("agents.pin", "refuse", path=own(shop))
        with pytest.raises(NotAllowed, match=r"agents\.pin"):
            call(serving, "Pin", path="Shop.Orders")


def test_who_may_lock_no_more_can_give_a_lock_back(shop):
    with serve(shop) as serving:
        handle = call(serving, "lock", object=FILE)["LOCK_HANDLE"]
        keep("agents.write", "refuse", path=own(shop))
        call(serving, "unLock", object=FILE, lockHandle=handle)
        assert call(serving, "listLocks")["locks"] == []


def test_ignored_files_open_while_the_settings_say_so(shop):
    with serve(shop) as serving:
        with pytest.raises(PathRefused):
            call(serving, "getObjectSourceV2", object="secret.txt")
        keep("agents.ignored_files", "true", path=own(shop))
        assert call(serving, "getObjectSourceV2", object="secret.txt")["content"] == "x\n"


def test_a_file_that_cannot_be_used_changes_nothing_and_is_said_once(shop, caplog):
    with serve(shop) as serving:
        keep("agents.pin", "refuse", path=own(shop))
        with pytest.raises(NotAllowed):
            call(serving, "Pin", path="Shop.Orders")
        own(shop).write_text("[agents\n")
        for _ in range(3):
            with pytest.raises(NotAllowed):
                call(serving, "Pin", path="Shop.Orders")
    assert len([each for each in caplog.records if "not taken" in each.message]) == 1


def test_the_file_is_read_when_it_is_another_and_not_at_every_call(shop):
    read: list[int] = []

    def again() -> Settings:
        read.append(1)
        return load(shop, user_file=own(shop))

    with serve(shop, again) as serving:
        for _ in range(3):
            call(serving, "Status")
        keep("agents.pin", "refuse", path=own(shop))
        for _ in range(3):
            call(serving, "Status")
    assert len(read) == 2
