"""Secrets that stand within other text: settings, headers, addresses, connection strings, commands, comments, elements,
escaped JSON. One row a shape: a pattern of RE2 whose group `n` (or `m`) is the name, where there is one, and `s` its
value. All but addresses are looked for on the lines of telling names and next to them alone (near.py)."""

from __future__ import annotations

from dataclasses import dataclass

from services.prompt.secrets.judging.names import Cue
from services.prompt.secrets.patterns import word_list


@dataclass(frozen=True, slots=True)
class Shape:
    """A way to give a value. `kind`: of the secret; `words`: as of a form; `cue`: where the name is none that
    `cue_of` tells anything of; `weak`: whether what people make up counts there; `any`: whether all but holes and
    samples does."""

    kind: str
    words: tuple[str, ...]
    pattern: str
    cue: Cue = Cue.NONE
    weak: bool = True
    any: bool = False


_TELLING = ("pass", "pwd", "secret", "token", "credential", "key", "auth", "kennwort", "pw")
_CUE = r"(?:pass|pwd|secret|token|credential|key|auth|kennwort|salt|pepper)"
_NAME = rf"(?P<n>[\w.:-]*{_CUE}[\w.:-]*)"
_QUOTE = r"(?:\\+\"|\"\"|&quot;|\\u0022|')"
_PAIR_NAME = (
    r"(?:(?:(?:[\w:]+ ){1,3}|ssl|keystore|truststore)?(?:password|pwd|passwd|pass|passphrase)"
    r"|accesskey|secretkey|shared ?secret|secret|api ?key|authtoken|token)"
)
_OPENS = r"(?:(?:^|[^:\w])//|/\*|^[ \t]*[*']|#|<!--)"
_REMARK = rf"(?:{_OPENS}|--)[^\"\n]*?\b"
_SAID = r"(?:<c>|<code>)?[\"'`]?"

PASSWORD_IN_OTHER_TONGUES = (
    "mot de passe", "пароль", "contraseña", "contrasena", "senha", "wachtwoord", "lösenord", "hasło", "heslo",
    "salasana", "parola", "şifre", "密码", "密碼", "口令", "パスワード", "비밀번호", "jelszó", "adgangskode", "passord",
)  # fmt: skip
"""What comments call a password that are not in English or German."""

