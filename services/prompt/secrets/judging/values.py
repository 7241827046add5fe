"""Whether a text that is given to a name is a secret: not a word, a name, a sample, an id or something public."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from services.concurrency.lazy import expression
from services.prompt.secrets.judging.likelihood import (
    ABOUT_PASSWORDS,
    COMMON_PASSWORDS,
    NOTHING,
    OF_CODE,
    OF_MESSAGES,
    OF_SENTENCES,
    SAMPLED,
    SEEN,
    entropy,
    is_drawn,
    is_sample,
    randomness,
)
from services.prompt.secrets.judging.names import Likelihood


class ValueContext(msgspec.Struct, frozen=True):
    """Context of a value. `cue`: the likelihood by its name; `direct`: it is assigned immediately; `template`: parts
    of it may be interpolated; `tests`: in tests, where weak passwords are samples."""

    cue: Likelihood
    direct: bool = True
    template: bool = False
    tests: bool = False


_GUID = expression(r"[{(]?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}[)}]?")
_EXPRESSION = expression(
    r"\A(?:\w-\w){2}|\[\^?[\w\\]-[\w\\]|\\[sdwSDWb][+*?{]|\(\?[:=!<]|\]\{\d+|/\*{1,2}\Z|\A\w+\[\w+\]\Z"
)
"""Parts of regular expressions and of patterns of paths, and elements of arrays."""
_PUBLIC_KEY = expression(r"(?:ssh-(?:rsa|dss|ed25519|ed448)|(?:sk-)?ecdsa-sha2-\S+|sk-ssh-\S+)\s+AAAA")
"""A public key of SSH, as in files of known hosts (RFC 4253, section 6.6)."""
_STRUCTURED = expression(r"[{\[<].*[\"'=:].*[}\]>]|ENC\(.*\)")
"""Text of a format of its own, in which a secret may stand, but which is none."""
_SCHEME = expression(r"(?i)\A(?:bearer|basic|token|apikey|api-key|digest|splunk|negotiate|key) +(?=\S+\Z)")
"""What an authorization names before the secret."""
_FILLED_IN = expression(r"\{[^{}]*\}")
_SPECIAL = expression(r"[!@#$%^&*?~+=|§€£]")
_NAME = expression(
    r"(?i)[a-z_.:\[\]/ -]*(?:pass(?:word|wd|phrase|wort)?|pwd|secret|tokens?|keys?|credentials?|auth[a-z]*"
    r"|bearer|user(?:name)?|login)[a-z_.:\[\]/ -]*\d?"
)
_WORD_OF_NAME = expression(r"(?i)pass|pwd|secret|token|key|credential|auth|bearer|user|login")
_FLAG = expression(
    r"(?=[a-z0-9-]*(?:pass|auth|secret|token|key|login|credential))[a-z0-9]+(?:-[a-z0-9]+){3,}"
)
"""What a feature is switched by: `pm-4711-update-input-password`."""
_KEY_OF_TEXT = expression(r"[a-z]\w*(?:[.:/][a-z][a-z_]*){2,}(?:[.:/][0-9]+)?")
"""What a text is looked up by: `auth.password.too_short.1001`."""
_NUMBERED = expression(r"(?i)(?:pass|pw|pwd|password|passwort|user|login|auth|secret|key)\d\Z")
_ALGORITHM = expression(
    r"(?i)(?:pbkdf2|sha-?\d{1,3}|sha\d-\d+|aes-?\d*(?:-\w+)*|rsa\w*(?:-\w+)*|hmac\w*(?:-\w+)*|md5|bcrypt\w{0,3}|argon2\w*|scrypt|[hrep]s\d{3}|ed25519"
    r"|x25519|(?:gpio|io|p[a-k])_?\d{1,2}|utf-?\d+|base\d\d(?:url)?|oauth-?2?(?:\.0)?|openid\w*|x\.?509|tls-?1\.\d|http/?\d(?:\.\d)?|v?\d+(?:\.\d+)+)"
)
_LEET = expression(r"(?i)s3cr|cr3t|p[@4][s$5]{2}|p[a@4][5$]|[@4]dm[i1!]|dm[1!]n|w0rd|r00t|t0k[e3]n")
_OF_FINGERS = expression(
    r"(?i)(?:[a-z]{2,8}(?:123|1234|12345|123456)|123[0-9]{3,7}|abc[0-9]{3,6}|1q2w3e\w*|q1w2e3\w*|zaq\w*|qwert[yz]\w*)!?"
    r"|[a-z]{3,10}[@#$!&*]{1,2}\d{2,6}[!@#$]?|[a-z]{3,10}[0-9]{1,6}[@#$!&*%]{1,3}[0-9]{0,4}"
)
"""Passwords that fingers type by themselves, though in other places such are samples."""
_APP_PASSWORD = expression(r"[a-z]{4}(?: [a-z]{4}){3}")
_PASSPHRASE = expression(r"[A-Za-z]{3,10}(?:([ -])[A-Za-z]{3,10})(?:\1[A-Za-z]{3,10}){2,6}")
_THREE_WORDS = expression(r"[a-z]{3,10}(?: [a-z]{3,10}){2}")
_PHRASE_WITH_DIGITS = expression(r"(?i)[a-z0-9]{1,12}(?:([-_])[a-z0-9]{1,12})(?:\1[a-z0-9]{1,12}){4,}")
_MOST_WORDS = 12
_LETTERS_OF = expression(r"[a-z]+")
_SAID_BESIDE_DIGITS = 2
_TITLED = expression(r"(?:[A-Z][a-z]+ ){1,4}[0-9]{2,}[!?.]*")
"""Words with capitals and a number behind them, as sentences have none."""
_CALL_OR_LIST = expression(r"[\w.]+[(<].*[)>]|[\[<({].*[\])}>]|.*[:,;.]|\W*")
_WORDS_AND_NUMBER = expression(r"(?:[A-Z][a-z]{2,}[._-]?){1,3}\([0-9]{1,4}\)!?")
_WORD_OF_CALL = expression(
    r"(?i)length|range|max|min|size|char|number|string|binary|decimal|float|double|int|byte|bit|get|new|make|create|generate"
    r"|random|rand|next|take|skip|pad|repeat|sub|round|column|digit|password|passwd|token|secret|key|hash|encrypt|cost|wait"
)
"""What is called with a number, or is a type of that many characters."""
_OF_KEY = expression(r"(?i)keyboard|(?:mon|tur|don|joc|hoc|whis|luc|mic)key")
"""Words that `key` is a part of by chance."""
_ONE_CASE = expression(r"[a-z]+|[A-Z]+|[A-Z]?[a-z]+(?:[-_ .][A-Za-z]?[a-z]+)*")
_PUNCTUATED = expression(r"[()<>;,\"'`\\]|\s{2}|[:.]$|:\s")
_COUNTED = (
    r"[a-z]*(?:char(?:acter)?|letter|digit|number|symbol|sign|word|byte|bit|case|time|second|minute|hour|day|week|month|year"
    r"|attempt|tr(?:y|ie)|item|entr(?:y|ie)|row|line|page|user|key|token|password|file|zeichen|buchstabe|ziffer|tag)s?\b"
    r"|or\b|of\b|more\b|to\b|and\b|is\b|are\b|left\b"
)
"""What messages count, and what follows a number in them."""
_LISTED = expression(r"(?i)(?!.*\b[0-9]+\+?\s+(?:" + _COUNTED + r"))[^()<>;\"`\\.]{6,40}")
"""Words with commas or colons between them, and digits that count nothing of what messages count."""
_COUNTING = expression(r"(?i)\b[0-9]+\+?\s+(?:" + _COUNTED + ")")
_BACKSLASHED = expression(r"[^\\/:.]+\\[^\\/:.]+")
"""A backslash as no path has it."""
_PHRASE = expression(
    r"(?i)(?:super|very|ultra|top|extremely|this[ _-]?is)[\w -]*(?:secret|password|key(?![a-z])|passphrase)"
    r"|(?:\bmy|some)[\w -]*(?:secret|password|passphrase)[\w -]"
    r"|(?:secret|key|password)[ _-]?(?:for|to)[ _-]?(?:sign|auth|encrypt|jwt|token)"
)
"""What people write who say of a secret that it is one."""
_SAID_SECRET = expression(
    r"(?i)(?=.*(?:my|our|super|very|ultra|this))(?=.*secret)(?=.*[0-9!])[\w!@#$%^&*?+-]{16,}"
)
"""Such a phrase as one word, with digits or signs, which is no name."""
_SAID_KEY = expression(
    r"(?i)(?:this is )?(?:a|my|our|the) (?=[\w ]*\b(?:secret|private|signing|encryption)\b)"
    r"(?=[\w ]*\bkey\b)[\w !.-]{12,60}"
)
"""What a key is called by who writes it as a sentence."""
_LEAST = {Likelihood.KEY: 25.0, Likelihood.NEAR: 14.0, Likelihood.SECRET: 8.0, Likelihood.PASSWORD: 8.0}
_SHORTEST = {Likelihood.KEY: 16, Likelihood.NEAR: 10, Likelihood.SECRET: 8, Likelihood.PASSWORD: 6}
_OF_ONE_CASE = 16.0
_SHORT = 8
_LEAST_DISTINCT = 5
_LEAST_ENTROPY = 2.2
_LONGEST_HEX = 256
_HEX = expression("[0-9a-fA-F]+")
_RANDOM_IN = 512


_SCHEME_OF_NAME = expression(
    r"(?:spotify|urn|arn|did|doi|isbn):[\w:./-]+|0x[0-9a-fA-F]{40}|\$(?:argon2\w*|2[abxy]|[156]|scrypt)\$\S+"
)
_FILE = expression(
    r"(?i)[\w ./\\:-]+"
    r"\.(?:pem|pfx|p12|cer|crt|key|snk|json|xml|ya?ml|txt|md|config|cs|[jt]sx?|py|html?|css|dll|exe|ps1|sh|sql|log|zip)"
)
"""What is called so in the place of a password is where one is."""


def is_secret(value: str, place: ValueContext) -> bool:
    """Whether a text in such a place is a secret."""
    if place.cue <= Likelihood.NONE or len(value) < 4 or "://" in value:
        return False
    # What most texts lack is asked first.
    return _may_be_secret(_SCHEME.sub("", value), place) and not _is_of_form(value)


def _is_of_form(value: str) -> bool:
    """Whether it is a format, an expression, an algorithm, a name of a scheme, a public key or a file."""
    if _STRUCTURED.fullmatch(value) or _EXPRESSION.search(value[:SAMPLED]) or _ALGORITHM.fullmatch(value):
        return True
    if (
        _SCHEME_OF_NAME.fullmatch(value)
        or _PUBLIC_KEY.match(value)
        or (len(value) < SAMPLED and _FILE.fullmatch(value))
    ):
        return True
    return len(value) > _LONGEST_HEX and _HEX.fullmatch(value) is not None  # a public key, or a file


def _may_be_secret(value: str, place: ValueContext) -> bool:
    if place.template and _FILLED_IN.search(value):
        return _is_random_around(value, place)
    if (
        place.cue is Likelihood.PASSWORD
        and place.direct
        and not place.tests
        and (_OF_FINGERS.fullmatch(value) or (value.lower() in COMMON_PASSWORDS and not value.isalpha()))
    ):
        return True
    return _has_the_look(value, place) and not is_sample(value)


def _is_random_around(value: str, place: ValueContext) -> bool:
    """Whether the text around the placeholders of a template is random by itself."""
    rest = max(_FILLED_IN.split(value), key=len)
    return (
        place.cue >= Likelihood.SECRET
        and len(rest) >= _SHORTEST[Likelihood.KEY]
        and is_random(rest, ValueContext(Likelihood.KEY, direct=place.direct))
        and not is_sample(rest)
    )


def _has_the_look(value: str, place: ValueContext) -> bool:
    made_up = place.direct and not place.tests
    if (
        made_up
        and place.cue in (Likelihood.KEY, Likelihood.NEAR)
        and (_SAID_SECRET.fullmatch(value) or _SAID_KEY.fullmatch(value))
    ):
        return True
    if _GUID.fullmatch(value):
        return made_up and place.cue >= Likelihood.SECRET
    return (made_up and _is_made_up(value, place.cue)) or is_random(value, place)


_SEPARATED = expression(r"[-_.:]")
_LONG_PART = 20
_PART, _LEAST_OF_PART = 10, 30.0
"""Characters of a part that is no hexadecimal number, and its bits, of which a shorter one is random by itself."""
_GROUPED = expression(
    r"(?=[0-9-]*[A-Za-z])(?:[0-9a-f]{4,6}|[0-9A-Z]{4,6})(?:-(?:[0-9a-f]{4,6}|[0-9A-Z]{4,6})){1,7}"
)
"""Characters in groups, as codes are that people type."""
_PREFIXED = expression(
    r"(?i)(?:[a-z0-9]{2,12}[-_.])?(?:live|prod|test|sandbox|sk|secret|key|token|api|pat)[-_.]"
)
"""How issuers begin what they give."""


def is_random(value: str, place: ValueContext) -> bool:
    """Whether a value is more likely random than language, with the certainty that its context requires."""
    if len(value) < _SHORTEST[place.cue] or any(map(str.isspace, value)):
        return False
    if place.cue is Likelihood.KEY and not _is_mixed(value):
        return False
    if place.cue >= Likelihood.SECRET and _GROUPED.fullmatch(value):
        value = value.replace("-", "")
    bits = randomness(value[:_RANDOM_IN].encode("latin-1", "replace"))
    if (place.cue >= Likelihood.NEAR or _PREFIXED.match(value)) and (
        part := max(_SEPARATED.split(value[:_RANDOM_IN]), key=len)
    ) != value:
        # A prefix or a dot makes another alphabet of hexadecimal digits, by which they are hardly random.
        of_part = randomness(part.encode("latin-1", "replace"))
        if len(part) >= _LONG_PART or (
            len(part) >= _PART and of_part >= _LEAST_OF_PART and not _HEX.fullmatch(part)
        ):
            bits = max(bits, of_part)
    least = _LEAST[place.cue] if place.direct else max(14.0, _LEAST[place.cue])
    if _ONE_CASE.fullmatch(value):
        least += _OF_ONE_CASE
    if len(value) < _SHORT and value.isalpha():
        return False
    return (
        bits >= least
        and len(set(value[:SEEN])) >= _LEAST_DISTINCT
        and entropy(value[:SEEN]) >= _LEAST_ENTROPY
    )


def _is_mixed(value: str) -> bool:
    """Whether a value mixes digits and letters, more than a hash or a hexadecimal number does."""
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value)) and not _PUNCTUATED.search(value)


_ANY_WORD = expression(
    r"(?i)(?:user|db|my|the)?_?(?:pass(?:word|wd)?|pwd|secret|token|key|value|string|true|false|null|none|guest)\d?"
)
_HOLE_OF_PASSWORD = expression(
    r"[{}]|^<|^[\w.]+\)+$|^[\w.]+\(|^\$\(|^%.*%$|^[$@:]\w+(?:\s|$)|\w\[\d+\]|^[*.]+$|^ENC\("
)


def is_any_password(value: str) -> bool:
    """Whether a value is a password where only a password is possible: weak ones count too."""
    if _OF_FINGERS.fullmatch(value):
        return True
    return not (_HOLE_OF_PASSWORD.search(value) or _ANY_WORD.fullmatch(value) or is_sample(value))


def _is_made_up(value: str, cue: Likelihood) -> bool:
    """A weak secret, of words, digits and signs."""
    if cue < Likelihood.SECRET or value.lower() in NOTHING or len(value) > 100:
        return False
    if _is_name(value, cue):
        return False
    digits, signs = any(map(str.isdigit, value)), bool(_SPECIAL.search(value))
    letters = any(map(str.isalpha, value))
    punctuated = _PUNCTUATED.search(value if " " in value else value.replace("'", "")) is not None
    if not punctuated and (_PHRASE.search(value) or _LEET.search(value)):
        return True
    if cue is Likelihood.SECRET:
        return _is_made_up_as_key(value, punctuated=punctuated)
    if _PASSPHRASE.fullmatch(value):
        return OF_SENTENCES.isdisjoint(re.split("[ -]", value.lower()))
    if value.lower() in COMMON_PASSWORDS or is_drawn(value) or _is_three_words(value):
        return True
    if punctuated and not (letters and digits and _may_be_punctuated(value)):
        return False
    if value.count(" ") > 5 or value.startswith(("/", "#", ".", "~/")):
        return False
    if _APP_PASSWORD.fullmatch(value):
        return True
    if " " in value:
        words = _LETTERS_OF.findall(value.lower())
        said = sum(word in OF_SENTENCES for word in words)
        told = (
            (digits and (said < _SAID_BESIDE_DIGITS or _tells_nothing(value, words)))
            or (signs and not said)
            or _TITLED.fullmatch(value)
        )
        return bool(told) and ABOUT_PASSWORDS.isdisjoint(words)
    return (letters or len(value) >= 6 or value.isdigit()) and (digits or signs)


def _is_three_words(value: str) -> bool:
    """Whether three words are no sentence, nor about passwords."""
    words = frozenset(value.split(" "))
    return bool(_THREE_WORDS.fullmatch(value)) and all(
        each.isdisjoint(words) for each in (OF_SENTENCES, OF_MESSAGES, ABOUT_PASSWORDS, OF_CODE)
    )


def _is_made_up_as_key(value: str, *, punctuated: bool) -> bool:
    """Whether a value was made up for programs rather than people: words alone are its name, unless they are rare
    in code."""
    digits, signs = any(map(str.isdigit, value)), bool(_SPECIAL.search(value))
    letters = any(map(str.isalpha, value))
    if _PASSPHRASE.fullmatch(value):
        return OF_CODE.isdisjoint(re.split("[ -]", value.lower()))
    if " " in value or _PHRASE_WITH_DIGITS.fullmatch(value):
        words = len(re.split("[ _-]", value))
        return digits and letters and not punctuated and "#" not in value and 3 <= words <= _MOST_WORDS
    return letters and digits and signs and (not punctuated or _BACKSLASHED.fullmatch(value) is not None)


def _tells_nothing(value: str, words: Sequence[str]) -> bool:
    """Whether a sentence with a number has no words of messages."""
    return _COUNTING.search(value) is None and OF_MESSAGES.isdisjoint(words)


def _may_be_punctuated(value: str) -> bool:
    """Whether letters and digits with punctuation are no sentence, call or list."""
    if " " in value:
        return _LISTED.fullmatch(value) is not None
    if _WORDS_AND_NUMBER.fullmatch(value):
        return _WORD_OF_CALL.search(value) is None
    return not _CALL_OR_LIST.fullmatch(value)


def _is_name(value: str, cue: Likelihood) -> bool:
    """Whether it is what something is called: `apiKey`, `user.password`; not `dbpass1` where a password is due."""
    if _WORD_OF_NAME.search(value) is None:
        return False
    name = _NAME.fullmatch(_OF_KEY.sub("", value)) or _FLAG.fullmatch(value) or _KEY_OF_TEXT.fullmatch(value)
    if name is None or _PHRASE.search(value):
        return False
    return not (cue is Likelihood.PASSWORD and _NUMBERED.search(value))
