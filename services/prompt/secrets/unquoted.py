"""Secrets that stand within other text: settings, headers, addresses, connection strings, comments, elements, escaped
JSON. One row a shape: a pattern of RE2 whose group `n` (or `m`) is the name, where there is one, and `s` its value."""

from __future__ import annotations

from dataclasses import dataclass

from services.prompt.secrets.names import Cue


@dataclass(frozen=True, slots=True)
class Shape:
    """A way to give a value. `kind`: of the secret; `words`: as of a form; `cue`: where the name is none that
    `cue_of` tells anything of; `weak`: whether what people make up counts there."""

    kind: str
    words: tuple[str, ...]
    pattern: str
    cue: Cue = Cue.NONE
    weak: bool = True


TELLING = ("pass", "pwd", "secret", "token", "credential", "key", "auth", "kennwort")
"""Of which a text holds one where a name in it tells of a secret."""
_CUE = r"(?:pass|pwd|secret|token|credential|key|auth|kennwort)"
_NAME = rf"(?P<n>[\w.:-]{{0,60}}{_CUE}[\w.:-]{{0,40}})"
_QUOTE = r"(?:\\+\"|\"\"|&quot;|\\u0022|')"
_PAIR_NAME = (
    r"(?:password|pwd|passwd|pass|user password|proxy password|certificate password|accesskey|secretkey|shared ?secret"
    r"|secret|apikey|api key|authtoken|token|sslpassword|keystorepassword)"
)

SHAPES: tuple[Shape, ...] = (
    Shape(
        "password-in-address",
        ("://",),
        r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"'`<>{}|\\?#]{0,64}:"
        r"(?P<s>[^\s/:@\"'`<>{}|\\?#]{3,128})@[\w\[]",
        Cue.PASSWORD,
    ),
    Shape(
        "connection-string-password",
        ("password", "pwd", "pass", "secret", "key", "token"),
        rf"(?i)(?:[;\"',][ ]?|>)(?P<n>{_PAIR_NAME})[ ]?=[ ]?"
        r"(?P<s>'[^'\r\n]{1,128}'|[^;\"'\r\n<,&]{1,127}[^;\"'\r\n<, &])[ ]?(?:[;\"'<,]|$)",
        Cue.PASSWORD,
    ),
    Shape(
        "secret-in-query",
        ("key", "token", "secret", "code", "auth", "pass", "pwd", "sig"),
        r"(?i)[?&](?P<n>[\w.-]{0,30}(?:key|token|secret|code|auth|pass|password|pwd|sig|signature))="
        r"(?P<s>[^&\s\"'`<>#{}\\;)]{4,512})",
        Cue.NEAR,
    ),
    Shape(
        "authorization",
        ("bearer", "basic", "token", "apikey", "digest", "splunk"),
        r"(?i)\b(?:bearer|basic|token|apikey|api-key|splunk|negotiate|key)[ =:]{1,3}(?P<s>[\w+/.~-]{12,1000}={0,2})",
        Cue.NEAR,
        weak=False,
    ),
    Shape(
        "secret-in-header",
        TELLING,
        r"(?i)[\"'`\\\s](?P<n>(?:x-)?[\w-]{0,40}(?:key|token|secret|auth|authorization|password))[ ]?:[ ]?"
        r"(?P<s>[\w+/.~!@#$%^&*-]{6,512}={0,2})[\"'`\\\s]",
        weak=False,
    ),
    Shape(
        "assigned-secret",
        TELLING,
        rf"(?i){_QUOTE}{_NAME}{_QUOTE}\s{{0,4}}[:=]\s{{0,4}}{_QUOTE}(?P<s>[^\"'\\\s&]{{4,512}}){_QUOTE}",
    ),
    Shape("assigned-secret", TELLING, rf"(?i){_NAME}\s?[:=]\s?{_QUOTE}(?P<s>[^\"'\\\s&]{{4,512}}){_QUOTE}"),
    Shape(
        "password-of-user",
        ("sqlcmd", "osql"),
        r"(?i:sqlcmd|osql)[^\n]{0,120}? -P ?(?P<s>[^\s\"'`]{4,128})",
        Cue.PASSWORD,
    ),
    Shape(
        "password-in-sql", ("identified",), r"(?i)\bidentified\s+by\s+'(?P<s>[^'\r\n]{3,128})'", Cue.PASSWORD
    ),
    Shape(
        "assigned-secret",
        TELLING,
        rf"(?im)(?://|/\*|^[ \t]*\*|#|<!--)[^\"\n]{{0,160}}?\b{_NAME}[ ]"
        r"(?P<s>[^\s\"'`,<>()]{0,60}[0-9][^\s\"'`,<>()]{4,512})",
        weak=False,
    ),
    Shape(
        "password-of-user",
        ("-u ", "--user"),
        r"(?:-u|--user)[ =]\"?[\w.@-]{1,64}:(?P<s>[^\s\"'`]{4,128})",
        Cue.PASSWORD,
    ),
    Shape("assigned-secret", TELLING, rf"(?i)<{_NAME}(?:\s[^<>\n]{{0,80}})?>\s*(?P<s>[^\s<>]{{4,512}})\s*</"),
    Shape(
        "assigned-secret",
        ("<value>",),
        rf"(?i)\b(?:name|key)\s?=\s?\"{_NAME}\"[^<>\n]{{0,80}}>\s{{0,40}}<value>(?P<s>[^<>\n]{{4,512}})</value>",
        weak=False,
    ),
    Shape(
        "assigned-secret",
        TELLING,
        rf"(?im)^[ \t]*(?:(?:///?|#|;|\*|--|REM|export|set|ENV|ARG|-)[ \t]+){{0,3}}\$?{_NAME}[ \t]*[=:][ \t]*"
        r"(?P<s>[^\s\"'`;,(){}<>\[\]]{4,512})[ \t]*\r?$",
    ),
    Shape(
        "assigned-secret",
        (*TELLING, "pw", "pin"),
        rf"(?im)(?://|/\*|^[ \t]*\*|#|<!--|--)[^\"\n]{{0,160}}?\b(?:{_NAME}|(?P<m>pw|pin))"
        r"(?:[ ][\w()./-]{1,20}){0,4}?[ ]?(?:\bis\b|\bwas\b|[=:]|->|=>)[ ]{0,3}[\"'`]?"
        r"(?P<s>[^\s\"'`,<>]{4,512})",
    ),
    Shape(
        "assigned-secret",
        TELLING,
        rf"(?i)[\s\"'`]--?{_NAME}[ =]+(?P<s>[^\s\"'`,;<>{{}}\\]{{4,256}})",
        weak=True,
    ),
)
