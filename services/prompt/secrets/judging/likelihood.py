"""Texts that are no secrets in any context: language rather than random characters, by trigrams of identifiers and
word lists of prose, code and passwords; samples, placeholders, public values, and readable text as base64.
"""

from __future__ import annotations

import base64
import binascii
import functools
import itertools
import re
import zlib
from collections import Counter
from math import log2
from pathlib import Path

from services.concurrency.lazy import expression
from services.prompt.secrets.patterns import compiled, word_list

OF_SENTENCES = word_list(
    """
    a an the your you my our his her their this that these those is are was be been and or not but for from with
    please enter type must should can cannot may invalid wrong password passwords passphrase secret key token
    user username name reset forgot change new old confirm required incorrect of to in on at by it if when then
    use used using value field text message error have has had does did will would all any each no only
    passwort kennwort passe senha contrasena wachtwoord salasana parola haslo heslo
    """
)
"""Words that sentences have, and phrases that are drawn from a list have not."""
OF_CODE = OF_SENTENCES | word_list(
    """
    access account action active add address admin alias all api app application arg argument array asset async
    attribute audit backend backup bar base basic batch bind blob block body box browser bucket buffer build
    button bytes cache call callback card case cell cert channel char check class clear client close cloud
    cluster code collection color column command comment common component config configuration connect
    connection console consumer contact container content context control cookie copy core count create
    credential credentials current custom customer data database date debug default definition delete demo
    deploy description desktop dev development device dialog digit directory disabled display document domain
    download driver edit editor element else email empty enabled encrypted end endpoint engine entity entry enum
    env error event example exception execute expected export expression external factory fail failed false
    fatal feature filter find first flag float folder font form format frame frontend func function generate get
    global grant group handler hash head header height hidden host html http identity image import index info
    init inner input insert instance int integration interface internal invoice item job join json kind label
    language last layer layout left length level library line link list live load local lock log login long loop
    machine mail main manager map master match media member memory menu method metadata middle mode model module
    mongo monitor mysql namespace native network next node none normal not null number oauth object off offline
    one online only open operation option optional options oracle order origin other out output owner package
    page panel parameter parent parse partner path payload payment pending permission phone pin plain plugin
    policy pool port portal position post postgres prefix primary private process prod product production
    profile program project property protected provider proxy public publish query queue random range rate raw
    read readonly record redirect redis refresh region register release remote remove render replace report
    request resource response rest result return right role root route row rule run sample scheme scope script
    search second section select self sensitive sent server service session set setting settings setup shared
    shop short show sign signing simple single site size smtp some source sql staging start state static status
    step stop storage store stored stream string strong style sub submit success suffix support switch sync
    system tab table tag target task tax temp template temporary tenant term test testing time title tool top
    total trace tracking transaction trigger true type unknown unset unused update upload url valid validation
    validator variable verify version view visible void wait warning weak web width window wire word work worker
    write xml zone
    """
)
"""Words of which names in code are made."""
OF_MESSAGES = OF_SENTENCES - word_list(
    """
    a an the your you my our his her their this that these those is are was be been and or but for from with of to in on
    at by it have has had did does all any each no
    """
)
"""Those that messages have rather than phrases that somebody made up."""
ABOUT_PASSWORDS = frozenset({"password", "passwords", "passwort", "kennwort"})
"""Words of which one with others beside it talks about passwords."""
COMMON_PASSWORDS = word_list(
    """
    letmein qwerty qwertz azerty monkey dragon iloveyou trustno changeme changeit swordfish sunshine
    princess football baseball welcome shadow superman batman master passw0rd p@ssword admin root
    postgres guest toor opensesame hunter secret sesame abc123 mustang starwars whatever freedom
    correcthorsebatterystaple tiger scott jordan harley ranger buster soccer hockey killer charlie
    michelle jessica pepper joshua maggie dallas yankees thunder ginger heather hammer summer winter
    cookie cheese banana phoenix matrix chelsea liverpool arsenal ashley bailey loveme nicole hannah
    pokemon naruto google123 secret1 pass1 love monkey1 abc password1 oracle mysql yourstrong(!)password
    your_password123 raspberry ubuntu vagrant samsung corvette mercedes ferrari cowboys eagles steelers snoopy merlin
    peanut chocolate butterfly asdfgh asdfghjkl qazwsx elephant p@ssw0rd
    """
)
NOTHING = word_list(
    """
    none null true false string value text empty default optional required hidden undefined unknown
    user users username input test tests testing plain basic bearer digest password passwords pwd
    pass n/a
    """
)
_DRAWN = expression(r"[A-Za-z]{3,10}([-_])[A-Za-z]{3,10}(?:\1[A-Za-z]{3,10})?")
"""Two or three words, which are names of something in code but where none of them is a word of code."""


