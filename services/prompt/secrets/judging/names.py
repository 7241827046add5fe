"""Classification of names by the likelihood that their value is a secret: `ClientSecret` is, `SecretName` is not; a
name may stand in the same position of another row: a column of SQL, of a table or a migration, a part of a tuple.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterator

from services.concurrency.lazy import expression
from services.prompt.secrets.patterns import compiled, groups_of, word_list


class Likelihood(enum.IntEnum):
    """Likelihood that the value of a name is a secret."""

    PUBLIC = -1
    """The name of something public about a secret: its name, hash, address, label."""
    NONE = 0
    KEY = 1
    """A key of some kind, mostly of a dictionary."""
    NEAR = 2
    """Something about a secret that may be the secret."""
    SECRET = 3
    PASSWORD = 4
    """What people make up."""


ISSUERS = (
    "trello", "twilio", "sendgrid", "mailgun", "mailchimp", "mailjet", "postmark", "sparkpost", "mandrill", "stripe",
    "paypal", "braintree", "adyen", "plaid", "shopify", "slack", "discord", "telegram", "github", "gitlab", "bitbucket",
    "jira", "atlassian", "dropbox", "heroku", "netlify", "vercel", "cloudflare", "fastly", "digitalocean", "linode",
    "vultr", "hetzner", "ovh", "scaleway", "firebase", "algolia", "datadog", "newrelic", "sentry", "rollbar", "bugsnag",
    "pagerduty", "opsgenie", "splunk", "loggly", "grafana", "openai", "anthropic", "cohere", "mistral", "huggingface",
    "deepl", "elevenlabs", "pinecone", "shodan", "virustotal", "openweather", "openweathermap", "weatherapi", "mapbox",
    "tomtom", "finnhub", "alphavantage", "coinmarketcap", "binance", "kraken", "infura", "alchemy", "etherscan",
    "spotify",
    "twitch", "twitter", "facebook", "instagram", "linkedin", "giphy", "unsplash", "imgur", "vimeo",
    "zendesk", "intercom", "hubspot", "salesforce", "asana", "clickup", "airtable", "figma", "vonage", "nexmo",
    "messagebird", "plivo", "pubnub", "okta", "onelogin", "launchdarkly", "mixpanel", "sonarqube", "codecov", "snyk",
    "circleci", "jenkins", "appveyor", "artifactory", "sendinblue", "brevo", "typeform", "contentful", "databricks",
    "pusher", "mollie", "klarna", "sumup", "chargebee", "freshdesk", "pipedrive", "gocardless",
    "ipinfo", "tmdb", "deepseek", "pushover", "onesignal", "infobip", "clickatell", "coinbase", "nomad", "approle",
    "snowflake", "confluent", "pulumi", "doppler", "replicate", "groq", "perplexity",
)  # fmt: skip
"""Services whose names people give to what they are keyed with."""

CUES = (
    "pass", "pwd", "secret", "token", "credential", "key", "auth", "bearer", "salt", "pepper", "signature",
    "jwt", "kennwort", "hmac", "login", "sas", "connectionstring", "aes", "pin", "pat", "dsn", "webhook", "seed",
    "createasync", "x509certificate", "sshclient", "ftpclient", "scpclient", "smtpclient", "connectioninfo",
    "ldapconnection", "derivebytes", "pbkdf2", "pw", "psk", "unlockcode", "activationcode", "accesscode",
    "securitycode", "recoverycode", "totp", "hotp", "pincode", "contrasena", "senha", "wachtwoord", "losenord",
    "motdepasse", "salasana", "ldap", "session", "cookie", "logon", "principalcontext", "directoryentry",
    "encrypt", "decrypt", "pfx", "pkcs12", "wifi", "keystore", "getconnection", "mysql_connect", "mysqli_connect",
    "signin", "signon", "pdfreader", 'connect("', 'connectasync("', 'user("', 'account("',
    "rijndael", "tripledes", "fromsubscription", "usehttps", "setlicense", "registerlicense", "licence", "unprotect",
    "sheet.protect", "book.protect", 'unlock("', 'unlockasync("', "unseal", "rcon",
    "useridentity", "mqtt", "impersonat", "runas", "pins", "blowfish", "twofish", "fernet", "smtp",
    "sevenzip", "archive.open", "scrypt", "account = new(", *ISSUERS,
)  # fmt: skip
"""Lower-case texts of which a telling name holds one."""

_ISSUERS = frozenset(ISSUERS)
_MAKING = word_list("add use with new from create register connect")
"""Calls that set up a service; other names with a service's in them are modules of the program."""
_OF_ISSUER = expression("|".join(ISSUERS))
_WORDS = expression(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_BETWEEN = expression(r"[\W_]+")
_PASSWORD_END = expression(
    r"(?:password|passwords|passwd|presharedkey|passphrase|passcode|pincode|unlockcode|pwd|passwort|kennwort|contrasena|senha|wachtwoord|losenord|motdepasse|salasana|userpass|dbpass|smtppass|adminpass|requirepass|masterauth"
    r"|passwrd|passwort|pswd|psswd|(?:user|db|database|smtp|admin|mysql|sql|ftp|root|ssh|mail|email|login|auth|proxy|service|store|key|trust|cert|pfx|wifi|sudo"
    r"|vpn|repo|deploy|test|default|api|pg|redis|mongo|rabbit|oracle|ldap|bind|git|nuget|docker|app|access|basic|http|web|ssl|server)pass)$"
)
_PASSWORD_WORDS = frozenset({"pw", "pin", "pins", "psw", "passwrd", "psk", "rcon"})
_WITH_PASS = word_list(
    """
    user get set with db database smtp admin mysql ftp root ssh my mail email sql pg sa login auth proxy service
    svc default store key trust cert pfx wifi sudo vpn repo deploy api redis mongo rabbit oracle ldap bind git
    nuget docker app access basic http web ssl server become sasl mq amqp kafka influx elastic imap pop
    alias pk keyalias keystore wallet rcon guest sftp telnet rdp vnc domain mariadb postgres account sender
    """
)
KEYS_OF_SECRETS = (
    r"api|app|access|account|auth|authentication|client|encryption|encrypt|decryption|crypto|cipher|licen[sc]e"
    r"|master|private|priv|shared|signing|sign|signature|storage|subscription|secret|security|symmetric|hmac|jwt"
    r"|aes|des|admin|service|host|functions?|deploy|deployment|integration|product|server|validation|machine"
    r"|webhook|root|session|data|device|license|vault|token|protection|management|write|ingest|bot|backup|recovery|gateway|payment|stripe|sendgrid"
    r"|twilio|openai|github|azure|aws|google|maps|issuer|issuersigning"
)
"""What a name says of a key that is a secret, as a pattern."""
_SECRET_END = expression(
    r"(?:secrets?|tokens?|credentials?|jwt|bearer|authorization|pepper|sas|connectionstring|dsn|creds"
    r"|(?:unlock|activation|access|recovery|backup|security|mfa|redeem)codes?|(?:otp|totp|hotp)seed|rijndael|tripledes"
    rf"|(?:{KEYS_OF_SECRETS})(?:api)?keys?)$"
)
_SECRET_WORDS = frozenset({"pat", "auth", "sig"})
_KEY_END = expression(
    r"(?:keys?|licen[sc]e|salt|seed|nonce|(?<!de)(?<!en)(?<!uni)(?<!bar)code|iv|hmac|aes|cookie|session|login|webhook|passe|basic|keymaterial)$"
)
_PUBLIC = expression(
    r"public|publishable|partitionkey|foreignkey|rowkey|cachekey|sortkey|registrykey|resourcekey|sitekey|hotkey|shortcut"
    r"|idempotency|dedup|tracekey|requestkey|messagekey|correlation|lookupkey|objectkey|cancel|hash|digest|checksum|thumbprint|fingerprint|etag|sha\d|md\d|regex|pattern|publickeytoken"
    r"|verif(?:y|ication)key|pagetoken|nexttoken|synctoken|syntax|lexer|jtoken|jsontoken|instrumentation|keyword|keyboard|keycode|keypress|keydown|continuation|concurrency|antiforgery"
    r"|culture|pagination|accesskeyid|keyid|passthrough|compass|bypass|passed|passes|passing|metadatatoken"
)
_SECRET_THOUGH: dict[str, tuple[str, ...]] = {
    "public": ("password", "secret"),
    "hash": ("salt", "pepper", "secret"),
    "bypass": ("password", "token", "secret", "key", "code"),
}
"""What makes a name public, and what stays secret all the same where a name ends with it."""
_PUBLIC_END = word_list(
    """
    name names id ids uri uris url urls path paths field fields column columns param params
    parameter parameters header headers type types endpoint scheme schema format message messages
    error errors label title prompt prefix suffix length policy version claim claims attribute
    property provider store vault file files filename location selector xpath hint placeholder
    description option options flag variable mode kind index count expiry expires lifetime audience
    issuer algorithm resource resources filter queue topic table role category state status element
    exception reason requirement required rule rules strength box input validator validation converter
    caption text help tooltip command event handler usage grant marker separator delimiter char
    comparer map cookiename env environment route view page action link template subject comment
    note notes instruction instructions summary reference ref question extension folder directory
    chars characters alphabet charset dir group namespace assembly interface class member node tag
    """
)
_SAYS_NOTHING = word_list("input env environment mode action member element box group")
"""Those that alone say nothing of what they are given."""
_NEUTRAL = word_list(
    """
    value values string str raw plain plaintext default dev development prod production test staging
    live local current old new const fallback override base b hex utf bytes byte data encoded
    setting sandbox primary secondary backup internal in my the hardcoded actual real secure temp
    tmp initial dummy literal array buffer sample for legacy
    """
)
_OF_MESSAGES = word_list(
    """
    reset forgot forgotten invalid missing wrong incorrect mismatch require requires
    required min max show hide enter change changed expired bad empty no unexpected must cannot has
    is can should
    """
)


_IN_CLEAR = expression(r"(?i)(?<=\w)(?:In)?(?:Clear|Plain)_?Text\Z")
"""What a name says of a secret that is not encrypted."""
_NUMBERED_FIELD = expression(r"(?i)\b(?:textbox|maskedtextbox|richtextbox|edit)\d+\.Text\Z")
"""The text of a field that nobody named."""
_FIELD = expression(
    r"(?i)(?:\A(?:\w+\.)*(?:txt|tb|edt|edit|input)(?P<named>\w+)|(?P<boxed>\w+?)(?:TextBox|Box|Input|Edit|Entry|Field))\.(?:Text|Value)\Z"
)
"""The text of a field of a form, which is called by what is typed into it."""


@functools.lru_cache(maxsize=4096)
def cue_of(name: str) -> Likelihood:
    """Classify an identifier, a header, a path of settings (`Jwt:Key`), or a dotted member."""
    if "." in name and _NUMBERED_FIELD.search(name):
        return Likelihood.NONE
    if "." in name and (field := _FIELD.search(name)) is not None:
        name = field["named"] or field["boxed"]
    words = [word.lower() for word in _WORDS.findall(_IN_CLEAR.sub("", name))]
    while len(words) > 1 and words[-1] in _NEUTRAL:
        words.pop()
    if len(words) > 1 and len(words[0]) == 1:
        words = words[1:]  # `m_password`
    if not words:
        return Likelihood.NONE
    joined = "".join(words)
    spelled = _BETWEEN.sub("", name).lower()
    found = _cue_of_end(words, joined[-40:])
    if found is Likelihood.NONE:
        return _cue_of_middle(words, spelled)
    if (public := _PUBLIC.search(spelled)) and not joined.endswith(_SECRET_THOUGH.get(public[0], "\n")):
        return Likelihood.PUBLIC
    # `InvalidPassword`, `IsPassword` are messages and flags.
    return Likelihood.PUBLIC if not _OF_MESSAGES.isdisjoint(words) and found >= Likelihood.NEAR else found


def cue_of_field(name: str) -> Likelihood:
    """Classify the name of an input field by what is entered into it."""
    return max(cue_of(name), cue_of(f"{name}.Text"))


def _cue_of_end(words: list[str], joined: str) -> Likelihood:
    last = words[-1]
    if _PASSWORD_END.search(joined) or last in _PASSWORD_WORDS or _is_pass(words):
        return Likelihood.PASSWORD
    if _SECRET_END.search(joined) or last in _SECRET_WORDS or joined.endswith("secretid"):
        return Likelihood.SECRET
    if _KEY_END.search(joined):
        return Likelihood.KEY
    if joined in _ISSUERS:
        return Likelihood.SECRET
    return Likelihood.NEAR if last in _ISSUERS else Likelihood.NONE


def _is_pass(words: list[str]) -> bool:
    """A password, not the first pass over something."""
    return words[-1] == "pass" and (len(words) == 1 or words[-2] in _WITH_PASS)


def _cue_of_middle(words: list[str], joined: str) -> Likelihood:
    if len(words) == 1 and joined in _SAYS_NOTHING:
        return Likelihood.NONE
    if words[-1] in _PUBLIC_END or _PUBLIC.search(joined):
        return Likelihood.PUBLIC
    if words[0] in _MAKING and _OF_ISSUER.search(joined):
        return Likelihood.NEAR
    heads = (words[: at + 1] for at in range(len(words) - 1, -1, -1))
    return (
        Likelihood.NEAR
        if any(_cue_of_end(head, "".join(head)[-40:]) >= Likelihood.SECRET for head in heads)
        else Likelihood.NONE
    )


NEAR = 140
LITERALS = expression(r"\"(?:[^\"\\\n]|\\.)*\"")
_ROWS = expression(
    r"\{(?P<names>(?:\s*\"[^\"\n]*\"\s*,?)+)\}\s*,\s*(?:\w+:\s*)?new\s*(?:object)?\s*\[,?\]\s*\{(?P<first>[^{}]*)\Z"
)
_CASE_OF_TEST = expression(r"[\[,]\s*(?:InlineData|TestCase|DataRow|Arguments)\((?P<first>[^()\n]*)\Z")
_METHOD = expression(
    r"\b(?:public|internal|private|static|async|void)\s[^;{}()=]*?\b\w+\((?P<parameters>[^()]*)\)"
)
_TUPLES = expression(
    r"\((?P<names>(?:\s*[\w.?]+\s+\w+\s*,?){2,8})\)(?:\??\[\]|>+)*\??\s+\w+\s*=[^;()]*(?:\((?:[^()]*)\)[\s,]*)*"
    r"\((?P<first>[^()]*)(?P<name>)\Z"
)
"""Tuples in a list whose type names their parts."""
_TUPLES_OF_NEW = expression(
    r"\bnew\s+[\w.]+<[^;{}()]*\((?P<names>(?:\s*[\w.?]+\s+\w+\s*,?){2,8})\)>+\s*(?:\([^()]*\)\s*)?\{(?:[^;()]|\([^()]*\))*"
    r"\((?P<first>[^()]*)(?P<name>)\Z"
)
"""The same, where the type is told behind `new`."""
_TUPLE = expression(r"(?:\((?P<names>[^()]+)\)|(?P<name>[\w.]+))\s*=\s*\((?P<first>[^()]*)\Z")
_INSERTED = expression(
    r"(?i)insert[ ]into\s+[\w.\[\]\"`\\]{1,80}"
    r"\s*\(\s*(?P<columns>[^()]{3,400})\)\s*"
    r"(?:\"\s*\+\s*[$@]*\"\s*)?values\s*"
)
_ROW = expression(r"\s*,?\s*\((?P<values>(?:N?'(?:[^'\n]|'')*'|[^()'])*(?:\([^()]*\)(?:[^()'])*)*)\)")
_CELL = expression(r"\s*(?:N?'(?P<text>(?:[^'\n]|'')*)'|[^,']*)\s*(?:,|\Z)")
_MOST_ROWS = 1000
_TABLE = (
    r"(?m)^[ \t>]*\|?(?P<names>[^|\n]*\|[^\n]*)\n"
    r"[ \t>]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)+\|?[ \t]*\r?\n"
)
_TABLE_OF_STEP = r"(?m)(?:\A|^[^|\n]*\n)[ \t]*\|(?P<names>[^\n]*)\|[ \t]*\r?\n"
"""The head of a table without a rule below it, as in scenarios of tests."""
_LINE_OF_TABLE = expression(r"[ \t>]*\|?(?P<cells>[^|\n]*\|[^\n]*)(?:\n|\Z)")
_AROUND_CELL = " \t\r`*\"'"


def in_row(before: str) -> Likelihood:
    """Return the likelihood for a value in a row whose columns are listed before it, as in migrations."""
    if (row := _ROWS.search(before)) is None:
        return Likelihood.NONE
    names, at = row["names"].split(","), LITERALS.sub("", row["first"]).count(",")
    return cue_of(names[at].strip(' "\t\r\n')) if at < len(names) else Likelihood.NONE


def of_case(before: str, after: str) -> Likelihood:
    """Return the likelihood for an argument of a test case, by the parameter of the test below."""
    if (
        "[" not in before
        or (case := _CASE_OF_TEST.search(before)) is None
        or (method := _METHOD.search(after)) is None
    ):
        return Likelihood.NONE
    names, at = method["parameters"].split(","), LITERALS.sub("", case["first"]).count(",")
    return cue_of(names[at].split()[-1]) if at < len(names) and names[at].split() else Likelihood.NONE


def of_tuple(before: str) -> Likelihood | None:
    """Return the likelihood by the name in the same position of the tuple that is assigned to or of its type, or by
    the name of the whole; None outside tuples."""
    if (
        found := _TUPLES.search(before) or _TUPLES_OF_NEW.search(before) or _TUPLE.search(before[-NEAR:])
    ) is None:
        return None
    at = LITERALS.sub("", found["first"]).count(",")
    if found["name"]:
        told = Likelihood.PASSWORD if at else Likelihood.NEAR
        return told if cue_of(found["name"]) >= Likelihood.SECRET else None
    names = found["names"].split(",")
    return cue_of(names[at].split()[-1]) if at < len(names) and names[at].split() else None


def inserted(text: str) -> Iterator[tuple[int, int, Likelihood]]:
    """Yield the texts in the rows of an SQL insertion, with the likelihood of their columns."""
    for match in _INSERTED.finditer(text):
        cues = [cue_of(column.strip(' \t\r\n[]"`\\')) for column in match["columns"].split(",")]
        at = match.end()
        for _ in range(_MOST_ROWS if max(cues) >= Likelihood.SECRET else 0):
            if (row := _ROW.match(text, at)) is None:
                break
            at = row.end()
            for cell, cue in zip(_CELL.finditer(text, *row.span("values")), cues, strict=False):
                if cue >= Likelihood.SECRET and cell["text"]:
                    yield *cell.span("text"), cue


def in_tables(data: bytes, text: str) -> Iterator[tuple[int, int, Likelihood]]:
    """Yield the texts in the rows of Markdown tables and test scenarios, with the likelihood of their columns.
    `text`: the same, a character a byte."""
    for pattern in (_TABLE, _TABLE_OF_STEP):
        yield from _in_tables(pattern, data, text)


def _in_tables(pattern: str, data: bytes, text: str) -> Iterator[tuple[int, int, Likelihood]]:
    names = groups_of(pattern)["names"]
    for match in compiled(pattern).finditer(data):
        cues = [cue_of(name.strip(_AROUND_CELL)) for name in text[slice(*match.span(names))].split("|")]
        at = match.end()
        while max(cues) >= Likelihood.SECRET and (row := _LINE_OF_TABLE.match(text, at)) is not None:
            start, at = row.start("cells"), row.end()
            for cell, cue in zip(row["cells"].split("|"), cues, strict=False):
                if cue >= Likelihood.SECRET and (said := cell.strip(_AROUND_CELL)):
                    begin = start + cell.index(said)
                    yield begin, begin + len(said), cue
                start += len(cell) + 1
