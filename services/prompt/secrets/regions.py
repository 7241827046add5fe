"""Regions of a text close to an indicative name; the rest is not examined further."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import msgspec

from services.prompt.secrets.commands import PASSWORD_IN_OTHER_TONGUES
from services.prompt.secrets.given import TYPING
from services.prompt.secrets.judging.calls import is_of_login, takes_credentials
from services.prompt.secrets.judging.names import CUES, KEYS_OF_SECRETS, Likelihood, cue_of, cue_of_field
from services.prompt.secrets.patterns import compiled
from services.prompt.secrets.statements import BEFORE_ARMS

USERS = ('"admin", "', '"root", "', '"sa", "')
"""Users that everybody knows, before what may be their password."""
COMMANDS = (
    *USERS,
    "basic ", "splunk ", "negotiate ", "-u ", "--user", "sqlcmd", "osql", "sshpass", "psexec", "signtool",
    "-passin", "-passout", "pragma key", "pragma rekey", '"pass ',
    '"login ', "identify ", "+cwjap", "+cpin=", '"-u"', '7z",',
    '7z.exe"', "ansible-vault",
    "ldapsearch", "ldapmodify", "ldapadd", "ldappasswd", "certutil", "redis-cli", "mysql", "identified",
    " -pw ", "code=", "sig=", "appid=", '"appid"', '"app_id"', '"sig"', "7z ", "zip -p",
    "log in as ", "key was ", "key (", "key is ", "use key ", "using key ", "with key ", "old key", "previous key",
    "hard coded key", "hardcoded key", "<!-- key: ",
    "admin:", "root:", "admin /", "root /", "logon failed", "sign-in failed",
    "sudo -s", "htpasswd", "creds", "admin/", "root/", "account:", "sa /", " sa/",
    "net user", "net.exe user", "openssl", "sp_addlogin", "chpasswd",
    '"ghp_', '"sk_live_', '"xoxb-', '"glpat-', '"github_pat_', '"sk-', '"akia', '"aiza',
    "sign(", "ssid=", "wifi:t:", "wifi:s:",
    "/user:", "/pass:", "/password:", "/pwd:", "/rp ", "sqlplus", "impdp", "expdp",
    "sqlldr",
    *PASSWORD_IN_OTHER_TONGUES,
)  # fmt: skip
"""Lower-case texts of commands and addresses in which a secret may stand without a name."""
CALLS = ("getbytes", "frombase64string", "fromhexstring", "securestring", "appendchar")
"""Lower-case names of calls that make bytes of a text, as of keys."""
BESIDE = ("hasher", "bcrypt", "argon2", "x509keystorageflags")
"""Lower-case names of what a password is hashed by, or of what is given beside one."""
_TYPING = tuple(map(str.lower, TYPING))
_AFTER, _REACH = 100, 400
_LINES_BELOW = 2
_LONGEST_NAME = 120
_GAP = b"\n\n"


class IndicativeName(NamedTuple):
    """Indicative name. `start`, `end`: in the text. `cue`: the likelihood for values close to it."""

    start: int
    end: int
    cue: Likelihood


def telling_names(data: bytes) -> list[IndicativeName]:
    """Return the indicative names of a text, in order. The word key alone is ignored where no value can be one."""
    found: list[IndicativeName] = []
    if compiled(_ANY_CUE).search(data) is None:
        return found
    cues = _CUE if _has_key(data) and compiled(MAY_BE_KEY).search(data) is not None else _CUE_OF_SECRETS
    for match in compiled(cues).finditer(data):
        start, end = match.span()
        end = min(end, start + _LONGEST_NAME)
        if (cue := _cue_near(data[start:end])) > 0:
            found.append(IndicativeName(start, end, cue))
    return found


def _has_key(data: bytes) -> bool:
    """Whether the word is in a text, in the letters that RE2 takes for equal: the sign of Kelvin is one."""
    return b"key" in data.lower() or _KELVIN in data


@lru_cache(maxsize=8192)
def _cue_near(found: bytes) -> Likelihood:
    """Return the likelihood that a name implies for texts close to it. The value of a call whose name ends so
    counts too."""
    name = found.decode("utf-8", "replace").partition('("')[0]
    lowered = name.lower()
    receiver, _, called = name.rpartition(".")
    if called.lower().startswith(_TYPING):
        return cue_of_field(receiver)
    if called.lower().endswith("equals"):
        return cue_of(receiver)
    if takes_credentials(name) or is_of_login(name.partition(" = ")[0]):
        return Likelihood.PASSWORD
    if lowered.endswith(USERS):
        return Likelihood.NEAR
    if compiled(_ANY_COMMAND).search(lowered.encode()) is not None:
        return max(Likelihood.KEY, cue_of(name))  # what a command is given has a shape of its own
    if any(word in lowered for word in CALLS):
        return Likelihood.NEAR
    if any(word in lowered for word in BESIDE) or ("hash" in lowered and "password" in lowered):
        return Likelihood.NEAR  # what it is compared with may stand beside it
    return cue_of(name)


class Region(msgspec.Struct, frozen=True):
    """Lines close to indicative names, with the highest likelihood of these as `cue`."""

    start: int
    end: int
    cue: Likelihood


def regions(text: str, telling: Sequence[IndicativeName]) -> Iterator[Region]:
    """Yield the lines that may contain the values of indicative names, in order, without duplicates."""
    start = end = switch = 0
    cue = Likelihood.NONE
    for each in telling:
        if 0 <= switch < each.end:
            switch = text.find("switch", each.end)
        first = text.rfind("\n", end, max(end, each.start - _AFTER)) + 1
        if first > end:  # some lines are far from any name
            if end:
                yield Region(start, end, cue)
            start, cue = first, Likelihood.NONE
        cue = max(cue, each.cue)
        switched = each.end <= switch <= each.end + _REACH - len("switch")
        upto = each.end + (BEFORE_ARMS if switched else _REACH)
        if upto > end:
            end = text.find("\n", upto) + 1 or len(text)
    if end:
        yield Region(start, end, cue)


class RegionLines:
    """Lines of indicative names and the next below them, as one text, with a mapping to the original positions."""

    def __init__(self, data: bytes, telling: Sequence[IndicativeName]) -> None:
        self._data = data
        self._spans = list(_line_spans(data, telling))
        self._starts: list[int] = []
        self._known = {"": True}

    @cached_property
    def data(self) -> bytes:
        """The lines, with empty ones between those that do not belong together."""
        at = 0
        for start, end in self._spans:
            self._starts.append(at)
            at += end - start + len(_GAP)
        return _GAP.join(self._data[start:end] for start, end in self._spans)

    def hold(self, pattern: str) -> bool:
        """Whether a pattern is somewhere in them."""
        if (known := self._known.get(pattern)) is None:
            known = self._known[pattern] = compiled(pattern).search(self.data) is not None
        return known

    def whole(self, at: int) -> int:
        """The place in the text of a place in the lines."""
        which = bisect_right(self._starts, at) - 1
        return self._spans[which][0] + at - self._starts[which]


def _line_spans(data: bytes, telling: Sequence[IndicativeName]) -> Iterator[tuple[int, int]]:
    start = end = of_line = 0
    for each in telling:
        if each.end < of_line:
            continue
        first = data.rfind(b"\n", end, max(end, each.start)) + 1
        if first > end:
            if end:
                yield start, end
            start = first
        of_line = data.find(b"\n", each.end) + 1 or len(data)
        end = max(end, _below(data, of_line))
    if end:
        yield start, end


def _below(data: bytes, at: int) -> int:
    """Return the end of the lines below a position that belong to it."""
    for _ in range(_LINES_BELOW):
        at = data.find(b"\n", at) + 1 or len(data)
    return at


_KELVIN = "\u212a".encode()
_SHORTEST_KEY = 16
_LENGTHS = "|".join(
    rf"[^\s\"'`0-9]{{{at}}}[0-9][^\s\"'`]{{{_SHORTEST_KEY - 1 - at},}}" for at in range(_SHORTEST_KEY)
)
MAY_BE_KEY = (
    rf"[\"'`](?:{_LENGTHS}|[^\s\"'`0-9]{{{_SHORTEST_KEY},200}}[0-9][^\s\"'`]*)[\"'`]|\"\"\""
    r"|[\"'`][^\s\"'`]*[0-9][^\s\"'`]*[\"'`]\s*(?:/\*[^\n]{0,40}?\*/\s*)?(?:\+|\)\s*(?:;\s*\w+\s*)?\.Append)|\b(?:Concat|Join)\("
    r"|(?i:\bkey)[ ]?[=:][ ]?[0-9a-fA-F]{32}"
    r"|(?:(?:\(s?byte\)\s*)?-?(?:0x[0-9a-fA-F]{1,2}|[0-9]{1,3})\s*,\s*){7}|(?:'(?:\\[^\n]|[^'\\\n])'\s*,\s*){7}"
)
"""A text with a digit that is long enough for a key, or joined to others, a key in a remark, or an array of bytes or
characters."""
_KEY = rf"(?:{KEYS_OF_SECRETS})(?:[-_.: ]?api)?[-_.: ]?keys?"


def _any_of(*texts: str) -> str:
    return "|".join(re.escape(text).replace("\\ ", " ") for text in texts)  # RE2 wants blanks as they are


_ANY_COMMAND = _any_of(*COMMANDS)
_ANY_CUE = f"(?i){_any_of(*CUES, *CALLS, *BESIDE, *COMMANDS)}"
_WORDS = ("pat", "pin", "pins", "sas", "pw")
"""Cues that are whole words of a name, so that no small letter follows: most of them are in `path` and `pattern`."""
_NAME = r"[\w.:-]"


def _named(cues: str) -> str:
    """Return a pattern of names that contain an indicative word, and of commands."""
    whole = rf"(?:{_any_of(*_WORDS)})(?:(?-i:[A-Z0-9_.:-]){_NAME}*|\b)"
    return rf"(?i){_NAME}*(?:(?:{cues}){_NAME}*|{whole})|{_ANY_COMMAND}"


_OTHERS = tuple(cue for cue in (*CUES, *CALLS, *BESIDE) if cue not in _WORDS)
_CUE_OF_SECRETS = _named(f"{_any_of(*(cue for cue in _OTHERS if cue != 'key'))}|{_KEY}")
_CUE = _named(_any_of(*_OTHERS))