def is_common_password(value: str) -> bool:
    """A word that many take for a password, with digits or signs behind it."""
    word = value.rstrip("0123456789!?.*#$%&@")
    return len(word) < len(value) and word.lower() in COMMON_PASSWORDS


def is_drawn(value: str) -> bool:
    """Whether a text is a few words that no code and no sentence has."""
    return _DRAWN.fullmatch(value) is not None and OF_CODE.isdisjoint(re.split("[-_]", value.lower()))


TABLE = "likelihood.bin"
SYMBOLS = 30
"""26 letters, a digit, a separator, other punctuation, a boundary."""
STEP = 16
"""A byte of the table is a cost in this part of a bit."""
DIGIT, SEPARATOR, OTHER, BOUNDARY = 26, 27, 28, 29
_LONGEST = 512
_SEPARATORS = b"-_./: ,\\\t"
_DIGIT_BITS, _SEPARATOR_BITS, _OTHER_BITS = log2(10), log2(6), log2(24)
_WORD = expression(rb"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MARK = b"\x01"
_ALPHABETS = (
    (expression(rb"[0-9]+"), 10),
    (expression(rb"[0-9a-f]+|[0-9A-F]+"), 16),
    (expression(rb"[a-z]+|[A-Z]+"), 26),
    (expression(rb"[a-z0-9]+|[A-Z0-9]+"), 36),
    (expression(rb"[A-Za-z]+"), 52),
    (expression(rb"[A-Za-z0-9]+"), 62),
    (expression(rb"[A-Za-z0-9+/=_-]+"), 65),
)
_PRINTABLE = 94


def _symbol(byte: int) -> int:
    letter = chr(byte)
    if byte == _MARK[0]:
        return BOUNDARY
    if byte < 128 and letter.isalpha():
        return ord(letter.lower()) - 97
    if 48 <= byte < 58:
        return DIGIT
    return SEPARATOR if byte in _SEPARATORS else OTHER


_TO_SYMBOLS = bytes(_symbol(byte) for byte in range(256))


def symbols_of(text: bytes) -> bytes:
    """Return the symbols of a text, without the separators at its ends."""
    return _WORD.sub(_MARK, text).translate(_TO_SYMBOLS)


def trigrams_of(text: bytes) -> list[int]:
    """The places in the table of a text's trigrams, the separators around it included."""
    around = bytes((SEPARATOR, SEPARATOR)) + symbols_of(text) + bytes((SEPARATOR,))
    triples = zip(around, around[1:], around[2:], strict=False)
    return [(one * SYMBOLS + two) * SYMBOLS + three for one, two, three in triples]


@functools.lru_cache(maxsize=8192)
def randomness(text: bytes) -> float:
    """Bits by which a text is likelier as random characters of the smallest alphabet that has them than as language:
    positive for most random texts of twelve characters and more, negative for words. Of a long text its beginning."""
    text = text[:_LONGEST]
    if not text:
        return 0.0
    table = _table()
    spelled = text.translate(_TO_SYMBOLS)
    language = sum([table[at] for at in trigrams_of(text)]) / STEP
    language += spelled.count(DIGIT) * _DIGIT_BITS
    language += spelled.count(SEPARATOR) * _SEPARATOR_BITS + spelled.count(OTHER) * _OTHER_BITS
    return language - len(text) * log2(_alphabet(text))


def _alphabet(text: bytes) -> int:
    return next((size for pattern, size in _ALPHABETS if pattern.fullmatch(text)), _PRINTABLE)


def packed(name: str) -> bytes:
    """Return the content of a table in this folder. Read as a file: `importlib.resources` takes 3 ms to import."""
    return Path(__file__).with_name(name).read_bytes()


@functools.cache
def _table() -> bytes:
    return zlib.decompress(packed(TABLE))


def entropy(text: str) -> float:
    """Shannon's, in bits a character, of the characters of the text itself."""
    total = len(text)
    return -sum(count / total * log2(count / total) for count in Counter(text).values())


_SAMPLE = (
    r"(?i)example|sample|dummy|placeholder|replace|redacted|your[_-]|your(?:[A-Z]|api|key|pass|secret|token)|<your|insert|(?:\b|_)todo"
    r"|fix_?me|x{4}|\*{3}|\.{3}|…|0{8}|\A.{0,8}12345678|987654321|deadbeef|foobar|not[_-]a[_-]|lorem|enter[_-]|goes[_-]?here"
    r"|change_?me\z|change[_-]?this|change[_-]it|set[_-]in|from[_-](?:env|vault|config)|abcdefg|qwertyuiop|(?:\b|_)fake|\btbd\b"
)
_YOURS = r"(?i)\Ayour[_ -]?(?:super|very|ultra|strong)"
"""What documentation says of a secret that many leave as it is."""
_HOLE = (
    r"\$\([\w.]+\)|\$\{[^}]*\}|^\$[A-Z_][A-Z0-9_]{2,}$|^\$[a-z]*(?i:pass|pwd|secret|token|key|cred)[A-Za-z]*$|^%\w+%$|#\{\w+\}#?|\[\[|\{\{"
    r"|^__\w+__$|^\$(?:env|global|script|using):\w+$|^<.*>$|^![A-Za-z]+$|^//|^\{[A-Za-z_][\w.:]*\}$|^\[[^\[\]]*\]$|^@\w+$|^(?:process\.env|os\.environ)\b|\{\d+\}"
)
_PUBLIC_VALUES = frozenset(
    (
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
        "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==",
        "d41d8cd98f00b204e9800998ecf8427e",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6f9619ff-8b86-d011-b42d-00c04fc964ff",
    )
)
"""Account keys of Azure's emulators, the same on every machine ("Use the Azurite emulator", "Develop locally using the
Azure Cosmos DB emulator"); digests of nothing; the GUID of Microsoft's documentation."""
_LONGEST_SAMPLE = 4096
SAMPLED = 256
"""Characters of a value in which words and patterns are looked for."""
SEEN = 96
"""Characters of a value that are counted."""


def is_sample(value: str) -> bool:
    """Whether a value is a placeholder, taken from documentation, or public in any context."""
    lowered = value[:SAMPLED]  # in long random texts short words come about by chance
    if value in _PUBLIC_VALUES or lowered.lower() in _PUBLIC_VALUES or len(set(lowered)) < 3:
        return True
    seen = lowered.encode()
    seen = compiled(_YOURS).sub(b"", seen)
    return bool(compiled(_HOLE).search(seen) or compiled(_SAMPLE).search(seen)) or _is_sequence(lowered)


def is_key(value: str) -> bool:
    """A value of a form of its own: anything but a sample of documentation, or a word that has the form."""
    body = value[:_LONGEST_SAMPLE]
    return (
        value not in _PUBLIC_VALUES and entropy(body) >= _LEAST_KEY_ENTROPY and not _FORM_SAMPLE.search(body)
    )


_FORM_SAMPLE = expression(r"(?i)example|placeholder|your[_-]|x{6}|\*{3}|\.{3}|0{10}|123456789012|abcdefghijk")
_LEAST_KEY_ENTROPY = 2.5


def _is_sequence(value: str) -> bool:
    """Mostly characters that count up, down or repeat, as alphabets and tables do."""
    if len(value) < 8:
        return value in ("123456", "1234567", "0123456")
    steps = Counter(ord(b) - ord(a) for a, b in itertools.pairwise(value[:SEEN]))
    return steps[1] + steps[-1] + steps[0] > 0.7 * (len(value[:SEEN]) - 1)


def harmless_base64(value: str) -> bool:
    """Base64 of readable text."""
    try:
        data = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    shown = sum(32 <= byte < 127 or byte in b"\r\n\t" for byte in data)
    return bool(data) and shown >= 0.9 * len(data)
