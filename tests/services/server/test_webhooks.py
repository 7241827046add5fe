"""Deliveries of webhooks: only signed ones count, and each makes one job."""

from __future__ import annotations

import hashlib
import hmac
import json
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.ops.jobs import JobRequest, SubmittedJob
from services.ops.rows import job_file
from services.ops.sql_jobs import SqlJobs
from services.server.webhooks import WebhookAnswer, WebhookReceiver
from services.settings import WebhookSettings

SECRET = "a secret of tests"
NOW = 1_800_000_000.0


def hexed(body: bytes, secret: str = SECRET) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def github(number: int = 7, action: str = "synchronize", **more: Any) -> bytes:
    about = {"action": action, "number": number, "pull_request": {}, "repository": {"full_name": "o/n"}}
    return json.dumps(about | more).encode()


def of_github(
    body: bytes, id_: str = "1", secret: str = SECRET, event: str = "pull_request"
) -> dict[str, str]:
    return {
        "x-hub-signature-256": f"sha256={hexed(body, secret)}",
        "x-github-delivery": id_,
        "x-github-event": event,
    }


def gitlab(iid: int = 3, **more: Any) -> bytes:
    about = {"iid": iid, "action": "open"} | more
    return json.dumps(
        {
            "object_kind": "merge_request",
            "project": {"path_with_namespace": "g/s/p"},
            "object_attributes": about,
        }
    ).encode()


def phabricator(phid: str = "PHID-DREV-abc", epoch: float = NOW, **more: Any) -> bytes:
    action = {"test": False, "epoch": epoch} | more
    transactions = [{"phid": f"PHID-XACT-DREV-{phid}-{epoch}"}]
    return json.dumps(
        {"object": {"type": "DREV", "phid": phid}, "action": action, "transactions": transactions}
    ).encode()


class Receiver:
    """A receiver over a queue of jobs on disk."""

    def __init__(self, folder: Path, *, environment: dict[str, str] | None = None, **settings: Any) -> None:
        self.jobs = SqlJobs(job_file(folder / "ops.db"))
        given = WebhookSettings(**settings)
        self.receiver = WebhookReceiver(
            self.jobs.submit_once,
            lambda: given,
            environment={"WEBHOOK_SECRET": SECRET} if environment is None else environment,
            clock=lambda: NOW,
        )

    def send(self, provider: str, headers: dict[str, str], body: bytes) -> WebhookAnswer:
        return self.receiver.receive(provider, headers, body)

    def changes(self) -> list[str]:
        return sorted(op.title.removeprefix("Review of ") for op in self.jobs.listed(most=100_000))


@pytest.fixture
def receiver(tmp_path: Path) -> Receiver:
    return Receiver(tmp_path)


def test_a_delivery_of_each_service_becomes_a_review(receiver: Receiver) -> None:
    bodies = {
        "github": (of_github(github()), github()),
        "gitlab": ({"x-gitlab-token": SECRET, "idempotency-key": "a"}, gitlab()),
        "phabricator": ({"x-phabricator-webhook-signature": hexed(phabricator())}, phabricator()),
    }
    for provider, (headers, body) in bodies.items():
        answer = receiver.send(provider, headers, body)
        assert (answer.status, answer.body["new"]) == (202, True)
    assert receiver.changes() == ["PHID-DREV-abc", "github:o/n#7", "gitlab:g/s/p!3"]
    (claim,) = [receiver.jobs.claim(["review"]) for _ in range(1)]
    assert claim is not None
    assert claim.payload["publish"] is False


@pytest.mark.parametrize(
    ("provider", "headers"),
    [
        ("github", {}),
        ("github", {"x-hub-signature-256": "sha256=" + "0" * 64}),
        ("github", {"x-hub-signature-256": hexed(github())}),
        ("gitlab", {"x-gitlab-token": "wrong"}),
        ("gitlab", {"x-gitlab-token": ""}),
        ("phabricator", {"x-phabricator-webhook-signature": "é"}),
    ],
)
def test_nothing_of_a_forged_delivery_is_read(
    receiver: Receiver, provider: str, headers: dict[str, str]
) -> None:
    for body in (github(), b"{" * 100_000, b""):
        assert receiver.send(provider, headers, body).status == 401
    assert receiver.changes() == []
    assert receiver.receiver.counts() == {(provider, "refused"): 3}


def test_without_a_secret_nothing_is_taken(tmp_path: Path) -> None:
    receiver = Receiver(tmp_path, environment={})
    assert receiver.send("github", of_github(github(), secret=""), github()).status == 503
    assert receiver.send("gitlab", {"x-gitlab-token": ""}, gitlab()).status == 503


def test_a_delivery_that_comes_again_makes_no_second_job(receiver: Receiver) -> None:
    first = receiver.send("github", of_github(github()), github())
    again = receiver.send("github", of_github(github()), github())
    under_another_id = receiver.send("github", of_github(github(), "2"), github())
    assert [each.body["new"] for each in (first, again, under_another_id)] == [True, False, False]
    assert len({each.body["opId"] for each in (first, again, under_another_id)}) == 1
    other = github(after="b")
    assert receiver.send("github", of_github(other, "3"), other).body["new"]


