"""Secrets in commands, statements of SQL and scripts: by the switch or the word that they follow."""

from __future__ import annotations

from services.prompt.secrets.judging.names import Likelihood
from services.prompt.secrets.shapes.shape import NAME, TELLING, Shape

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
