"""Receiver of webhooks: verifies a delivery, queues its review once, and answers before any of the work is done."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from services.errors import ModelKeyError
from services.llm.profiles import key_of
from services.ops.jobs import JobRequest, SubmittedJob
from services.review.agent import KIND, ReviewTask
from services.server.webhooks.deliveries import PROVIDERS, Delivery, RefusedDelivery, verified
from services.settings import WebhookSettings

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
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, str]] = Counter()

    def receive(self, provider: str, headers: Mapping[str, str], body: bytes) -> WebhookAnswer:
        """Answer a delivery: 202 with the job that reviews its change, 200 where there is nothing to do, else why it
        is refused. `headers`: by names in small letters. Raises ReadOnly, Busy where no job can be queued."""
        try:
            answer, outcome = self._received(provider, headers, body)
        except RefusedDelivery as error:
            answer, outcome = WebhookAnswer(error.status, {"error": error.reason}), "refused"
        with self._lock:
            self._counts[provider, outcome] += 1
        _LOG.info("delivery of %s %s: %s", provider, outcome, answer.body)
        return answer

    def counts(self) -> dict[tuple[str, str], int]:
        """Deliveries by provider and outcome: queued, repeated, ignored or refused."""
        with self._lock:
            return dict(self._counts)

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
