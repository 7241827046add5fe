"""A notice to an address of the person's settings, signed, under a key by which its receiver knows it again."""

from __future__ import annotations

import hashlib
import hmac
import time
from urllib.parse import urlsplit

from services.errors import RemoteError, UsageError
from services.exchange import exchange, is_confidential

_SECONDS = 30.0
SIGNATURE, KEY = "X-CodeCortex-Signature-256", "Idempotency-Key"


def send_notice(address: str, secret: str, key: str, text: str) -> int:
    """Send a JSON text by POST and return the status. The same key is sent again after a crash: the receiver takes the
    first. Raises UsageError for an address that is none, RemoteError, Cancelled."""
    if not is_confidential(address):
        raise UsageError("workflow.notify is no address. Write https://… into your settings.")
    host = urlsplit(address).netloc
    body = text.encode("utf-8", "replace")
    headers = {"content-type": "application/json", KEY: hashlib.sha256(key.encode()).hexdigest()[:32]}
    if secret:
        headers[SIGNATURE] = f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}"
    until = time.monotonic() + _SECONDS
    answer = exchange("POST", address, until=until, host=host, content=body, headers=headers)
    if answer.status >= 300:
        reason = "server" if answer.status >= 500 or answer.status == 429 else "answer"
        message = f"{host} did not take the notice: it answers {answer.status}."
        raise RemoteError(message, host=host, reason=reason, status=answer.status)
    return answer.status
