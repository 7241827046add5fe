"""Errors that nobody foresaw: told in a sentence, with the details in a file to send along."""

from __future__ import annotations

import traceback
from contextlib import suppress
from hashlib import sha256

from services.errors import CodeCortexError


def internal_error(error: Exception) -> CodeCortexError:
    """`error` as an InternalError (SPEC section 10). Its traceback goes to a file in the user's log folder.

    `details`: traceId, the same for the same traceback; file, where it could be written.
    """
    text = "".join(traceback.format_exception(error))
    trace_id = sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:12]
    details = {"traceId": trace_id}
    with suppress(OSError):
        details["file"] = _write(trace_id, text)
    where = f" Details are in {details['file']}." if "file" in details else ""
    return CodeCortexError(f"An internal error: {type(error).__name__}: {error}.{where}", **details)


def _write(trace_id: str, text: str) -> str:
    import platformdirs

    folder = platformdirs.user_log_path("codecortex", appauthor=False, ensure_exists=True)
    file = folder / f"{trace_id}.txt"
    file.write_text(text, "utf-8", "backslashreplace")
    return str(file)
