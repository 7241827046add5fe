"""Context behind a literal: a comparison, a comment, a call, the member it is a default of."""

from __future__ import annotations

from services.prompt.secrets.contexts.assigned import BEFORE_ARMS, NAME, NOTHING, UseContext
from services.prompt.secrets.judging.names import Likelihood, cue_of
from services.prompt.secrets.judging.rows import NEAR
from services.prompt.secrets.patterns import expression

_SECURED_AFTER = expression(
    r"[\"']\s*\.\s*(?:(?:Select|Aggregate)\b[^;\n]{0,40})?\w*Secure\w*String\(|[\"']\s*\.\s*(?:ToSha|Sha)(?:256|512)\(\)\s*\)"
    r"|[\"'](?:\.ToCharArray\(\))?\s*\)\s*\{?\s*[\w.]+?\.AppendChar\b"
    r"|[\"'](?:\.\w+\(\))*\.ForEach\([^;\n]{0,40}?AppendChar\b"
)
"""Calls behind a text that is a password."""
_OF_CERTIFICATE_AFTER = expression(r"[\"'](?:\.ToCharArray\(\))?\s*,\s*X509KeyStorageFlags\b")
_VERIFIED_AFTER, _VERIFYING = (
    expression(r"(?i)[\"']\s*,\s*[\w.!?]*(?:password|pwd)\w*\s*\)"),
    expression(r"(?:Verify|Check|Matches|Validate)\w*\(\s*[$@]*\Z"),
)
"""What is behind a text that is compared with the hash of a password, and before it."""
_HASH_AFTER, _HASHER = (
    expression(r"(?i)[\"']\s*,\s*[\w.!?]*(?:hash|hashed|digest)\w*\s*[,)]"),
    expression(
        r"(?i)(?:hasher|bcrypt|argon2|password)[\w.]*\.\w*(?:verify|check|matches|validate)\w*\(\s*[$@]*\Z"
    ),
)
"""The same, of what is called so by whom it is called of."""
_SPLIT_AFTER = expression(r"[\"']\s*\.Split\(")
_HASHED_AFTER = expression(
    r"(?i)[\"'][^\"'\n]{0,20}//[^\n]{0,30}?\b(?:sha-?\d|md5|crc|hash|checksum|digest|public key)"
)
"""A remark behind a text that says that it is a hash, or public."""
_KEYED_AFTER = expression(r"(?i)[\"']\s+(?:key|name)\s*=\s*[\"'](?P<name>[\w.:/ -]+)[\"']")
_COMPARED_AFTER = expression(
    rf"[\"']\)?\s*(?:==|!=)\s*(?P<name>{NAME})|[\"']\s*\.Equals\(\s*(?P<other>{NAME})|[\"']\s*,\s*(?P<third>{NAME})\s*\)"
)
_SAID_AFTER = expression(r"[\"'][^\"'\n]{0,60}?/[/*][ \t]*(?P<name>[\w ,-]{2,40})")
_DEFAULT_OF = expression(
    r"[\"']\)\]\s*(?:(?!(?:class|struct|record|interface|enum)\b)[\w<>?\[\]]+\s+){1,4}"
    r"(?P<name>\w+)\s*[{=;]"
)
_MATCHED_AFTER = expression(r"[\"']\s*(?:=>|:|\bor\b)")
_SWITCHED = expression(
    r"(?P<name>[\w.]+)\s*(?:\([^()]*\)\s*)?\)?\s*switch\s*\{|switch\s*\(\s*(?P<other>[\w.]+)"
)


def is_password_by_what_follows(text: str, end: int, before: str) -> bool:
    """Whether a call behind a text that ends at `end` takes passwords, or the hash of one that it is compared with."""
    return (
        _SECURED_AFTER.match(text, end, end + NEAR) is not None
        or _OF_CERTIFICATE_AFTER.match(text, end, end + NEAR) is not None
        or (
            _VERIFIED_AFTER.match(text, end, end + NEAR) is not None
            and _VERIFYING.search(before[-NEAR:]) is not None
        )
        or (
            _HASH_AFTER.match(text, end, end + NEAR) is not None
            and _HASHER.search(before[-NEAR:]) is not None
        )
    )


def is_said_hash(text: str, end: int) -> bool:
    """Whether a comment behind a text marks it as a hash, or public."""
    return _HASHED_AFTER.match(text, end, end + NEAR) is not None


def is_taken_apart(text: str, end: int) -> bool:
    """Whether a text is a list of words that a call behind it takes apart."""
    return _SPLIT_AFTER.match(text, end, end + NEAR) is not None


def following(text: str, opens: int, after: str) -> UseContext:
    """Return the context by what follows the text."""
    for pattern in (_COMPARED_AFTER, _KEYED_AFTER, _DEFAULT_OF):
        if (match := pattern.match(after)) is not None:
            return UseContext(cue_of(next(name for name in match.groups() if name)))
    if (said := said_after(after)).cue is not Likelihood.NONE:
        return said
    if _MATCHED_AFTER.match(after) is not None:
        if text.find("switch", max(0, opens - BEFORE_ARMS), opens) < 0:
            return NOTHING
        switched = list(_SWITCHED.finditer(text, max(0, opens - BEFORE_ARMS), opens))
        return UseContext(cue_of(switched[-1]["name"] or switched[-1]["other"])) if switched else NOTHING
    return NOTHING


def said_after(after: str) -> UseContext:
    """Return the context by a comment behind the text on its line."""
    if (match := _SAID_AFTER.match(after)) is None:
        return NOTHING
    cue = cue_of(match["name"])
    return UseContext(cue, direct=cue is Likelihood.PASSWORD)
