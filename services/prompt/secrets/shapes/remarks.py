"""Secrets in comments, messages and prose: by the words before or behind them."""

from __future__ import annotations

from services.prompt.secrets.judging.names import Likelihood
from services.prompt.secrets.shapes.shape import KEY_OF_NOTHING, NAME, TELLING, Shape

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
