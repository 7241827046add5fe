"""Rule for a value within other text, as a row of a table, and shared fragments of the patterns."""

from __future__ import annotations

import msgspec

from services.prompt.secrets.judging.names import Likelihood


class Shape(msgspec.Struct, frozen=True):
    """Rule for a value within other text. `kind`: of the secret; `words`: as of a form; `cue`: the likelihood where
    `cue_of` is inconclusive; `weak`: whether made-up passwords count; `any`: whether everything but placeholders and
    samples does; `shown`: pattern of text before public values; `needs`: a faster pattern without which `pattern`
    cannot match."""

    kind: str
    words: tuple[str, ...]
    pattern: str
    cue: Likelihood = Likelihood.NONE
    weak: bool = True
    any: bool = False
    shown: str = ""
    needs: str = ""


TELLING = ("pass", "pwd", "secret", "token", "credential", "key", "auth", "kennwort", "pw")
"""Lower-case texts of which a name that tells of a secret holds one."""
_CUE = r"(?:pass|pwd|secret|token|credential|key|auth|kennwort|salt|pepper)"
NAME = rf"(?P<n>[\w.:-]*{_CUE}[\w.:-]*)"
"""A name that holds one."""
QUOTE = r"(?:\\+\"|\"\"|&quot;|\\u0022|')"
"""A quote within a text in quotes."""
KEY_OF_NOTHING = (
    r"(?i)\b(?:cache|row|partition|sort|foreign|primary|registry|public|object|blob|lookup|dedup\w*|idempotency|s3|redis"
    r"|storage|document|lock|message|routing|trace|correlation)[ _-]?keys?[^\n]{0,40}\z"
)
"""What a text says of keys by which things are found."""
