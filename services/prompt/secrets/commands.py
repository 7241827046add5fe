"""Secrets in commands, statements of SQL and scripts, comments, messages and prose: by the switch or the words
before or behind them.
"""

from __future__ import annotations

from services.prompt.secrets.judging.names import Likelihood
from services.prompt.secrets.shape import KEY_OF_NOTHING, NAME, TELLING, Shape

COMMAND_SHAPES: tuple[Shape, ...] = (
    Shape(  # commands that take a password by a switch of their own
        "password-of-user",
        (
            "sqlcmd",
            "osql",
            "sshpass",
            "psexec",
            "signtool",
            "-passin",
            "-passout",
            "certutil",
            "redis-cli",
            "mysql",
            " -pw ",
            "7z ",
            '7z",',
            '7z.exe"',
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
        r"|\bsshpass[\"', ]+-p[ ]?|\bcertutil(?:\.exe)?\b[^\n]*?[ \"']-p[ ]|\bmysql\w*\b[^\n]*?[ \"']-p"
        r"|\bsigntool(?:\.exe)?\b[^\n]*?[ \"']/p[ ]|-pass(?:in|out)?[ ]\"?pass:|\bredis-cli\b[^\n]*?[ \"']-a[ ]"
        r"|\b(?:az|docker|podman|helm|oc|skopeo|buildah|nerdctl|acr|cf)[ ]login\b[^\n]*?[ \"']-p[ =]"
        r"|\bnet(?:\.exe)?\b[^\n]*?[ ]/user:\S+[ ]|[ ]/(?:pass|password|pwd):|\bschtasks\b[^\n]*?[ \"']/rp[ ]"
        r"|\b(?:sqlplus|impdp|expdp|sqlldr)\b[^\n\"']*?[ ][\w$]+/"
        r"|\b(?:plink|pscp|psftp|putty|kitty)\b[^\n]*?[ ]-pw[ ]|\b7za?(?:\.exe)?[\"', ]+[^\n]*?[ \"']-p)"
        r"(?P<s>'[^'\n]{3,}'|\"[^\"\n]{3,}\"|[^\s\"'`]{3,})",
        Likelihood.PASSWORD,
        any=True,
    ),
    Shape(  # an account that is made
        "password-of-user",
        ("net user", "net.exe user"),
        r"(?i)\bnet(?:\.exe)?[ ]user[ ][\w.-]{1,40}[ ](?P<s>[^\s\"'/*$%][^\s\"']{2,})",
        Likelihood.PASSWORD,
        any=True,
    ),
    Shape(  # a file that is encrypted
        "password-of-user",
        ("openssl",),
        r"\bopenssl[ ](?:enc|aes|des)\S*[ ][^\n]*?-k[ ][\"']?(?P<s>[^\s\"'`$]{3,})",
        Likelihood.PASSWORD,
        any=True,
    ),
    Shape(  # a share that is connected
        "password-of-user",
        ("/user:",),
        r"(?i)\buse[ ]+(?:\w:[ ]+)?\\+[^\s\"]+[ ]+(?P<s>[^\s\"'/]{3,})[ ]+/user:",
        Likelihood.PASSWORD,
        any=True,
    ),
    Shape(  # a user and a password as some clients write them
        "password-of-user",
        ("lftp", "smbclient", "ldapsearch", "ldapmodify", "ldapadd", "ldappasswd"),
        r"\b(?:lftp\b[^\n]*?[ ]-u[ ][\w.@-]{1,64},|smbclient\b[^\n]*?[ ]-U[ ][\w.@\\-]{1,64}%"
        r"|ldap(?:search|modify|add|passwd)\b[^\n]*?[ ]-w[ ])(?P<s>'[^'\n]{4,}'|[^\s\"'`$]{4,})",
        Likelihood.PASSWORD,
        any=True,
    ),
    Shape(
        "password-of-user",
        ("-u ", "--user"),
        r"(?:-u|--user)[ =]\"?'?[\w.@-]{1,64}:(?P<s>[^\s\"'`]{4,})",
        Likelihood.PASSWORD,
        any=True,
    ),
    Shape(  # a command that takes a user and a password by short switches
        "password-of-user",
        ("-u ", '"-u"'),
        r"(?:[ \"'](?:-u|-U|--user(?:name)?)(?:[ =]|\",\s?\")[\w.@\\-]{1,64}(?:[ ]|\",\s?\")"
        r"(?:-p|-P|-w|--pass(?:word)?)(?:\",\s?\"|[ =]?))"
        r"(?P<s>'[^'\n]{3,}'|[0-9]*[^\s\"'`<>{}$0-9][^\s\"'`<>{}$]{2,})",
        Likelihood.PASSWORD,
    ),
    Shape(
        "password-in-sql",
        ("identified", "password"),
        r"(?i)\b(?:identified(?:[ ]with[ ]\w+)?[ ]+by|with[ ](?:encrypted[ ])?password|set[ ]password[^\n']*?|password)"
        r"(?:[ ]*=?[ ]+(?:N|0x)?|[ ]*\()'(?P<s>[^'\r\n]{3,})'",
        Likelihood.PASSWORD,
        any=True,
    ),
    Shape(
        "password-of-user",
        ("sudo -s",),
        r"\becho[ ][\"']?(?P<s>[^\s\"'|$]{4,})[\"']?[ ]*\|[ ]*sudo[ ]-S",
        Likelihood.PASSWORD,
    ),
    Shape(
        "password-of-user",
        ("chpasswd",),
        r"\becho[ ]\\?[\"']?[\w.-]+:(?P<s>[^\s\"'|$\\]{4,})\\?[\"']?[ ]*\|[ ]*chpasswd",
        Likelihood.PASSWORD,
    ),
    Shape(
        "password-in-sql",
        ("sp_addlogin",),
        r"(?i)\bsp_addlogin[ ]+(?:@\w+[ ]*=[ ]*)?N?'[^']*',[ ]*(?:@\w+[ ]*=[ ]*)?N?'(?P<s>[^'\n]{3,})'",
        Likelihood.PASSWORD,
        any=True,
    ),
    Shape(  # the last of five arguments
        "password-in-sql",
        ("sp_addlinkedsrvlogin",),
        r"(?i)\bsp_addlinkedsrvlogin[ ]+(?:[^,;\n]*,){4}[ ]*(?:@\w+[ ]*=[ ]*)?N?'(?P<s>[^'\n]{3,})'",
        Likelihood.PASSWORD,
        any=True,
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
        Likelihood.PASSWORD,
    ),
    Shape(
        "password-in-sql",
        ("identified",),
        r"(?i)\b(?:user|role|login|to)\s+\S+\s+identified(?:[ ]with[ ]\w+)?[ ]+by[ ]+(?:values[ ]+)?\\?\"?"
        r"(?P<s>[^\s\"'`;\\{}<>]{3,})",
        Likelihood.PASSWORD,
    ),
    Shape(  # netrc, and what is like it
        "password-of-user",
        ("login",),
        r"(?i)\blogin\s+\S+\s+password\s+(?P<s>[^\s\"'`;,]{4,})",
        Likelihood.PASSWORD,
        any=True,
    ),
    Shape(  # a command that sets a name to a value
        "assigned-secret",
        TELLING,
        rf"(?im)(?:\bsetx?|^[ \t]*env|\bsecrets?[ ]+set|\bconfig(?:[ ]+set)?|\bdefine|\bglobal|\bput|\badd)[ \t]+"
        r"(?:--?\w+[ =]\S+[ ]+|--?[\w=-]+[ ]+)*"
        rf"[\"']?{NAME}[\"']?[ \t=]+[\"']?(?P<s>[^\s\"'`;,(){{}}<>]{{4,}})[\"']?",
    ),
    Shape(
        "assigned-secret",
        ("secret",),
        r"(?i)\bsecret[ ]set\b[^\n]*?--value[ =][\"']?(?P<s>[^\s\"'`;]{4,})",
        Likelihood.SECRET,
    ),
    Shape(
        "assigned-secret",
        ("securestring",),
        r"(?i)ConvertTo-SecureString\s+(?:-String\s+)?[\"'](?P<s>[^\"'\n$]{4,})[\"']",
        Likelihood.PASSWORD,
    ),
    Shape(
        "assigned-secret",
        ("securestring",),
        r"(?i)[\"'](?P<s>[^\"'\n$]{4,})[\"']\s*\|\s*ConvertTo-SecureString",
        Likelihood.PASSWORD,
    ),
    Shape(  # environment given to a command
        "assigned-secret",
        TELLING,
        r"(?m)(?:^|[\s;&\"'`])(?P<n>[A-Z][A-Z0-9_]*(?:PASS|PWD|SECRET|TOKEN|KEY|AUTH|PW)[A-Z0-9_]*)="
        r"(?P<s>'[^'\n]{4,}'|[^\s\"'`;<>{}$]{4,})(?:[\s\"'`;]|$)",
        needs="[A-Z0-9_]=",
    ),
    Shape(  # the key of a file of SQLite
        "password-in-sql",
        ("pragma key", "pragma rekey"),
        r"(?i)\bpragma[ ](?:re)?key[ ]*=[ ]*(?:'|\\\"|\"\")(?P<s>[^'\"\\\n]{4,})(?:'|\\\"|\"\")",
        Likelihood.PASSWORD,
        any=True,
    ),
    Shape(  # what a modem is told to join a network with
        "password-of-user",
        ("+cwjap", "+cpin="),
        r"(?i)\+(?:CWJAP\w*=\\?\"[^\"\\\n]*\\?\",|CPIN=)\\?\"?(?P<s>[^\s\"\\,{}]{4,})",
        Likelihood.PASSWORD,
        any=True,
    ),
    Shape(  # what a protocol of lines logs in with
        "password-of-user",
        ('"pass ', "login ", "identify "),
        r"(?:\"PASS|\"(?:\w{1,4}[ ])?LOGIN[ ]\S{1,64}|\bIDENTIFY)[ ](?P<s>[^\s\"\\{}]{4,})(?:\\[rn]|\")",
        Likelihood.PASSWORD,
    ),
    Shape(  # what a vault of Ansible encrypts
        "assigned-secret",
        ("ansible-vault",),
        r"\bansible-vault\b[^\n]{0,40}?\bencrypt_string[ ](?:--?\S+[ ])*[\\\"']+(?P<s>[^\s\\\"'{}]{4,})[\\\"']",
        Likelihood.PASSWORD,
    ),
    Shape(  # what the scanner of Sonar is given
        "assigned-secret",
        ("sonar.login", "sonar.token"),
        r"(?i)(?:\b|-D)sonar\.(?:login|token)[\"']?[ ]*[:=,][ ]*[\"']?(?P<s>[\w!-]{16,})",
        Likelihood.SECRET,
    ),
)


_OPENS = r"(?:(?:^|[^:\w])//|/\*|^[ \t]*[*']|#|<!--)"
_IS_OPENED = r"(?m)//|/\*|^[ \t]*[*']|#|<!--"
_REMARK = rf"(?:{_OPENS}|--)[^\"\n]*?\b"
_PASSWORD = ("password", "passwd", "pwd", "passphrase", "kennwort", "passwort")
_IN_PASSWORD = r"[\w!@#$%^&*?+=.-]"
_OF_TESTS = (
    "test account", "demo account", "dev account", "admin account", "test user", "demo user", "dev user", "admin user",
)  # fmt: skip
_SAID = r"(?:<c>|<code>)?[\"'`]?"

PASSWORD_IN_OTHER_TONGUES = (
    "mot de passe", "пароль", "contraseña", "contrasena", "senha", "wachtwoord", "lösenord", "hasło", "heslo",
    "salasana", "parola", "şifre", "密码", "密碼", "口令", "パスワード", "비밀번호", "jelszó", "adgangskode", "passord",
)  # fmt: skip
"""What comments call a password that are not in English or German."""

REMARK_SHAPES: tuple[Shape, ...] = (
    Shape(  # what a message says
        "assigned-secret",
        ("password", "passwd", "pwd", "passphrase"),
        r"(?im)\b(?P<n>password|passwd|pwd|passphrase):?[ ](?:is[ ]|was[ ])?"
        rf"(?P<s>[A-Za-z!@#$%^&*]+[0-9]{_IN_PASSWORD}*[A-Za-z!@#$%^&*?]{_IN_PASSWORD}*"
        rf"|[A-Za-z]\w*[!@#$%^&*]{_IN_PASSWORD}*[0-9]|[0-9]{_IN_PASSWORD}*[A-Z]{_IN_PASSWORD}*[a-z]{_IN_PASSWORD}*"
        rf"|[A-Z][a-z]{{3,}}[0-9]{{2,4}}|[a-z]{{4,}}[0-9]{{2,4}})(?:[\"' .,]|\r?$)",
    ),
    Shape(  # a message that says who could not log in with what
        "password-of-user",
        ("login ", "logon failed", "sign-in failed", "authentication "),
        r"(?im)\b(?:login|logon|sign-in|authentication)[ ](?:\w+[ ]){1,3}?(?:for|of|as|by|with)[ ]"
        r"(?:user[ ]|account[ ])?[\"'`]?[\w.@\\-]{1,40}[\"'`]?(?:[ ]?[/:|][ ]?|[ ]with[ ])"
        r"[\"'`]?(?P<s>[^\s\"'`,;<>{}/]{4,})(?:[\"'`.,;)]|[ ]*\r?$|[ ][(\[])",
        Likelihood.SECRET,
    ),
    Shape(  # a remark that says what to use as what
        "assigned-secret",
        TELLING,
        rf"(?im){_OPENS}[^\n]*?(?P<s>[^\s\"'`<>()]{{8,}})(?:</c>|[\"'`])?[ ]"
        rf"(?:(?:as|is)[ ](?:the[ ]|our[ ]|a[ ]|an[ ])?|\((?:\w+[ ])?){NAME}",
        weak=False,
        needs=_IS_OPENED,
    ),
    Shape(  # a remark that says what to use as the password
        "assigned-secret",
        _PASSWORD,
        rf"(?im){_OPENS}[^\n]*?(?P<s>[^\s\"'`<>()]{{4,}})[\"'`]?"
        rf"[ ](?:as|is)[ ](?:the|our|a|my)[ ](?P<n>{'|'.join(_PASSWORD)})\b",
        needs=_IS_OPENED,
    ),
    Shape(  # a remark that names a user before the password
        "password-of-user",
        ("pass ", "pw ", "pwd ", "password "),
        rf"(?im){_OPENS}[^\"\n]*?\b(?:user|username|login)[ ][\w.@\\-]{{1,40}},?"
        r"[ ](?:and[ ]|with[ ])?(?:pass|pw|pwd|password)[ ]"
        r"(?P<s>[^\s\"'`,<>]{4,})",
        Likelihood.PASSWORD,
        needs=_IS_OPENED,
    ),
    Shape(
        "assigned-secret",
        TELLING,
        rf"(?im){_OPENS}[^\"\n]*?\b{NAME}[ ](?:<c>|<code>|[`'(])?"
        r"(?P<s>[^\s\"'`,<>()]*[0-9][^\s\"'`,<>()]{4,})",
        weak=False,
        shown=KEY_OF_NOTHING,
        needs=_IS_OPENED,
    ),
    Shape(  # a remark that says a password in quotes, without a sign between
        "assigned-secret",
        ("pass", "pwd", "kennwort"),
        rf"(?im){_OPENS}[^\n]*?\b(?P<n>\w*(?:password|passwd|pwd|passphrase|kennwort|pass)):?[ ](?:[\"'`]|<c>)"
        r"(?P<s>[^\s\"'`,<>]{4,})(?:[\"'`]|</c>)",
        needs=_IS_OPENED,
    ),
    Shape(  # the same: a password may have blanks
        "assigned-secret",
        _PASSWORD,
        rf"(?im){_OPENS}[^\n]*?\b(?P<n>\w*(?:{'|'.join(_PASSWORD)}))(?:[ ]?[:=]|[ ]is|[ ]was)?[ ]"
        r"[\"'`](?P<s>[^\s\"'`<>]+(?:[ ][^\s\"'`<>]+){1,5})[\"'`]",
        needs=_IS_OPENED,
    ),
    Shape(  # words with capitals and a number at the end of a remark
        "assigned-secret",
        _PASSWORD,
        rf"(?m){_OPENS}[^\n]*?\b(?P<n>\w*(?i:{'|'.join(_PASSWORD)}))(?:[ ]?[:=]|[ ]is|[ ]was)[ ]"
        r"(?P<s>[A-Z][a-z]{2,}(?:[ ][A-Z][a-z]{2,}){1,4}[ ][0-9]{1,4}[!?]?)[ .]*(?:</|\*/|\r?$)",
        needs=_IS_OPENED,
    ),
    Shape(  # a remark that says a password without a sign between
        "assigned-secret",
        ("pw ", "pwd ", "password ", "passwd "),
        rf"(?im){_OPENS}[^\"\n]*?(?:\b|_)(?P<m>pw|pwd|password|passwd)[ ](?:is[ ]|was[ ])?"
        r"(?P<s>[a-z]{3,}[0-9]{2,}[!?#$*]*)(?:[\s.,;)]|$)",
        Likelihood.PASSWORD,
        needs=_IS_OPENED,
    ),
    Shape(  # a key of hexadecimal digits at the beginning of a remark
        "assigned-secret",
        ("key=", "key =", "key:"),
        rf"(?im){_OPENS}[ \t*!-]*(?:(?:the|my|our|old|new|test|prod|live)[ ])?(?P<n>key)[ ]?[=:][ ]?"
        r"(?P<s>[0-9a-f]{32}(?:[0-9a-f]{8}){0,4}(?:[0-9a-f]{32}){0,2})(?:[\s.,;*]|$)",
        Likelihood.SECRET,
        needs=_IS_OPENED,
    ),
    Shape(  # a user and a password in Markdown
        "password-of-user",
        ("login", "log in", "credential", "account", "password", "user"),
        r"(?i)\b(?:log[ -]?in|sign[ -]?in|credentials?|creds|accounts?|passwords?|users?)\b[^\n`]{0,30}"
        r"`[\w.@-]{2,40}(?:`(?:[ ]?[/:,|][ ]?|[ ](?:with|and)[ ](?:(?:the[ ])?password[ ])?)`|[:/])"
        r"(?P<s>[^\s`<>{}]{4,})`",
        Likelihood.PASSWORD,
        needs="`",
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
        Likelihood.PASSWORD,
        needs=r"(?i)[ ](?:[/:]|with)[ ]",
    ),
    Shape(
        "password-of-user",
        ("login", "credential", "creds", *_OF_TESTS),
        rf"(?im){_OPENS}[^\"\n]*?\b(?:log[ -]?in|credentials?|creds|{'|'.join(_OF_TESTS)})\b"
        r"[^\"\n/]*?[ >:(][\w.@-]{2,40}[:/]"
        r"(?P<s>[^\s\"'`,<>/]{4,})(?:[\s\"'`,.)]|$)",
        Likelihood.PASSWORD,
        needs=_IS_OPENED,
    ),
    Shape(
        "assigned-secret",
        PASSWORD_IN_OTHER_TONGUES,
        rf"(?i)(?:{'|'.join(PASSWORD_IN_OTHER_TONGUES)})[\w ()]{{0,20}}?[ ]?[:=：][ ]?[\"'`]?"
        r"(?P<s>[!#-&(-+./0-:=?-_a-~-]{4,})",
        Likelihood.PASSWORD,
    ),
    Shape(  # a user and a password with a stroke between them
        "password-of-user",
        ("admin /", "root /", "sa /"),
        rf"(?im){_OPENS}[^\"\n]*?\b(?:admin|root|sa)[ ]/[ ](?P<s>[^\s\"'`,<>/]*[0-9!@#$%][^\s\"'`,<>/]*)",
        Likelihood.PASSWORD,
        needs=_IS_OPENED,
    ),
    Shape(
        "password-of-user",
        ("admin", "root", "guest", "test", "sa /", " sa/"),
        rf"(?im){_OPENS}[^\"\n]*?\b(?:admin|root|guest|test|sa|user)[ ]?[:/][ ]?(?P<s>[^\s\"'`,<>/]{{5,}})",
        Likelihood.SECRET,
        needs=_IS_OPENED,
    ),
    Shape(
        "assigned-secret",
        (*TELLING, "pw", "pin", "psk"),
        rf"(?im){_REMARK}(?:{NAME}|(?P<m>pw|pin|psk))"
        r"(?:[ ][\w()./-]{1,20}){0,4}?[ ]?(?:\bis\b|\bwas\b|\blautet\b|\bist\b|[=:]|->|=>)[ ]{0,3}"
        rf"{_SAID}(?P<s>[^\s\"'`,<>]{{4,}})",
        shown=KEY_OF_NOTHING,
    ),
)
