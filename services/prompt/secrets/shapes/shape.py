"""Ways to give a value that stands within other text, as rows of a table, and what the patterns of such rows share."""

from __future__ import annotations

from dataclasses import dataclass

from services.prompt.secrets.judging.names import Cue


@dataclass(frozen=True, slots=True)
class Shape:
    """A way to give a value. `kind`: of the secret; `words`: as of a form; `cue`: where the name is none that
    `cue_of` tells anything of; `weak`: whether what people make up counts there; `any`: whether all but holes and
    samples does; `shown`: what stands before values that everybody may see, as a pattern; `needs`: a pattern without
    which `pattern` is nowhere in a text, and which is found or missed sooner."""

    kind: str
    words: tuple[str, ...]
    pattern: str
    cue: Cue = Cue.NONE
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
