"""A branch pushed to the server of the settings, whatever the repository's own configuration says."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.errors import RemoteError, UsageError, WorkspaceError
from services.review.pushing import Push, PushTarget, push
from tests.support.forge import TOKEN, Forge, forge_of
from tests.support.review_change import git
from tests.support.till_shop import till_shop

FILES = {"checks/test_new.py": b"def test_new():\n    pass\n"}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return till_shop(tmp_path / "shop")


@pytest.fixture
def forge(tmp_path: Path, shop: Path) -> Iterator[Forge]:
    with forge_of("github", shop, tmp_path / "server") as made:
        yield made


def target(forge: Forge, token: str = TOKEN) -> PushTarget:
    secret = b64encode(f"x-access-token:{token}".encode()).decode()
    return PushTarget(f"{forge.address}/octo/demo.git", f"Authorization: Basic {secret}")


def wanted(branch: str = "tests/new", parent: str = "HEAD") -> Push:
    return Push(branch, parent, "New tests\n", FILES)


def test_a_push_is_the_same_commit_however_often_it_is_made(forge: Forge, shop: Path) -> None:
    (shop / "checks/till.py").write_text("def pay(a):\n    return 0\n")
    git(shop, "add", ".")
    before = git(shop, "status", "--porcelain")
    first = push(shop, target(forge), wanted())
    assert push(shop, target(forge), wanted()) == first
    assert forge.branches()["tests/new"] == first
    assert (
        git(forge.repository, "diff-tree", "-r", "--name-only", "--no-commit-id", first)
        == "checks/test_new.py"
    )
    assert git(shop, "status", "--porcelain") == before, "what is staged stays so, and is not pushed"
    assert git(shop, "branch", "--format=%(refname:short)") == "main"


def test_a_configuration_of_the_repository_leads_nothing_elsewhere(
    forge: Forge, shop: Path, tmp_path: Path
) -> None:
    with forge_of("github", shop, tmp_path / "evil") as evil:
        hook = shop / ".git/hooks/pre-push"
        hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 1\n")
        hook.chmod(0o755)
        url = target(forge).url
        for name, value in (
            (f"url.{evil.address}/.insteadOf", f"{forge.address}/"),
            (f"url.{evil.address}/.pushInsteadOf", f"{forge.address}/"),
            (f"remote.{url}.url", f"{evil.address}/octo/demo.git"),
            ("http.proxy", evil.address),
            ("http.extraHeader", "X-Evil: 1"),
            ("credential.helper", f"!touch {tmp_path}/ran"),
            ("core.hooksPath", str(shop / ".git/hooks")),
        ):
            git(shop, "config", name, value)
        commit = push(shop, target(forge), wanted())
        assert forge.branches()["tests/new"] == commit
        assert "tests/new" not in evil.branches()
        assert not (tmp_path / "ran").exists()


def test_a_branch_with_another_commit_is_left(forge: Forge, shop: Path) -> None:
    git(forge.repository, "branch", "tests/new", "main")
    with pytest.raises(UsageError, match="has another branch tests/new"):
        push(shop, target(forge), wanted())
    assert forge.branches()["tests/new"] == forge.branches()["main"]


@pytest.mark.parametrize("branch", ["", "-f", "a..b", "a b", "a.lock", "/a", "a/", "a\n", "HEAD:x", "a@{1}"])
def test_a_name_that_is_no_branch_is_refused(forge: Forge, shop: Path, branch: str) -> None:
    with pytest.raises(UsageError, match="no name for a branch"):
        push(shop, target(forge), wanted(branch))


def test_a_wrong_token_and_a_wrong_parent_are_told(forge: Forge, shop: Path) -> None:
    with pytest.raises(RemoteError, match="lets git not in"):
        push(shop, target(forge, "wrong"), wanted())
    with pytest.raises(WorkspaceError, match="git rev-parse failed"):
        push(shop, target(forge), wanted(parent="nowhere"))
    assert forge.branches().keys() == {"main"}
