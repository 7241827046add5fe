"""What a secret looks like: one row a kind, as a pattern of RE2 whose group `s` is the secret itself.

Formats of keys are those their issuers publish: AWS ("IAM identifiers"), GitHub ("token formats"), GitLab, Slack,
Stripe, npm, NuGet, Google, Azure, OpenAI, Anthropic, Hugging Face, SendGrid; JWT is RFC 7519, PEM is RFC 7468, user
information in an address is RFC 3986 section 3.2.1. What has no format of its own is told by the name that it is given
to, and has to look unlike a word as well (plausible.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from services.prompt.secrets.plausible import (
    is_aws_secret,
    is_connection_password,
    is_jwt,
    is_key,
    is_password_in_address,
    is_value,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of secret. `words`: lower-case; where none of them is in a text, no secret of the kind is; `plausible`:
    whether what was found, with the text from the match's start to the secret, is one."""

    kind: str
    words: tuple[str, ...]
    pattern: str
    plausible: Callable[[str, str], bool]


_NAMES = (
    r"(?:pass(?:word|wd|phrase|code)|pwd|secret|token|credential"
    r"|(?:api|access|account|auth|client|encryption|license|master|private|shared|signing|storage|subscription)"
    r"[_.-]?key)"
)
"""Names to which secrets are given, in any case."""

RULES: tuple[Rule, ...] = (
    Rule(
        "private-key",
        ("private key",),
        r"(?P<s>-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----)",
        lambda _, __: True,
    ),
    Rule("aws-access-key", ("akia", "asia"), r"\b(?P<s>(?:AKIA|ASIA)[A-Z2-7]{16})\b", is_key),
    Rule(
        "aws-secret-key",
        ("aws", "secret"),
        r"(?i:aws|secret)[\w .\"'-]{0,40}[=:>,(]\s{0,4}[\"']?(?P<s>[A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)",
        is_aws_secret,
    ),
    Rule("google-api-key", ("aiza",), r"\b(?P<s>AIza[0-9A-Za-z_-]{35})(?:[^0-9A-Za-z_-]|$)", is_key),
    Rule("google-oauth", ("gocspx-", "ya29."), r"\b(?P<s>GOCSPX-[\w-]{28}|ya29\.[\w-]{30,500})", is_key),
    Rule(
        "azure-key",
        ("accountkey=", "sharedaccesskey="),
        r"(?i:AccountKey|SharedAccessKey)=(?P<s>[A-Za-z0-9+/]{40,90}={0,2})",
        is_key,
    ),
    Rule("azure-client-secret", ("q~",), r"(?:^|[^\w~.-])(?P<s>[\w~.-]{3}[0-9]Q~[\w~.-]{31,34})", is_key),
    Rule("azure-sas", ("sig=",), r"[?&;]sig=(?P<s>[A-Za-z0-9%+/]{43,90}(?:%3[dD]|=))", is_key),
    Rule(
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"\b(?P<s>gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[0-9A-Za-z]{22}_[0-9A-Za-z]{59})\b",
        is_key,
    ),
    Rule("gitlab-token", ("glpat-",), r"\b(?P<s>glpat-[\w-]{20,64})", is_key),
    Rule(
        "slack-token",
        ("xox", "xapp-"),
        r"\b(?P<s>xox[abeoprs]-[0-9A-Za-z-]{10,250}|xapp-[0-9]-[0-9A-Za-z-]{20,250})",
        is_key,
    ),
    Rule(
        "slack-webhook",
        ("hooks.slack.com",),
        r"hooks\.slack\.com/services/(?P<s>T[A-Z0-9]{6,12}/B[A-Z0-9]{6,12}/[A-Za-z0-9]{24})",
        is_key,
    ),
    Rule(
        "stripe-key",
        ("_live_", "_test_", "whsec_"),
        r"\b(?P<s>[rs]k_(?:live|test)_[0-9A-Za-z]{16,247}|whsec_[0-9A-Za-z+/]{32,64})",
        is_key,
    ),
    Rule("npm-token", ("npm_",), r"\b(?P<s>npm_[A-Za-z0-9]{36})\b", is_key),
    Rule("nuget-key", ("oy2",), r"\b(?P<s>oy2[a-z0-9]{43})\b", is_key),
    Rule(
        "model-provider-key",
        ("sk-", "hf_"),
        r"\b(?P<s>sk-ant-[\w-]{32,200}|sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{40,250}|hf_[A-Za-z]{34})\b",
        is_key,
    ),
    Rule("sendgrid-key", ("sg.",), r"\b(?P<s>SG\.[\w-]{22}\.[\w-]{43})", is_key),
    Rule("jwt", ("eyj",), r"\b(?P<s>eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,})", is_jwt),
    Rule(
        "password-in-address",
        ("://",),
        r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"'`<>{}|\\?#]{0,64}:"
        r"(?P<s>[^\s/:@\"'`<>{}|\\?#]{3,128})@[\w\[]",
        is_password_in_address,
    ),
    Rule(
        "connection-string-password",
        ("password", "pwd"),
        r"(?i:server|host|data source|datasource|addr|address|endpoint|uid|user(?: ?id)?|username|database"
        r"|initial catalog)[ ]?=[^\"\r\n]{0,300}?;[ ]?(?i:password|pwd)[ ]?=[ ]?(?P<s>[^;\"'\s]{3,128})",
        is_connection_password,
    ),
    Rule(
        "assigned-secret",
        ("pass", "pwd", "secret", "token", "credential", "key"),
        rf"(?i)(?P<n>[\w.-]*{_NAMES}[\w.-]*)(?:[\"'`\])]|\s)*(?::=|=>|==|!=|[=:,(])[\s@(]{{0,8}}[\"'`]"
        r"(?P<s>[^\"'`\s]{8,512})[\"'`]",
        is_value,
    ),
    Rule(
        "assigned-secret",
        ("pass", "pwd", "secret", "token", "credential", "key"),
        rf"(?i)(?P<n>[\w.:-]*{_NAMES}[\w.:-]*)[\"']\s+(?:value|connectionstring)\s*=\s*[\"'](?P<s>[^\"'\s<>]{{8,512}})[\"']",
        is_value,
    ),
    Rule(
        "assigned-secret",
        ("pass", "pwd", "secret", "token", "credential", "key"),
        rf"(?i)<(?P<n>[\w.:-]*{_NAMES}[\w.-]*)>\s*(?P<s>[^\s<>]{{8,512}})\s*</",
        is_value,
    ),
    Rule(
        "assigned-secret",
        ("pass", "pwd", "secret", "token", "credential", "key"),
        rf"(?im)^[ \t]*(?:export[ \t]+|set[ \t]+|-[ \t]+)?(?P<n>[\w.-]*{_NAMES}[\w.-]*)[ \t]*[=:][ \t]*"
        r"(?P<s>[^\s\"'`;,(){}<>\[\]]{8,512})[ \t]*\r?$",
        is_value,
    ),
)
