"""Every error the services raise on purpose, as one tree.

    CodeCortexError
    ├── UsageError                 the caller asked for something that makes no sense     (BadRequest)
    │   ├── InvalidFilter          a filter or query with an error at a position          (InvalidFilter)
    │   └── SettingsError          a setting that does not exist or has a value it cannot (InvalidSettings)
    ├── WorkspaceError             the folder or one of its files cannot serve            (WorkspaceError)
    │   ├── PathRefused            a path that may not be opened through a door           (AccessDenied)
    │   ├── FileMissing            there is no such file; carries close names             (WorkspaceError)
    │   ├── NotText                the bytes are not text that may be shown or written    (NotText)
    │   ├── NotAnAssembly          the bytes are not a .NET assembly that can be read     (WorkspaceError)
    │   └── ReadOnly               nothing can be written there                           (ReadOnly)
    ├── SymbolNotFound             no symbol of that path; carries suggestions            (SymbolNotFound)
    ├── AmbiguousSymbol            several; carries candidates                            (AmbiguousSymbol)
    ├── Busy                       the index is not ready; carries progress               (Busy)
    ├── Cancelled                  the caller cancelled                                   (Cancelled)
    ├── BudgetExceeded             a pin that does not fit; carries what it would take    (BudgetExceeded)
    ├── TokenizerError             a tokenizer's data or its helper process is damaged    (TokenizerError)
    └── SourceError                ranged reads and guarded writes: 4000-4008             (4000 ...)

Each leaf has a `code` (SPEC section 10), a message that says what to do, and `details` as plain values.
They are converted at the edge alone: exit status, notice, tool error.
"""

from __future__ import annotations

from typing import Any, ClassVar


class CodeCortexError(Exception):
    """The root. `message` is a sentence for a person; `details` are JSON values."""

    code: ClassVar[str | int] = "InternalError"
    retry: ClassVar[bool] = False

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    def as_value(self) -> dict[str, Any]:
        """`{code, message, ...details}`: the `error` object of 004 section 6.1."""
        return {"code": self.code, "message": self.message, **self.details}


class UsageError(CodeCortexError):
    """The request cannot mean anything: a negative limit, an unknown format."""

    code = "BadRequest"


class InvalidFilter(UsageError):
    """`details`: position (0-based offset in the filter), hint."""

    code = "InvalidFilter"


class SettingsError(UsageError):
    """`details`: source (file, or where it was said), key, allowed (in words); key and allowed where there is one."""

    code = "InvalidSettings"


class WorkspaceError(CodeCortexError):
    """The folder, or a file in it, cannot serve."""

    code = "WorkspaceError"


class PathRefused(WorkspaceError):
    """The path leaves the root, is protected, or is not a regular file. `details`: path, reason."""

    code = "AccessDenied"


class FileMissing(WorkspaceError):
    """There is no such file. `details`: path, suggestions (a list of paths that do exist, often empty)."""


class NotText(WorkspaceError):
    """Binary, or in an encoding that cannot be decoded without a guess. `details`: path."""

    code = "NotText"


class NotAnAssembly(WorkspaceError):
    """Not a portable executable with .NET metadata, or a damaged one. `details`: reason."""


class ReadOnly(WorkspaceError):
    """The place cannot be written. `details`: path."""

    code = "ReadOnly"


class SymbolNotFound(CodeCortexError):
    """`details`: suggestions, a list of paths that do exist."""

    code = "SymbolNotFound"


class AmbiguousSymbol(CodeCortexError):
    """`details`: candidates, a list of {path, typeId, memberId?}."""

    code = "AmbiguousSymbol"


class Busy(CodeCortexError):
    """The index is being built. `details`: progress, 0 to 1."""

    code = "Busy"
    retry = True


class Cancelled(CodeCortexError):
    """The caller's cancel event was set; nothing was lost."""

    code = "Cancelled"


class BudgetExceeded(CodeCortexError):
    """A pin past the soft budget. `details`: needed, free, budget (tokens)."""

    code = "BudgetExceeded"


class TokenizerError(CodeCortexError):
    """Tokens cannot be counted: a rank file is missing or damaged, or the helper died. `details`: tokenizer."""

    code = "TokenizerError"


class SourceError(CodeCortexError):
    """The 4000s of SPEC section 7. `details` as 000 section 7.2; `retry_action` names the operation to call."""

    code = 4000
    name: ClassVar[str] = "CACHE_EXPIRED"
    retry_action: ClassVar[str | None] = None

    def as_value(self) -> dict[str, Any]:
        """`{code, name, message, retry, retryAction, details}`."""
        return {
            "code": self.code,
            "name": self.name,
            "message": self.message,
            "retry": self.retry,
            "retryAction": self.retry_action,
            "details": self.details,
        }


class LineOutOfRange(SourceError):
    """The range does not exist. `details`: lineCount, startLine, endLine."""

    code = 4004
    name = "LINE_OUT_OF_RANGE"
