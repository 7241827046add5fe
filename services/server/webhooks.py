"""Receiver of webhooks: verifies a delivery, queues its review once, and answers before any of the work is done."""

from __future__ import annotations

import hashlib
import hmac
import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import anyio
import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from services.concurrency.exclusion import Guarded
from services.decoding import Limit, decode
from services.errors import CodeCortexError, ModelKeyError
from services.llm.profiles import key_of
from services.ops.jobs import JobRequest, SubmittedJob
from services.review.agent import KIND, ReviewTask
from services.settings import WebhookSettings

MOST_BYTES = 8 << 20
_LIMIT = Limit(MOST_BYTES, 60, 500_000)
_LONGEST_ID = 200


class RefusedDelivery(Exception):
    """A delivery that is refused with an HTTP status and a reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Delivery(NamedTuple):
    """Delivery with a valid signature. `ids`: by which it is recognized: the id that the service gave it, and its
    content; `project`: `owner/name`, empty where the service has none; `change`: the change to review, as `review`
    takes it, empty where there is nothing to do; `at`: when it was sent, in seconds since 1970, None where unknown."""

    provider: str
    ids: tuple[str, ...]
    project: str
    change: str
    event: str
    at: float | None = None


class Provider(NamedTuple):
    """A service that sends deliveries. `is_signed`: compares headers and body with a secret, in constant time;
    `read`: the delivery of headers and a decoded body."""

    name: str
    is_signed: Callable[[Mapping[str, str], bytes, bytes], bool]
    read: Callable[[Mapping[str, str], Mapping[str, Any]], Delivery]


def verified(
    provider: Provider, headers: Mapping[str, str], body: bytes, secrets: Mapping[str, bytes]
) -> tuple[Delivery, frozenset[str]]:
    """Return a delivery and the names of the secrets that it is signed with. Nothing of the body is read before its
    signature holds. `headers`: by names in small letters. Raises RefusedDelivery."""
    if not secrets:
        raise RefusedDelivery(503, "No secret is set up for these webhooks.")
    held = [name for name, secret in secrets.items() if provider.is_signed(headers, body, secret)]
    if not held:
        raise RefusedDelivery(401, "The signature is missing or wrong.")
    try:
        value = decode(dict[str, Any], body, _LIMIT)
    except msgspec.DecodeError as error:
        raise RefusedDelivery(400, f"The body is no JSON object: {error}.") from error
    try:
        delivery = provider.read(headers, value)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise RefusedDelivery(422, f"The body is no delivery of {provider.name}.") from error
    content = hashlib.sha256(body).hexdigest()
    own = tuple(f"{provider.name} {each[:_LONGEST_ID]}" for each in delivery.ids if each)
    # The id is not part of what GitHub signs: who replays a body under another id is known by the body.
    return delivery._replace(ids=(*own, f"{provider.name} sha256 {content}")), frozenset(held)


def _hmac_of(secret: bytes, body: bytes) -> str:
    return hmac.new(secret, body, hashlib.sha256).hexdigest()


def _same(shown: str, expected: str) -> bool:
    return hmac.compare_digest(shown.strip().encode("utf-8", "replace"), expected.encode())


def _github_signed(headers: Mapping[str, str], body: bytes, secret: bytes) -> bool:
    return _same(headers.get("x-hub-signature-256", ""), f"sha256={_hmac_of(secret, body)}")


def _github(headers: Mapping[str, str], value: Mapping[str, Any]) -> Delivery:
    event = headers.get("x-github-event", "")
    project, change = "", ""
    if event == "pull_request":
        project, number = str(value["repository"]["full_name"]), int(value["number"])
        is_new = value["action"] in ("opened", "reopened", "synchronize", "ready_for_review")
        change = f"github:{project}#{number}" if is_new and not value["pull_request"].get("draft") else ""
        event = f"{event} {value['action']}"
    elif isinstance(value.get("repository"), dict):
        project = str(value["repository"].get("full_name", ""))
    return Delivery("github", (headers.get("x-github-delivery", ""),), project, change, event)


def _gitlab_signed(headers: Mapping[str, str], body: bytes, secret: bytes) -> bool:
    del body  # GitLab shows the secret itself
    return _same(headers.get("x-gitlab-token", ""), secret.decode("utf-8", "replace"))


def _gitlab(headers: Mapping[str, str], value: Mapping[str, Any]) -> Delivery:
    event = str(value.get("object_kind") or "")
    about = value.get("project")
    project = str(about.get("path_with_namespace", "")) if isinstance(about, dict) else ""
    change = ""
    if event == "merge_request":
        about = value["object_attributes"]
        action = about.get("action")
        is_new = action in ("open", "reopen") or (action == "update" and bool(about.get("oldrev")))
        is_draft = bool(about.get("draft") or about.get("work_in_progress"))
        change = f"gitlab:{project}!{int(about['iid'])}" if is_new and not is_draft else ""
        event = f"{event} {action}"
    # GitLab repeats the key where it sends a delivery again, and gives each attempt another UUID.
    id_ = headers.get("idempotency-key") or headers.get("x-gitlab-event-uuid") or ""
    return Delivery("gitlab", (id_,), project, change, event)


def _phabricator_signed(headers: Mapping[str, str], body: bytes, secret: bytes) -> bool:
    return _same(headers.get("x-phabricator-webhook-signature", ""), _hmac_of(secret, body))


def _phabricator(headers: Mapping[str, str], value: Mapping[str, Any]) -> Delivery:
    del headers
    about, action = value["object"], value.get("action") or {}
    kind, phid = str(about["type"]), str(about["phid"])
    transactions = sorted(str(each["phid"]) for each in value.get("transactions") or ())
    epoch = action.get("epoch")
    is_work = kind == "DREV" and phid.startswith("PHID-DREV-") and not action.get("test")
    return Delivery(
        provider="phabricator",
        ids=(" ".join(transactions) and hashlib.sha256(" ".join(transactions).encode()).hexdigest(),),
        project="",
        change=phid if is_work else "",
        event=kind,
        at=float(epoch) if isinstance(epoch, int | float) else None,
    )


PROVIDERS: Mapping[str, Provider] = {
    "github": Provider("github", _github_signed, _github),
    "gitlab": Provider("gitlab", _gitlab_signed, _gitlab),
    "phabricator": Provider("phabricator", _phabricator_signed, _phabricator),
}


_LOG = logging.getLogger("codecortex.webhooks")
Submit = Callable[[JobRequest, Sequence[str]], SubmittedJob]
"""Queues a job unless a delivery of one of these ids was queued before; the id of the job, and whether it is new."""


class WebhookAnswer(NamedTuple):
    """Status and JSON body of the answer to a delivery."""

    status: int
    body: dict[str, Any]


class WebhookReceiver:
    """Answers deliveries for one workspace. Thread-safe. `clock`: seconds since 1970."""

    def __init__(
        self,
        submit: Submit,
        settings: Callable[[], WebhookSettings],
        *,
        environment: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._submit = submit
        self._settings = settings
        self._environment = environment
        self._clock = clock
        self._counts: Guarded[Counter[tuple[str, str]]] = Guarded(Counter())

    def receive(self, provider: str, headers: Mapping[str, str], body: bytes) -> WebhookAnswer:
        """Answer a delivery: 202 with the job that reviews its change, 200 where there is nothing to do, else why it
        is refused. `headers`: by names in small letters. Raises ReadOnly, Busy where no job can be queued."""
        try:
            answer, outcome = self._received(provider, headers, body)
        except RefusedDelivery as error:
            answer, outcome = WebhookAnswer(error.status, {"error": error.reason}), "refused"
        with self._counts as counts:
            counts[provider, outcome] += 1
        _LOG.info("delivery of %s %s: %s", provider, outcome, answer.body)
        return answer

    def counts(self) -> dict[tuple[str, str], int]:
        """Deliveries by provider and outcome: queued, repeated, ignored or refused."""
        with self._counts as counts:
            return dict(counts)

    def _received(self, name: str, headers: Mapping[str, str], body: bytes) -> tuple[WebhookAnswer, str]:
        settings = self._settings()
        provider = PROVIDERS[name]
        delivery, matching = verified(provider, headers, body, self._secrets(name, settings))
        self._require_project(delivery, matching, settings)
        if delivery.at is not None and abs(self._clock() - delivery.at) > settings.window:
            raise RefusedDelivery(400, f"The delivery is more than {settings.window} seconds old.")
        if not delivery.change:
            return WebhookAnswer(200, {"ignored": delivery.event}), "ignored"
        op_id, is_new = self._submit(_request(delivery, settings), delivery.ids)
        return WebhookAnswer(202, {"opId": op_id, "new": is_new}), "queued" if is_new else "repeated"

    def _secrets(self, provider: str, settings: WebhookSettings) -> dict[str, bytes]:
        """The secrets that deliveries of a provider may be signed with, by the repository of each; the one of the
        variable is for those that are not listed."""
        places = {
            name.partition(":")[2]: where
            for name, where in settings.repositories.items()
            if name.partition(":")[0] == provider
        }
        found = dict[str, bytes]()
        for project, where in {**places, **({} if "" in places else {"": settings.secret})}.items():
            try:
                secret = key_of(where, self._environment)
            except ModelKeyError:
                continue
            if secret:
                found[project] = secret.encode()
        return found

    def _require_project(
        self, delivery: Delivery, matching: frozenset[str], settings: WebhookSettings
    ) -> None:
        """Raises RefusedDelivery where a secret signs for a repository that it is not of."""
        if f"{delivery.provider}:{delivery.project}" in settings.repositories:
            allowed = delivery.project in matching
        else:
            allowed = "" in matching
        if not allowed:
            raise RefusedDelivery(403, "This secret is of another repository.")


def _request(delivery: Delivery, settings: WebhookSettings) -> JobRequest:
    task = ReviewTask(change=delivery.change, by_model=settings.by_model, publish=settings.publish)
    return JobRequest(
        kind=KIND,
        title=f"Review of {delivery.change}",
        by=f"webhook:{delivery.provider}",
        payload=msgspec.to_builtins(task),
        asks_model=settings.by_model,
    )


_AT_ONCE = 8
PHABRICATOR_PATH = "/webhooks/phabricator"


def webhook_paths(phabricator: str = PHABRICATOR_PATH) -> dict[str, str]:
    """The provider of each path that takes deliveries."""
    usual = {f"/webhooks/{name}": name for name in PROVIDERS}
    return {**usual, phabricator: "phabricator"}


def webhook_routes(receiver: WebhookReceiver, paths: dict[str, str]) -> list[Route]:
    """A route for each path; it answers on threads of its own, so that no other call holds a delivery up."""
    limiter = anyio.CapacityLimiter(_AT_ONCE)

    def endpoint(provider: str):
        async def take(request: Request) -> Response:
            body = await request.body()
            headers = {
                name.decode("latin-1").lower(): value.decode("latin-1") for name, value in request.headers.raw
            }
            call = partial(receiver.receive, provider, headers, body)
            try:
                answer = await anyio.to_thread.run_sync(call, limiter=limiter)
            except CodeCortexError as error:
                # The services send a delivery again that is answered so.
                return JSONResponse({"error": error.message}, status_code=503)
            return JSONResponse(answer.body, status_code=answer.status)

        return take

    return [Route(path, endpoint=endpoint(provider), methods=["POST"]) for path, provider in paths.items()]