ADDRESS = Shape(
    "password-in-address",
    ("://",),
    r"://[^\s/:@\"'`<>{}|\\?#]*:(?P<s>[^\s/:\"'`<>{}|\\?,@][^\s/:\"'`<>{}|\\?,]{2,})@[\w\[]",
    Cue.PASSWORD,
    any=True,
)
BRACED = Shape(  # ODBC: a closing brace in it is doubled; a lone name between braces is a hole of a template
    "connection-string-password",
    ("pwd", "password"),
    r"(?i)[;\"',][ ]?(?P<n>pwd|password)[ ]?=[ ]?\{(?P<s>(?:[^{}\"\r\n]|\}\})*?(?:[;@#$~]|!(?:[^.)=}]|$)|\}\}[^;\"}])"
    r"(?:[^{}\"\r\n]|\}\})*)\}(?:[;\"']|$)",
    any=True,
)
SHAPES: tuple[Shape, ...] = (
    BRACED,
    Shape(
        "connection-string-password",
        ("password", "pwd", "pass", "secret", "key", "token"),
        rf"(?im)(?:^|[;\"',][ ]?|>|\\[nr])(?P<n>{_PAIR_NAME})=[ ]?"
        r"(?P<s>'(?:[^'\r\n]|'')+'|\"\"[^\"\r\n]+\"\"|\\\"[^\"\\\r\n]+\\\""
        r"|(?:&\w+;|[^;\"'\r\n<,&\\])*[^;\"'\r\n<, &\\])[ ]?(?:[;\"'<,]|\\[nr]|$)",
        any=True,
    ),
    Shape(  # with blanks around the sign it may be a statement
        "connection-string-password",
        ("password", "pwd", "pass", "secret", "key", "token"),
        rf"(?i)(?:[;\"',][ ]?|>)(?P<n>{_PAIR_NAME})[ ]=[ ]?(?P<s>'[^'\r\n]+'|[^;\"'\r\n<, &]+)[ ]?(?:[;\"'<,]|$)",
        Cue.PASSWORD,
    ),
    Shape(
        "connection-string-password",
        ("password", "pwd"),
        r"(?i);[ ]?(?P<n>password|pwd)=[ ]?(?P<s>(?:&\w+;|[^;\"'\r\n<])*[^;\"'\r\n< &])[ ]?(?:[;\"']|$)",
        Cue.PASSWORD,
        any=True,
    ),
    Shape(  # pairs with blanks between them
        "connection-string-password",
        ("password", "pwd", "passwd"),
        r"(?i)[ ](?P<n>(?:ssl)?(?:password|passwd|pwd))=(?P<s>[^\s;\"'`<>(){},&]{4,})(?:[\s\"'`]|$)",
    ),
    Shape(
        "secret-in-query",
        tuple(word_list("key token secret code auth pass pwd sig pin otp hmac appid app_id session")),
        r"(?i)[?&](?P<n>[\w.-]*(?:key|token|secret|code|auth|pass|password|pwd|pin|otp|sig|sign|signature|hmac|appid|app_id|session|sessionid))="
        r"(?P<s>[^&\s\"'`<>#{}\\;)]{4,})",
        Cue.NEAR,
    ),
    Shape(  # a cookie
        "secret-in-header",
        ("session", "sid", "sess", "auth", "token", "jwt", "remember"),
        r"(?i)[\"'; ](?P<n>[\w.-]*(?:session\w*|sess|sid|auth|token|jwt|remember\w*))="
        r"(?P<s>[^;\"'\s&{}]{16,})(?:[;\"']|$)",
        Cue.NEAR,
        weak=False,
    ),
    Shape(
        "authorization",
        ("bearer", "basic", "token", "apikey", "digest", "splunk"),
        r"(?i)\b(?:bearer|basic|token|apikey|api-key|splunk|negotiate|key)[ =:]{1,3}(?P<s>[\w+/.~-]{12,}={0,2})",
        Cue.NEAR,
        weak=False,
    ),
    Shape(
        "secret-in-header",
        _TELLING,
        r"(?i)[\"'`\\\s](?P<n>(?:x-)?[\w-]*(?:key|token|secret|auth|authorization|password))[ ]?:[ ]?"
        r"(?P<s>[\w+/.~!@#$%^&*-]{6,}={0,2})[\"'`\\\s]",
        weak=False,
    ),
    Shape(
        "assigned-secret",
        _TELLING,
        rf"(?i){_QUOTE}{_NAME}{_QUOTE}\s{{0,4}}[:=]\s{{0,4}}{_QUOTE}(?P<s>(?:[^\"'\\\s&]|&[^q#\"'\\\s])+){_QUOTE}",
    ),
    Shape(
        "assigned-secret",
        _TELLING,
        rf"(?i){_NAME}\s?[:=]\s?{_QUOTE}(?P<s>(?:[^\"'\\\s&]|&[^q#\"'\\\s])+){_QUOTE}",
    ),
    Shape(  # in quotes within a text: a password may have blanks
        "assigned-secret",
        ('word=\\"', "word='", 'word: \\"', "word: '", 'pwd=\\"', "pwd='", 'word\\":', 'word"":'),
        rf"(?i)\b(?P<n>password|pwd)(?:{_QUOTE})?\s?[:=]\s?{_QUOTE}(?P<s>[^\"'\\\n&;]{{4,60}}){_QUOTE}",
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
        rf"(?i)(?:[\"`]|\\[nr])[ ]*{_NAME}[ ]?[:=][ ]?(?P<s>[^\s\"'`;,(){{}}<>\[\]\\]{{4,}})(?:\\[nr]|\"[;,)]|$)",
    ),
    Shape(  # commands that take a password by a switch of their own
        "password-of-user",
        (
            "sqlcmd",
            "osql",
            "sshpass",
            "psexec",
            "signtool",
            "-passin",
            "redis-cli",
            "mysql",
            "plink",
            "7z ",
            "zip -p",
            "login",
            "/user:",
            "/pass:",
            "/password:",
            "/pwd:",
            "/rp ",
            "sqlplus",
            "impdp",
            "expdp",
            "sqlldr",
        ),
        r"(?i)(?:\b(?:sqlcmd|osql)\b[^\n]*?[ \"'](?-i:-P)[ ]?|\b(?:psexec(?:\.exe)?|unzip|zip)\b[^\n]*?[ \"']-P[ ]"
        r"|\bsshpass[\"', ]+-p[ ]?|\bmysql\w*\b[^\n]*?[ \"']-p"
        r"|\bsigntool(?:\.exe)?\b[^\n]*?[ \"']/p[ ]|-pass(?:in|out)?[ ]\"?pass:|\bredis-cli\b[^\n]*?[ \"']-a[ ]"
        r"|\b(?:az|docker|podman|helm|oc|skopeo|buildah|nerdctl|acr|cf)[ ]login\b[^\n]*?[ \"']-p[ =]"
        r"|\bnet(?:\.exe)?\b[^\n]*?[ ]/user:\S+[ ]|[ ]/(?:pass|password|pwd):|\bschtasks\b[^\n]*?[ \"']/rp[ ]"
        r"|\b(?:sqlplus|impdp|expdp|sqlldr)\b[^\n\"']*?[ ][\w$]+/"
        r"|\bplink\b[^\n]*?[ ]-pw[ ]|\b7z[ ][^\n]*?-p)(?P<s>'[^'\n]{3,}'|\"[^\"\n]{3,}\"|[^\s\"'`]{3,})",
        Cue.PASSWORD,
        any=True,
    ),
    Shape(  # a share that is connected
        "password-of-user",
        ("/user:",),
        r"(?i)\buse[ ]+(?:\w:[ ]+)?\\+[^\s\"]+[ ]+(?P<s>[^\s\"'/]{3,})[ ]+/user:",
        Cue.PASSWORD,
        any=True,
    ),
    Shape(
        "password-of-user",
        ("-u ", "--user"),
        r"(?:-u|--user)[ =]\"?'?[\w.@-]{1,64}:(?P<s>[^\s\"'`]{4,})",
        Cue.PASSWORD,
        any=True,
    ),
    Shape(  # a command that takes a user and a password by short switches
        "password-of-user",
        ("-u ",),
        r"(?:[ \"'](?:-u|-U|--user(?:name)?)[ =][\w.@\\-]{1,64}[ ](?:-p|-P|-w|--pass(?:word)?)[ =]?)"
        r"(?P<s>'[^'\n]{3,}'|[0-9]*[^\s\"'`<>{}$0-9][^\s\"'`<>{}$]{2,})",
        Cue.PASSWORD,
    ),
    Shape(
        "password-in-sql",
        ("identified", "password"),
        r"(?i)\b(?:identified(?:[ ]with[ ]\w+)?[ ]+by|with[ ](?:encrypted[ ])?password|set[ ]password[^\n']*?|password)"
        r"(?:[ ]*=?[ ]+(?:N|0x)?|[ ]*\()'(?P<s>[^'\r\n]{3,})'",
        Cue.PASSWORD,
        any=True,
    ),
    Shape(
        "password-of-user",
        ("sudo -s",),
        r"\becho[ ][\"']?(?P<s>[^\s\"'|$]{4,})[\"']?[ ]*\|[ ]*sudo[ ]-S",
        Cue.PASSWORD,
    ),
    Shape(
        "password-of-user",
        ("chpasswd",),
        r"\becho[ ]\\?[\"']?[\w.-]+:(?P<s>[^\s\"'|$\\]{4,})\\?[\"']?[ ]*\|[ ]*chpasswd",
        Cue.PASSWORD,
    ),
    Shape(
        "password-in-sql",
        ("sp_addlogin",),
        r"(?i)\bsp_addlogin[ ]+(?:@\w+[ ]*=[ ]*)?N?'[^']*',[ ]*(?:@\w+[ ]*=[ ]*)?N?'(?P<s>[^'\n]{3,})'",
        Cue.PASSWORD,
        any=True,
    ),
    Shape(  # in a hole of an interpolated text
        "assigned-secret",
        _TELLING,
        rf"(?i){_NAME}[ ]?[=:][ ]?\{{\"(?P<s>[^\"{{}}\n]{{4,}})\"\}}",
    ),
    Shape(  # what a message says
        "assigned-secret",
        ("password", "passwd", "pwd", "passphrase"),
        r"(?im)\b(?P<n>password|passwd|pwd|passphrase):?[ ](?:is[ ]|was[ ])?"
        r"(?P<s>[A-Za-z!@#$%^&*]+[0-9][\w!@#$%^&*?-]*[A-Za-z!@#$%^&*?][\w!@#$%^&*?-]*"
        r"|[A-Za-z]\w*[!@#$%^&*][\w!@#$%^&*?-]*[0-9])(?:[\"' .]|\r?$)",
    ),
    Shape(  # a mapping of YAML on one line
        "assigned-secret",
        _TELLING,
        rf"(?im)^[ \t]*(?:-[ ]+)?[\w.-]+:[ ]*\{{[^{{}}\"'\n]*?\b{_NAME}:[ ]+"
        r"(?P<s>[^\s\"'`,;(){}<>\[\]]{4,})[ ]*[,}]",
    ),
    Shape(  # settings of Redis
        "password-of-user",
        ("requirepass", "masterauth"),
        r"(?im)(?:^[ \t]*|[\s\"'](?:--)?)(?P<n>requirepass|masterauth)[ \t\"',]+(?P<s>[^\s\"',#$]{4,})",
    ),
    Shape(
        "password-of-user",
        ("htpasswd",),
        r"\bhtpasswd[ ]-\w*b\w*[ ]\S+[ ]\S+[ ](?P<s>[^\s\"'$]{4,})",
        Cue.PASSWORD,
    ),
    Shape(  # what basic authentication encodes
        "password-of-user",
        ("getbytes",),
        r"GetBytes\(\s*[$@]*\"[\w.@\\-]{1,64}:(?P<s>[^\s\"'{}]{4,})\"",
        Cue.PASSWORD,
    ),
    Shape(
        "password-in-sql",
        ("identified",),
        r"(?i)\b(?:user|role|login|to)\s+\S+\s+identified(?:[ ]with[ ]\w+)?[ ]+by[ ]+(?:values[ ]+)?\\?\"?"
        r"(?P<s>[^\s\"'`;\\{}<>]{3,})",
        Cue.PASSWORD,
    ),
    Shape(  # netrc, and what is like it
        "password-of-user",
        ("login",),
        r"(?i)\blogin\s+\S+\s+password\s+(?P<s>[^\s\"'`;,]{4,})",
        Cue.PASSWORD,
        any=True,
    ),
    Shape(  # a command that sets a name to a value
        "assigned-secret",
        _TELLING,
        rf"(?im)(?:\bsetx?|\bsecrets?[ ]+set|\bconfig(?:[ ]+set)?|\bdefine|\bglobal|\bput|\badd)[ \t]+"
        r"(?:--?\w+[ =]\S+[ ]+|--?[\w=-]+[ ]+)*"
        rf"[\"']?{_NAME}[\"']?[ \t=]+[\"']?(?P<s>[^\s\"'`;,(){{}}<>]{{4,}})[\"']?",
    ),
    Shape(
        "assigned-secret",
        ("secret",),
        r"(?i)\bsecret[ ]set\b[^\n]*?--value[ =][\"']?(?P<s>[^\s\"'`;]{4,})",
        Cue.SECRET,
    ),
    Shape(  # a remark that says what to use as what
        "assigned-secret",
        _TELLING,
        rf"(?im){_OPENS}[^\n]*?(?P<s>[^\s\"'`<>()]{{8,}})(?:</c>|[\"'`])?[ ]"
        rf"(?:(?:as|is)[ ](?:the[ ]|our[ ]|a[ ]|an[ ])?|\((?:\w+[ ])?){_NAME}",
        weak=False,
    ),
    Shape(
        "assigned-secret",
        ("securestring",),
        r"(?i)ConvertTo-SecureString\s+(?:-String\s+)?[\"'](?P<s>[^\"'\n$]{4,})[\"']",
        Cue.PASSWORD,
    ),
    Shape(
        "assigned-secret",
        ("securestring",),
        r"(?i)[\"'](?P<s>[^\"'\n$]{4,})[\"']\s*\|\s*ConvertTo-SecureString",
        Cue.PASSWORD,
    ),
    Shape(  # environment given to a command
        "assigned-secret",
        _TELLING,
        r"(?m)(?:^|[\s;&\"'`])(?P<n>[A-Z][A-Z0-9_]*(?:PASS|PWD|SECRET|TOKEN|KEY|AUTH|PW)[A-Z0-9_]*)="
        r"(?P<s>'[^'\n]{4,}'|[^\s\"'`;<>(){}$]{4,})(?:[\s\"'`;]|$)",
    ),
    Shape(  # a pair of a name and a value, as of containers
        "assigned-secret",
        _TELLING,
        rf"(?im)\b(?:name|key):[ ]*[\"']?{_NAME}[\"']?[ ]*\r?\n[ \t]*value:[ ]*"
        r"(?P<s>'[^'\n]{4,}'|\"[^\"\n]{4,}\"|[^\s\"'{}]{4,})[ ]*\r?$",
    ),
    Shape(
        "assigned-secret",
        _TELLING,
        rf"(?im){_OPENS}[^\"\n]*?\b{_NAME}[ ](?:<c>|<code>|[`'(])?"
        r"(?P<s>[^\s\"'`,<>()]*[0-9][^\s\"'`,<>()]{4,})",
        weak=False,
    ),
    Shape(  # a remark that says a password in quotes, without a sign between
        "assigned-secret",
        _TELLING,
        rf"(?im){_OPENS}[^\n]*?\b(?P<n>\w*(?:password|passwd|pwd|passphrase|kennwort|pass)):?[ ](?:[\"'`]|<c>)"
        r"(?P<s>[^\s\"'`,<>]{4,})(?:[\"'`]|</c>)",
    ),
    Shape(  # what the scanner of Sonar is given
        "assigned-secret",
        ("sonar.login", "sonar.token"),
        r"(?i)(?:\b|-D)sonar\.(?:login|token)[\"']?[ ]*[:=,][ ]*[\"']?(?P<s>[\w!-]{16,})",
        Cue.SECRET,
    ),
    Shape(  # a remark that says a password without a sign between
        "assigned-secret",
        ("pw ", "pwd ", "password ", "passwd "),
        rf"(?im){_OPENS}[^\"\n]*?\b(?P<m>pw|pwd|password|passwd)[ ](?:is[ ]|was[ ])?"
        r"(?P<s>[a-z]{3,}[0-9]{2,}[!?#$*]*)(?:[\s.,;)]|$)",
        Cue.PASSWORD,
    ),
    Shape(  # a user and a password in Markdown
        "password-of-user",
        ("login", "log in", "credential", "account", "password", "user"),
        r"(?i)\b(?:log[ -]?in|sign[ -]?in|credentials?|creds|accounts?|passwords?|users?)\b[^\n`]{0,30}"
        r"`[\w.@-]{2,40}(?:`(?:[ ]?[/:,|][ ]?|[ ](?:with|and)[ ](?:(?:the[ ])?password[ ])?)`|[:/])"
        r"(?P<s>[^\s`<>{}]{4,})`",
        Cue.PASSWORD,
    ),
    Shape(  # prose of Markdown
        "assigned-secret",
        (
            "password `",
            "pwd `",
            "passphrase `",
            "password: `",
            "password:** `",
            "password** `",
            "kennwort `",
            "passwort `",
        ),
        r"(?i)\b(?P<n>password|pwd|passphrase|kennwort|passwort)(?:\*\*)?:?(?:\*\*)?[ ]`(?P<s>[^\s`]{4,})`",
    ),
    Shape(
        "password-of-user",
        ("login", "log in", "credential", "account", "password", "user"),
        rf"(?im){_OPENS}[^\"\n]*?(?:\b(?:log[ -]?in|sign[ -]?in|credentials?|creds|account|password|user)\b"
        r"[^\"\n/]*?[ :][\w.@-]{2,40}[ ][/:]|\b(?:log[ -]?in|sign[ -]?in)\b[^\"\n/]*?[ :][\w.@-]{2,40}[ ]with)"
        r"[ ](?P<s>[^\s\"'`,<>/]{4,})",
        Cue.PASSWORD,
    ),
    Shape(
        "password-of-user",
        ("login", "credential", "creds"),
        rf"(?im){_OPENS}[^\"\n]*?\b(?:log[ -]?in|credentials?|creds)\b[^\"\n/]*?[ >:(][\w.@-]{{2,40}}[:/]"
        r"(?P<s>[^\s\"'`,<>/]{4,})(?:[\s\"'`,.)]|$)",
        Cue.PASSWORD,
    ),
    Shape(
        "assigned-secret",
        PASSWORD_IN_OTHER_TONGUES,
        rf"(?i)(?:{'|'.join(PASSWORD_IN_OTHER_TONGUES)})[\w ()]{{0,20}}?[ ]?[:=：][ ]?[\"'`]?"
        r"(?P<s>[!#-&(-+./0-:=?-_a-~-]{4,})",
        Cue.PASSWORD,
    ),
    Shape(
        "password-of-user",
        ("admin", "root", "guest", "test", "sa /"),
        rf"(?im){_OPENS}[^\"\n]*?\b(?:admin|root|guest|test|sa|user)[ ]?[:/][ ]?(?P<s>[^\s\"'`,<>/]{{5,}})",
        Cue.SECRET,
    ),
    Shape("assigned-secret", _TELLING, rf"(?i)<{_NAME}(?:\s[^<>\n]*)?>\s*(?P<s>[^\s<>]{{4,}})\s*</"),
    Shape(
        "assigned-secret",
        ("name", "key"),
        rf"(?i)\b(?:name|key)\s?=\s?[\"']{_NAME}[\"'][^<>\n]*>\s*(?:<value[^<>\n]*>)?\s*(?P<s>[^<>\s][^<>\n]{{2,}}[^<>\s])\s*</",
    ),
    Shape(
        "assigned-secret",
        _TELLING,
        rf"(?im)^[ \t]*(?:(?:///?|#|;|\*|--|REM|export|set|ENV|ARG|-)[ \t]+){{0,3}}\$?{_NAME}[ \t]*[=:][ \t]*"
        r"(?:[>|][+-]?[ \t]*\r?\n[ \t]*|!!\w+[ ]+)?"
        r"(?P<s>'(?:[^'\n]|''){4,}'|[^\s\"'`;,(){}<>\[\]]{4,})[ \t]*(?:#[^\n]*)?\r?$",
    ),
    Shape(
        "assigned-secret",
        (*_TELLING, "pw", "pin"),
        rf"(?im){_REMARK}(?:{_NAME}|(?P<m>pw|pin))"
        r"(?:[ ][\w()./-]{1,20}){0,4}?[ ]?(?:\bis\b|\bwas\b|[=:]|->|=>)[ ]{0,3}"
        rf"{_SAID}(?P<s>[^\s\"'`,<>]{{4,}})",
    ),
    Shape("assigned-secret", _TELLING, rf"(?i)[\s\"'`]--?{_NAME}[ =]+[\"']?(?P<s>[^\s\"'`,;<>{{}}\\]{{4,}})"),
)