def test_a_job_that_ended_and_was_forgotten_is_not_made_again(receiver: Receiver) -> None:
    receiver.send("github", of_github(github()), github())
    receiver.jobs.cancel(receiver.jobs.listed(most=1)[0].op_id, "person")
    receiver.jobs.prune(0)
    assert receiver.changes() == []
    assert not receiver.send("github", of_github(github()), github()).body["new"]
    assert receiver.changes() == []


@pytest.mark.parametrize(
    ("provider", "headers", "body"),
    [
        ("github", of_github(github(action="closed")), github(action="closed")),
        ("github", of_github(b"{}", event="ping"), b"{}"),
        ("github", of_github(github(pull_request={"draft": True})), github(pull_request={"draft": True})),
        ("gitlab", {"x-gitlab-token": SECRET}, gitlab(action="update")),
        ("gitlab", {"x-gitlab-token": SECRET}, b'{"object_kind": "push"}'),
        ("phabricator", {}, phabricator(test=True)),
        ("phabricator", {}, phabricator(phid="PHID-TASK-a")),
    ],
)
def test_what_changes_no_code_is_let_be(
    receiver: Receiver, provider: str, headers: dict[str, str], body: bytes
) -> None:
    headers = headers or {"x-phabricator-webhook-signature": hexed(body)}
    assert receiver.send(provider, headers, body).status == 200
    assert receiver.changes() == []


@pytest.mark.parametrize("late", [-301, 301, 1e300])
def test_a_delivery_outside_the_window_is_refused(receiver: Receiver, late: float) -> None:
    body = phabricator(epoch=NOW + late)
    answer = receiver.send("phabricator", {"x-phabricator-webhook-signature": hexed(body)}, body)
    assert answer.status == 400
    assert receiver.changes() == []


def test_a_secret_signs_for_its_own_repository_alone(tmp_path: Path) -> None:
    receiver = Receiver(
        tmp_path,
        environment={"WEBHOOK_SECRET": "common", "OF_N": "of n", "OF_M": "of m"},
        repositories={"github:o/n": "env:OF_N", "github:o/m": "env:OF_M", "github:o/gone": "env:NOT_SET"},
    )
    of_n = github()
    other = github(repository={"full_name": "o/else"})
    assert receiver.send("github", of_github(of_n, secret="of m"), of_n).status == 403
    assert receiver.send("github", of_github(of_n, secret="common"), of_n).status == 403
    assert receiver.send("github", of_github(other, secret="of n"), other).status == 403
    assert receiver.changes() == []
    assert receiver.send("github", of_github(of_n, secret="of n"), of_n).status == 202
    assert receiver.send("github", of_github(other, "2", secret="common"), other).status == 202


@pytest.mark.parametrize("body", [b"[]", b"{", b'{"action": "opened"}', b"[" * 50_000, b'{"number": "x"}'])
def test_a_signed_body_that_is_no_delivery_is_refused(receiver: Receiver, body: bytes) -> None:
    assert receiver.send("github", of_github(body), body).status in (400, 422)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, len(github()) - 1))
def test_a_truncated_delivery_is_refused_and_not_remembered(end: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        receiver = Receiver(Path(folder))
        assert receiver.send("github", of_github(github()), github()[:end]).status == 401
        assert receiver.send("github", of_github(github()[:end]), github()[:end]).status == 400
        assert receiver.changes() == []
        assert receiver.send("github", of_github(github()), github()).body["new"] is True
        receiver.jobs.close()


@given(st.binary(max_size=200), st.sampled_from(["github", "gitlab", "phabricator"]))
def test_any_signed_bytes_are_answered(body: bytes, provider: str) -> None:
    headers = of_github(body) | {
        "x-gitlab-token": SECRET,
        "x-phabricator-webhook-signature": hexed(body),
    }
    made = list[JobRequest]()

    def submit(request: JobRequest, _: Any) -> SubmittedJob:
        made.append(request)
        return SubmittedJob("op", is_new=True)

    receiver = WebhookReceiver(
        submit, WebhookSettings, environment={"WEBHOOK_SECRET": SECRET}, clock=lambda: NOW
    )
    assert receiver.receive(provider, headers, body).status in (200, 400, 422)
    assert made == []


def test_repeats_forgeries_and_restarts_in_random_order_make_one_job_each(tmp_path: Path) -> None:
    chance = random.Random(51)
    valid = [(str(at), github(number=at)) for at in range(60)]
    sent = [*valid, *chance.sample(valid, 20), *[(id_, body + b" ") for id_, body in chance.sample(valid, 8)]]
    chance.shuffle(sent)
    for begin in range(0, len(sent), 30):  # a new process each time
        receiver = Receiver(tmp_path)
        for id_, body in sent[begin : begin + 30]:
            receiver.send("github", of_github(body.rstrip(), id_), body)
        receiver.jobs.close()
    assert Receiver(tmp_path).changes() == sorted(f"github:o/n#{at}" for at in range(60))
