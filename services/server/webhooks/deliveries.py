"""Deliveries of each service: how they are signed, what identifies them, and which change they are about.

GitHub: https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries. GitLab:
https://docs.gitlab.com/user/project/integrations/webhooks/. Phabricator: https://we.phacility.com/book/phabricator/article/webhooks/.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from services.decoding import Limit, decode

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
