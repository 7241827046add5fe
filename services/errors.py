"""Every error the services raise on purpose, as one tree.

    CodeCortexError
    ├── UsageError                 the request makes no sense                             (BadRequest)
    │   ├── InvalidFilter          a filter or query with an error at a position          (InvalidFilter)
    │   ├── NoteInvalid            a text that is no semantic note                        (BadRequest)
    │   ├── InvalidTemplate        a prompt template with an error at a position          (InvalidTemplate)
    │   ├── ProposalDecided        already decided; carries state and actor               (BadRequest)
    │   └── SettingsError          an unknown setting or an invalid value                 (InvalidSettings)
    ├── WorkspaceError             the folder or one of its files is unusable             (WorkspaceError)
    │   ├── PathRefused            a path that may not be opened from outside             (AccessDenied)
    │   ├── FileMissing            there is no such file; carries similar names           (WorkspaceError)
    │   ├── NotText                the bytes are not text that may be shown or written    (NotText)
    │   ├── NotAnAssembly          the bytes are not a .NET assembly that can be read     (WorkspaceError)
    │   └── ReadOnly               nothing can be written there                           (ReadOnly)
    │       └── Unsettled          unknown until the next start whether it was written    (ReadOnly)
    ├── SymbolNotFound             no symbol of that path; carries suggestions            (SymbolNotFound)
    ├── AmbiguousSymbol            several; carries candidates                            (AmbiguousSymbol)
    ├── Busy                       the index is not ready; carries progress               (Busy)
    ├── Cancelled                  the caller cancelled                                   (Cancelled)
    ├── BudgetExceeded             a pin that does not fit; carries its size              (BudgetExceeded)
    ├── NotAllowed                 the settings deny it to agents; a person's right       (AccessDenied)
    ├── ProposalPending            waits for a person to decide; carries proposalId       (ProposalPending)
    ├── ProposalRefused            a person decided against it; carries reason            (ProposalRefused)
    ├── ModelError                 a language model did not answer; carries profile, status (ModelError)
    │   ├── NoModel                no endpoint is set up, or its client is missing        (NoModel)
    │   ├── ModelKeyError          the key is missing, or the endpoint refuses it         (ModelKeyError)
    │   ├── ModelLimit             the request would exceed a limit on tokens or money    (ModelLimit)
    │   └── ToolRounds             too many rounds of tool calls; carries the messages    (ToolRounds)
    ├── CommandRefused             a command that may not be run; carries the piece       (CommandRefused)
    ├── RemoteError                a review server is unreachable, or refuses                 (RemoteError)
    ├── TokenizerError             a tokenizer's data or its helper process is damaged    (TokenizerError)
    ├── EditConflict               an edit that is not certain; carries diagnostics       (EditConflict)
    └── SourceError                ranged reads and guarded writes                        (4000 ...)
        ├── CacheExpired           the read of the token is no longer remembered          (4000)
        ├── TokenInvalid           a token that no read returned                          (4001)
        │   └── TokenOfNothing     a token of a file that does not exist yet              (4001)
        ├── TokenMismatch          a token of another object, or of other lines           (4002)
        ├── VersionConflict        the object has changed since it was read               (4003)
        ├── LineOutOfRange         the lines do not exist                                 (4004)
        ├── LockRequired           a write without the lock it needs                      (4005)
        ├── PatternInvalid         a regular expression that cannot be searched for       (4006)
        ├── IncludeNotFound        a type has no such part; carries those it has          (4007)
        └── NotClassObject         a part of something that has none                      (4008)

Each leaf has a `code` (SPEC section 10), a message that says what to do, and `details` as plain values.
They are converted at the edge alone: exit status, notice, tool error.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, ClassVar


def quoted(text: str) -> str:
    """A text that somebody typed as a message names it: in quotes, without line breaks, a backslash as it is."""
    return repr(text).replace("\\\\", "\\")


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


class NoteInvalid(UsageError):
    """The text is no semantic note. `details`: missing (labels), where that is what is wrong."""


class InvalidTemplate(UsageError):
    """`details`: template, line, column (1-based), known (placeholders there are)."""

    code = "InvalidTemplate"


class ProposalDecided(UsageError):
    """Somebody decided about the proposal before. `details`: proposalId, state, decidedBy."""


class SettingsError(UsageError):
    """Invalid settings. `details`: source (file or origin), key, allowed (in words); key and allowed where
    there is one.
    """

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


class Unsettled(ReadOnly):
    """The system failed so that neither a write nor taking it back can be vouched for. `details`: path, reason."""


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


class ModelError(CodeCortexError):
    """A language model did not answer, or not with what can be read. `details`: profile, status (HTTP's), where known;
    what had come before is the caller's already."""

    code = "ModelError"


class NoModel(ModelError):
    """Missing endpoint: none is configured, or the client library is not installed."""

    code = "NoModel"


class ModelKeyError(ModelError):
    """The key is missing from the place that the profile names, or the endpoint refuses it. The message never
    contains it.
    """

    code = "ModelKeyError"


class ModelLimit(ModelError):
    """Nothing was sent: it would go past a limit. `details`: limit, used, needed."""

    code = "ModelLimit"


class ToolRounds(ModelError):
    """A model used tools in more rounds than are allowed. `details`: rounds, messages (the conversation)."""

    code = "ToolRounds"


class CommandRefused(CodeCortexError):
    """A command that may not be run. `details`: piece (what was refused), instead (the form that would do)."""

    code = "CommandRefused"


class RemoteError(CodeCortexError):
    """A server of reviews cannot be reached, refuses, or answers what makes no sense. `details`: host, reason (offline,
    token, gone, limit, server, answer), status and retryAfter (seconds) where there are any."""

    code = "RemoteError"


class TokenizerError(CodeCortexError):
    """Tokens cannot be counted: a rank file is missing or damaged, or the helper died. `details`: tokenizer."""

    code = "TokenizerError"


class Retry(StrEnum):
    """Retry advice of an error of the 4000s (000 section 7.3)."""

    REREAD = "reread"  # read again, then go on: nothing was decided for anyone
    ASK = "ask"  # put it to the caller; never repeat it unasked
    LOCK = "lock"  # take the lock first
    NEVER = "never"  # it cannot succeed in this form


class NotAllowed(CodeCortexError):
    """An agent lacks a right: the settings deny it, or it is for a person alone. `details`: right."""

    code = "AccessDenied"


class ProposalPending(CodeCortexError):
    """The change waits for a person to decide; nothing was written yet. `details`: proposalId, diff."""

    code = "ProposalPending"
    retry = True


class ProposalRefused(CodeCortexError):
    """A person decided against the change; nothing was written. `details`: proposalId, reason."""

    code = "ProposalRefused"


class EditConflict(CodeCortexError):
    """An edit that was refused because not all of it is certain; nothing was written. `details`: diagnostics, a list of
    {file, line, message, severity}, line 0 where none is meant; severity is error or warning."""

    code = "EditConflict"


class SourceError(CodeCortexError):
    """The 4000s of SPEC section 7. `details` as 000 section 7.2; `retry_action` names the operation to call.

    `retry`: whether the call can succeed after `retry_action`; `advice`: who decides that."""

    code = 4000
    name: ClassVar[str] = "CACHE_EXPIRED"
    retry_action: ClassVar[str | None] = None
    advice: ClassVar[Retry] = Retry.NEVER

    def as_value(self) -> dict[str, Any]:
        """`{code, name, message, retry, retryAction, advice, details}`."""
        return {
            "code": self.code,
            "name": self.name,
            "message": self.message,
            "retry": self.retry,
            "retryAction": self.retry_action,
            "advice": self.advice,
            "details": self.details,
        }


class CacheExpired(SourceError):
    """The read of the token is no longer remembered. `details`: object, token."""

    code = 4000
    name = "CACHE_EXPIRED"
    retry = True
    retry_action = "getObjectSourceV2"
    advice = Retry.REREAD


class TokenInvalid(SourceError):
    """Not of the form `<ms>_<16 hex>`. `details`: token."""

    code = 4001
    name = "TOKEN_INVALID"
    retry = True
    retry_action = "getObjectSourceV2"
    advice = Retry.REREAD


class TokenOfNothing(TokenInvalid):
    """Token of a file that does not exist, so that no read can give another. `details`: object, token, and
    `create`: the call that creates the file.
    """

    retry_action = "setObjectSourceV2"


class TokenMismatch(SourceError):
    """A token of another object, or for lines that were not read under it. `details`: object, token, reason."""

    code = 4002
    name = "TOKEN_MISMATCH"
    retry = True
    retry_action = "getObjectSourceV2"
    advice = Retry.REREAD


class VersionConflict(SourceError):
    """Somebody else changed the object. `details`: expectedToken, currentToken, changedBy, changedAt, resolution."""

    code = 4003
    name = "VERSION_CONFLICT"
    retry = True
    retry_action = "getObjectSourceV2"
    advice = Retry.ASK


class LineOutOfRange(SourceError):
    """The range does not exist. `details`: lineCount, startLine, endLine."""

    code = 4004
    name = "LINE_OUT_OF_RANGE"


class LockRequired(SourceError):
    """The caller does not own the lock, or its handle is no longer valid. `details`: object, owner (where the
    lock is taken).
    """

    code = 4005
    name = "LOCK_REQUIRED"
    retry = True
    retry_action = "lock"
    advice = Retry.LOCK


class PatternInvalid(SourceError):
    """`details`: pattern, reason, position (0-based character in the pattern, or None where it is not known)."""

    code = 4006
    name = "PATTERN_INVALID"


class IncludeNotFound(SourceError):
    """A type without that part. `details`: object, includeType, available (the parts it has)."""

    code = 4007
    name = "INCLUDE_NOT_FOUND"


class NotClassObject(SourceError):
    """A part was named of a file or member. `details`: object, includeType."""

    code = 4008
    name = "NOT_CLASS_OBJECT"
