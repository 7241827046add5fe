"""Secrets within other text: settings, headers, addresses, connection strings, elements, escaped JSON; commands and
comments have modules of their own. One row a rule: a pattern of RE2 whose group `n` (or `m`) is the name, where
there is one, and `s` its value. All but addresses are searched for on the lines of indicative names and next to
them only (regions.py)."""

from __future__ import annotations

from services.prompt.secrets.commands import COMMAND_SHAPES, REMARK_SHAPES
from services.prompt.secrets.judging.names import Likelihood
from services.prompt.secrets.patterns import word_list
from services.prompt.secrets.shape import KEY_OF_NOTHING, NAME, QUOTE, TELLING, Shape

_PAIR_NAME = (
    r"(?:(?:(?:[\w:]+ ){1,3}|ssl|keystore|truststore)?(?:password|pwd|passwd|pass|passphrase)"
    r"|accesskey|secretkey|shared ?secret|secret|api ?key|authtoken|token)"
)

ADDRESS = Shape(
    "password-in-address",
    ("://",),
    r"://[^\s/:@\"'`<>{}|\\?#]*:(?P<s>[^\s/:\"'`<>{}|\\?,@][^\s/:\"'`<>{}|\\?,]{2,})@[\w\[]",
    Likelihood.PASSWORD,
    any=True,
)
BRACED = Shape(  # ODBC: a closing brace in it is doubled; a lone name between braces is a hole of a template
    "connection-string-password",
    ("pwd", "password"),
    r"(?i)[;\"',][ ]?(?P<n>pwd|password)[ ]?=[ ]?\{(?P<s>(?:[^{}\"\r\n]|\}\})*?(?:[;@#$~]|!(?:[^.)=}]|$)|\}\}[^;\"}])"
    r"(?:[^{}\"\r\n]|\}\})*)\}(?:[;\"']|$)",
    any=True,
)
BRACED_WORD = Shape(  # ODBC without such signs, where other braces or a name show that none is a hole
    "connection-string-password",
    ("pwd", "password"),
    r"(?i)\b(?:driver[ ]?=[ ]?\{[^{}\"\r\n]*[^\w{}\"\r\n][^{}\"\r\n]*\}|dsn[ ]?=[ ]?[^{};\"\r\n]+)(?:;[^;\"\r\n]*)*?"
    r";[ ]?(?P<n>pwd|password)[ ]?=[ ]?\{(?P<s>[^{}\"\r\n]{4,})\}",
    Likelihood.PASSWORD,
)
OVER_LINES = Shape(  # a connection string whose settings have lines of their own
    "connection-string-password",
    (
        "user id=",
        "initial catalog=",
        "data source=",
        "integrated security=",
        "uid=",
        "username=",
        "server=",
        "database=",
    ),
    r"(?im)\b(?:user[ ]id|initial[ ]catalog|data[ ]source|integrated[ ]security|uid|user(?:name)?|server|database)="
    r"[^;\"'\r\n<]*;[ \t]*\r?\n[ \t]*(?P<n>password|pwd)=(?P<s>(?:[^;\"'\r\n<]|\"\"\S)*[^;\"'\r\n< ])[ ]?(?:;|\"|\r?$)",
    Likelihood.PASSWORD,
)
_OF_BADGE = r"(?i)(?:badge|shields\.io|\.svg)[^\s\"'<>]*\z"
"""An address of a picture that says how a build is, as pages show it."""
_EMBEDDED: tuple[Shape, ...] = (
    BRACED,
    BRACED_WORD,
    Shape(
        "connection-string-password",
        ("password", "pwd"),
        r"(?i);[ ]?(?P<n>password|pwd)=[ ]?(?P<s>(?:&\w+;|[^;\"'\r\n<])*[^;\"'\r\n< &])[ ]?(?:[;']|\"[^\"]|\"?$)",
        Likelihood.PASSWORD,
        any=True,
        needs=r"\w=",
    ),
    Shape(
        "connection-string-password",
        ("password", "pwd", "pass", "secret", "key", "token"),
        rf"(?im)(?:^|[;\"',][ ]?|>|\\[nr])(?P<n>{_PAIR_NAME})=[ ]?"
        r"(?P<s>'(?:[^'\r\n]|'')+'|\"\"(?:[^\"\r\n]|\"\"\"\")+\"\"|\\\"[^\"\\\r\n]+\\\""
        r"|(?:&\w+;|[^;\"'\r\n<,&\\]|[^;\"'\r\n<, &\\=]\"\"[^\s;\"'<>,)/+&\\])*[^;\"'\r\n<, &\\])"
        r"[ ]?(?:[;\"'<,]|\\[nr]|$)",
        any=True,
        needs=r"\w=",
    ),
    Shape(  # settings of a network without wires
        "connection-string-password",
        ("ssid=",),
        r"(?i)\bssid=[^;,\"'\n]*[;,][ ]?(?:[\w ]+=[^;,\"'\n]*[;,][ ]?)*?(?P<n>key|psk|pass\w*|pwd)="
        r"(?P<s>[^;,\"'\s{}]{4,})",
        Likelihood.PASSWORD,
        any=True,
    ),
    Shape(  # the same as a picture holds it
        "connection-string-password",
        ("wifi:t:", "wifi:s:"),
        r"(?i)\bwifi:(?:[tsh]:[^;\"\n]*;)*?p:(?P<s>(?:[^;\"'\s{}\\]|\\\S){4,});",
        Likelihood.PASSWORD,
        any=True,
    ),
    Shape(  # settings with commas between them, as of Redis
        "connection-string-password",
        ("password=", "pwd="),
        r"(?i),[ ]?(?P<n>password|pwd)=(?P<s>[^\s,\"'<>(){}]*&[^\s,\"'<>(){}]*[^\s,\"'<>(){}\\])(?:,[ ]?[\w ]+=|[\"'])",
        Likelihood.PASSWORD,
        any=True,
    ),
    Shape(  # with blanks around the sign it may be a statement
        "connection-string-password",
        ("password", "pwd", "pass", "secret", "key", "token"),
        rf"(?i)(?:[;\"',][ ]?|>)(?P<n>{_PAIR_NAME})[ ]=[ ]?(?P<s>'[^'\r\n]+'|[^;\"'\r\n<, &]+)[ ]?(?:[;\"'<,]|$)",
        Likelihood.PASSWORD,
    ),
    Shape(  # what stands in for a variable
        "assigned-secret",
        ("${",),
        rf"(?i)\$\{{{NAME}:-?(?P<s>[^\s\"'{{}}$?+=-][^\s\"'{{}}$]{{3,}})\}}",
    ),
    Shape(  # an argument that sets a name to a value
        "assigned-secret",
        TELLING,
        rf"(?i)[\"']{NAME}=(?P<s>[^\s\"';,&{{}}$<>()\\=]{{4,}})[\"']",
        needs=r"[\"'][\w.:-]+=\w",
    ),
    Shape(  # pairs with blanks between them
        "connection-string-password",
        ("password", "pwd", "passwd"),
        r"(?i)[ ](?P<n>(?:ssl)?(?:password|passwd|pwd))=(?P<s>[^\s;\"'`<>(){},&]{4,})(?:[\s\"'`]|$)",
        needs=r"\w=",
    ),
    Shape(
        "secret-in-query",
        tuple(word_list("key token secret code auth pass pwd sig pin otp hmac appid app_id session")),
        r"(?i)[?&](?P<n>[\w.-]*(?:key|token|secret|code|auth|pass|password|pwd|pin|otp|sig|sign|signature|hmac|appid|app_id|session|sessionid))="
        r"(?P<s>[^&\s\"'`<>#{}\\;)]{4,})",
        Likelihood.NEAR,
        shown=_OF_BADGE,
        needs=r"[?&][\w.-]+=",
    ),
    Shape(  # a cookie
        "secret-in-header",
        ("session", "sid", "sess", "auth", "token", "jwt", "remember"),
        r"(?i)[\"'; ](?P<n>[\w.-]*(?:session\w*|sess|sid|auth|token|jwt|remember\w*))="
        r"(?P<s>[^;\"'\s&{}]{16,})(?:[;\"']|$)",
        Likelihood.NEAR,
        weak=False,
        needs=r"""\w=[^;"'\s&{}]""",
    ),
    Shape(
        "authorization",
        ("bearer", "basic", "token", "apikey", "digest", "splunk"),
        r"(?i)\b(?:bearer|basic|token|apikey|api-key|splunk|negotiate|key)[ =:]{1,3}(?P<s>[\w+/.~-]{12,}={0,2})",
        Likelihood.NEAR,
        weak=False,
        shown=_OF_BADGE,
    ),
    Shape(
        "secret-in-header",
        TELLING,
        r"(?i)[\"'`\\\s](?P<n>(?:x-)?[\w-]*(?:key|token|secret|auth|authorization|password))[ ]?:[ ]?"
        r"(?P<s>[\w+/.~!@#$%^&*-]{6,}={0,2})(?:[\"'`\\\s]|$)",
        weak=False,
        shown=KEY_OF_NOTHING,
    ),
    Shape(  # in quotes within a text
        "assigned-secret",
        TELLING,
        rf"(?i){NAME}{QUOTE}?\s{{0,4}}[:=]\s{{0,4}}{QUOTE}(?P<s>(?:[^\"'\\\s&]|&[^q#\"'\\\s])+){QUOTE}",
    ),
    Shape(  # a setting whose value stands behind a blank
        "assigned-secret",
        ('word \\"', 'word ""', "word '", 'pwd \\"', "pwd '"),
        rf"(?i)(?:[\"'`]|\\[nr]|^|[ ](?:with|and|by))[ \t]*(?:(?:the|a|my)[ ])?"
        rf"(?P<n>[\w.-]*(?:password|passwd|pwd))[ \t]+{QUOTE}"
        rf"(?P<s>[^\"'\\\s{{}}]{{4,}}){QUOTE}",
    ),
    Shape(  # an element of settings
        "assigned-secret",
        ('value=\\"', 'value=""', "value='", 'value = \\"', 'value = ""'),
        rf"(?i)\b(?:key|name)\s?=\s?{QUOTE}{NAME}{QUOTE}[ ]+(?:\w+\s?=\s?{QUOTE}[^\"'\\\n]*{QUOTE}[ ]+)?"
        rf"value\s?=\s?{QUOTE}(?P<s>[^\"'\\\n]{{4,}}){QUOTE}",
        needs="(?i)value",
    ),
    Shape(  # the same: a password may have blanks
        "assigned-secret",
        (
            'word=\\"',
            "word='",
            'word: \\"',
            "word: '",
            'pwd=\\"',
            "pwd='",
            'word\\":',
            'word"":',
            'pin\\":',
            'pin"":',
        ),
        rf"(?i)\b(?P<n>password|pwd|pin)(?:{QUOTE})?\s?[:=]\s?{QUOTE}(?P<s>[^\"'\\\n&;]{{4,60}}){QUOTE}",
    ),
    Shape(  # a variable of a script that is written in a text
        "assigned-secret",
        (
            "$pass",
            "$pw",
            "$secret",
            "$token",
            "$api",
            "$key",
            "$pin",
            "$db",
            "$sa",
            "$env:",
            "$global:",
            "$script:",
        ),
        r"(?i)\$(?:env:|global:|script:)?(?P<n>\w*(?:pass\w*|pwd|pw|secret|token|key|pin))\s*=\s*"
        r"(?:'|\\\")(?P<s>[^'\\\n\"]{4,})(?:'|\\\")",
    ),
    Shape(  # lines of settings that are written in a text
        "assigned-secret",
        ("\\n", "\\r"),
        rf"(?i)(?:[\"`]|\\[nr])[ ]*{NAME}[ ]?[:=][ ]?(?P<s>[^\s\"'`;,(){{}}<>\[\]\\]{{4,}})(?:\\[nr]|\"[;,)]|$)",
    ),
    Shape(  # in a hole of an interpolated text
        "assigned-secret",
        TELLING,
        rf"(?i){NAME}[ ]?[=:][ ]?\{{\"(?P<s>[^\"{{}}\n]{{4,}})\"\}}",
        needs=r"\{\"",
    ),
    Shape(  # a mapping of YAML on one line
        "assigned-secret",
        TELLING,
        rf"(?im)^[ \t]*(?:-[ ]+)?[\w.-]+:[ ]*\{{[^{{}}\"'\n]*?\b{NAME}:[ ]+"
        r"(?P<s>[^\s\"'`,;(){}<>\[\]]{4,})[ ]*[,}]",
        needs=r":[ ]*\{",
    ),
    Shape(  # what basic authentication encodes
        "password-of-user",
        ("getbytes",),
        r"GetBytes\(\s*[$@]*\"(?:[\w.@\\-]{1,64}|\{[\w.]{1,60}\}):(?P<s>[^\s\"'{}]{4,})\"",
        Likelihood.PASSWORD,
    ),
    Shape(  # a pair of a name and a value, as of containers
        "assigned-secret",
        TELLING,
        rf"(?im)\b(?:name|key):[ ]*[\"']?{NAME}[\"']?[ ]*\r?\n[ \t]*value:[ ]*"
        r"(?P<s>'[^'\n]{4,}'|\"[^\"\n]{4,}\"|[^\s\"'{}]{4,})[ ]*\r?$",
        needs="(?i)value:",
    ),
)
_LINES: tuple[Shape, ...] = (
    Shape(  # an element whose password has blanks
        "assigned-secret",
        ("password>", "passwd>", "pwd>", "passphrase>"),
        r"(?i)<(?:[\w.-]+:)?(?P<n>[\w.-]*(?:password|passwd|pwd|passphrase))>[ ]*"
        r"(?P<s>[^\s<>]+[ ][^<>\n]{1,60}[^\s<>])[ ]*</",
        needs="</",
    ),
    Shape(
        "assigned-secret", TELLING, rf"(?i)<{NAME}(?:\s[^<>\n]*)?>\s*(?P<s>[^\s<>]{{4,}})\s*</", needs="</"
    ),
    Shape(
        "assigned-secret",
        ("name", "key"),
        rf"(?i)\b(?:name|key)\s?=\s?[\"']{NAME}[\"'][^<>\n]*>\s*(?:<value[^<>\n]*>)?\s*(?P<s>[^<>\s][^<>\n]{{2,}}[^<>\s])\s*</",
        needs="</",
    ),
    Shape(
        "assigned-secret",
        TELLING,
        rf"(?im)^[ \t]*(?:(?:///?|#|;|\*|--|REM|export|set|ENV|ARG|-)[ \t]+){{0,3}}[$@]?{NAME}[ \t]*[=:][ \t]*"
        r"(?:[>|][+-]?[ \t]*\r?\n[ \t]*|!!\w+[ ]+)?"
        r"(?P<s>'(?:[^'\n]|''){4,}'|[^\s\"'`;,(){}<>\[\]]{4,})[ \t]*(?:#[^\n]*)?\r?$",
    ),
    Shape(  # a pass phrase of YAML or of settings, whose words nothing encloses
        "assigned-secret",
        ("pass", "pwd", "kennwort"),
        r"(?im)^[ \t]*(?:-[ ]+)?(?P<n>[\w.-]*(?:pass[_-]?phrase|passw(?:or)?d|pwd|kennwort))[ ]?[:=][ ]*"
        r"(?P<s>[a-z]{3,10}(?: [a-z]{3,10}){2,7})[ \t]*(?:#[^\n]*)?\r?$",
        Likelihood.PASSWORD,
    ),
    Shape(
        "assigned-secret",
        TELLING,
        rf"(?i)[\s\"'`]--?{NAME}[ =]+[\"']?(?P<s>[^\s\"'`,;<>{{}}\\-][^\s\"'`,;<>{{}}\\]{{3,}})",
        needs=r"[\s\"'`]--?[\w.:-]",
    ),
)
SHAPES = (*_EMBEDDED, *COMMAND_SHAPES, *REMARK_SHAPES, *_LINES)
