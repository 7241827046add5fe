"""Errors as programs get them: the object of 000 section 7.2, with the code names of SPEC section 10.

Values as JSON: what an operation answers, made of dicts, lists and texts that every program can read; and
lines of the log, in which likely secrets are masked (SAFETY, Models and the network).
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import traceback
from datetime import UTC, datetime
from typing import Any

import msgspec

from services.errors import CodeCortexError, SourceError
from services.prompt.secrets.masking import Masker

_LOG = logging.getLogger("codecortex.server")
_RETRIES = {"Busy": "Status", "ProposalPending": "GetProposal"}
"""What to call before trying again, for errors that are no SourceError."""


def failure(error: Exception) -> dict[str, Any]:
    """`{error, code, name, message, details, retry, retryAction}`. `error` and `message` are the same sentence: the
    first is 000's name for it, the second SPEC's. An error nobody foresaw tells its `traceId` alone: what it says may
    hold what the caller should not see; the log on stderr has it all."""
    if not isinstance(error, CodeCortexError):
        return _internal(error)
    known = isinstance(error, SourceError)
    action = error.retry_action if known else _RETRIES.get(str(error.code))
    return {
        "error": error.message,
        "code": error.code,
        "name": error.name if known else str(error.code),
        "message": error.message,
        "details": error.details,
        "retry": error.retry,
        "retryAction": action,
    }


def _internal(error: Exception) -> dict[str, Any]:
    text = "".join(traceback.format_exception(error))
    trace_id = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:12]
    _LOG.error("internal error %s\n%s", trace_id, text)
    message = f"An internal error ({trace_id}). The server's log says more."
    return {
        "error": message,
        "code": "InternalError",
        "name": "InternalError",
        "message": message,
        "details": {"traceId": trace_id},
        "retry": False,
        "retryAction": None,
    }


def plain(value: Any) -> Any:
    """`value` as JSON values. Half of a surrogate pair, which a file name that is no UTF-8 leaves behind, has no JSON:
    it becomes the replacement character."""
    made = msgspec.to_builtins(value, str_keys=True)
    try:
        msgspec.json.encode(made)
    except UnicodeEncodeError:
        return _repaired(made)
    return made


def json_text(value: Any) -> str:
    """Compact JSON of what `plain` answered."""
    return msgspec.json.encode(value).decode()


def _repaired(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_repaired(name): _repaired(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_repaired(each) for each in value]
    return value


class MaskedLog(logging.Formatter):
    """Lines of a log without likely secrets, tracebacks included. Its placeholders are those of no workspace."""

    _masker = Masker(secrets.token_bytes(32))

    def format(self, record: logging.LogRecord) -> str:
        """The line, masked."""
        return self._masker.text(super().format(record))


class MaskedJsonLog(MaskedLog):
    """Lines of a log as JSON objects: `time` (ISO 8601, UTC), `level`, `logger`, `message`, and `error` with the
    traceback where there is one. Likely secrets are masked."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        said = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self._masker.text(record.getMessage()),
        }
        if record.exc_info:
            said["error"] = self._masker.text(self.formatException(record.exc_info))
        return json.dumps(said, ensure_ascii=False)
