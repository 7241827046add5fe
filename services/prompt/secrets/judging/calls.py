"""Calls that are given secrets, or talk about them, by their names."""

from __future__ import annotations

from services.concurrency.lazy import expression
from services.prompt.secrets.patterns import compiled, word_list

_COMPARING = word_list(
    "equals compare compareto compareordinal "
    "fixedtimeequals sequenceequal startswith isequalto verify areequal ensure add tryadd"
)
_TALKING = expression(
    r"(?i)(?:log|write|print|throw|exception|message|error|warn|debug|trace|info|format|append|localiz|translate|resource"
    r"|nameof|argument|validate|display|description|label|section|getvalue|getstring|getenvironment|getsection|contains"
    r"|replace|split|match|regex|combine|indexof|remove|trim|parameter|expect|should|has|get|find|select|query|map|"
    r"configure|option|policy|route|read|skip|accept|consume|token\b|tokenize|parse)"
)
_DERIVING = expression(
    r"(?i)scrypt\.\w+$|argon2\w*(?:\.(?:hash|derive|generate)\w*)?$|rfc2898derivebytes|passwordderivebytes|pbkdf2|derivekey\w*|(?:sha|md5|aes|des)\w*(?:authentication|privacy)provider"
)
_HASHING = expression(r"(?i)hmac\w*\.(?:try)?hashdata\w*$")
_LOGIN = (
    r"(?i)(?:credentials?|log[io]n(?:async|model|request|dto|info|command|data)?|sign[io]n(?:async)?"
    r"|authenticate(?:async)?|authenticator|passwordauthenticationmethod|\w*connectioninfo|useraccount|createasync"
    r"|(?:\w*(?:ssh|scp|ftp|imap|pop3|telnet|winrm))client|ldapconnection|addpasswordasync|passwordsign[io]n(?:async)?"
    r"|(?:add|check|reset|change|set|remove|hash|verify|update|with|use|encrypt|validate|create|confirm)\w*password(?:async)?"
    r"|validate(?:user|credentials?)|\w*ldap\w*\.bind(?:async)?|(?:wi-?fi|rcon|mqtt|telnet|vnc|rdp)\w*\.connect\w*|mqttconnect\w*|useridentity|impersonat\w*|runas\w*|\w*usernametoken|(?:pgp|gpg|zip|pdf)\w*(?:en|de)cryptor|logonuser|principalcontext"
    r"|directoryentry|\w*auth(?:provider|methodinfo)|auth\w*\.basic|\w*basicauth\w*|usehttps|x509certificate2?"
    r"|getconnection|mysqli?_connect|\w*(?:import|load|add|export)(?:pfx|pkcs12|keystore)\w*|keystore\.load"
    r"|(?:cipher|crypto|aes|encrypt\w*|decrypt\w*)\w*\.(?:en|de)crypt\w*|(?:un)?protect|\w*securestring\w*|(?:set|write|put|store|save|create)\w*secret(?:async)?|privatekeyfile"
    r"|\w*encryptedpem(?:file)?|\w*encryptedpkcs8\w*|(?:pgp|zip|pdf)\w*\.\w*(?:en|de)crypt\w*|pdf\w*\.open|pdfreader|(?:en|de)crypt(?:string|text|file|bytes|data)?"
    r"|jwt\w*\.(?:(?:en|de)code\w*|sign|verify)|(?:request|acquire|get)\w*password(?:token|grant)(?:async)?|pfx|pkcs12(?:store)?|(?:archive|sevenzip)\w*\.open|sevenzipextractor|totp|hotp|appendchar|un(?:lock|seal)(?:async)?)$"
)
_OF_GAME = expression(
    r"(?i)(?:achievement|badge|trophy|level|stage|feature|item|skin|reward|content|mission|door|gate|chest|room|mutex|map)\w*\.(?:try)?un\w+\Z"
)
"""Where what is unlocked is something to be had, by its name."""
_KEYED = (
    r"(?i)^(?:hmac(?:sha)?\w*|symmetricsecuritykey|signingcredentials|\w*keycredential|\w*secretcredential"
    r"|rfc2898derivebytes|authenticationheadervalue|sendgridclient|stripeclient|telegrambotclient|totp|hotp|openaiclient"
    r"|\w*credentials?|usebearertoken|secret|fromsubscription|setbasicauthentication|setbearertoken|useapikey"
    r"|(?:with|add|set|use|register)\w*(?:token|key|secret|password|licen[sc]e))$"
)
_CIPHER = expression(
    r"(?i)\b(?:(?:aes|blowfish|twofish|rc4|fernet|xxtea|x?chacha20)\w*|secretbox|secretaead\w*)(?:\.\w+)?\Z"
)
_OF_SECRETS = expression(r"(?i)(?:secrets?|credentials?)(?:store|vault|safe|manager)\Z")
_OF_NO_SECRET = expression(
    r"(?i)(?:id|name|user|ur[il]|host|port|region|e?mail|endpoint|server|domain|tenant)\"\s*,\s*\Z"
)
_COMPARED_KEY = expression(
    r"(?i)\bkey\s*(?:[!=]=|\.(?:Sequence)?Equals\(|is(?:\s+not)?\b)\s*\Z|\bEquals\(\s*\w*key\s*,\s*\Z"
)
_HEX_KEY = expression(r"[0-9a-f]{32,128}|[0-9A-F]{32,128}")
_SIGNING = expression(
    r"(?i)(?:compute|create|generate|calculate|make|get)?(?:sign|hmac)(?:data|payload|request|message|string|url|body|ature|sha\d+)?"
    r"(?:async)?"
)
_OF_LOGIN = expression(r"(?i)(?:\A|_|(?-i:(?<=[a-z])(?=[A-Z])))(?:auth|login|account|credentials?)\Z")
_OF_USER = expression(r"(?:\A|[\w.])(?:User|Account)\Z")
_ADDING = word_list("add tryadd set put store save setitem")
_CONNECTING = expression(r"(?i)(?:\A|\.)(?:connect(?:async)?|\w*smtp\w*)\(?\Z")


def takes_credentials(name: str) -> bool:
    """Whether a call of that name takes secrets, even if its name suggests something else."""
    return (
        is_login(name)
        or is_deriving(name)
        or is_keyed(name)
        or hashes_with_key(name)
        or is_connecting(name)
        or is_of_user(name)
        or is_signing(name.rpartition(".")[2])
    )


def is_login(name: str) -> bool:
    """Whether the last arguments of such a call are what somebody makes up, as passwords."""
    return compiled(_LOGIN).search(name.encode()) is not None and _OF_GAME.search(name) is None


def is_of_login(name: str) -> bool:
    """Whether what is called so is made of a user and a password."""
    return _OF_LOGIN.search(name) is not None


def is_connecting(name: str) -> bool:
    """Whether such a call may be given a password behind a server and a user."""
    return _CONNECTING.search(name) is not None


def is_of_user(name: str) -> bool:
    """Whether such a call makes a user, who may be given a password behind a name."""
    return _OF_USER.search(name) is not None and not is_talking(name.rpartition(".")[2])


def is_deriving(name: str) -> bool:
    """Whether such a call makes a key of a password."""
    return _DERIVING.search(name) is not None


def hashes_with_key(name: str) -> bool:
    """Whether the first argument of such a call is a key."""
    return _HASHING.search(name) is not None


def is_keyed(name: str) -> bool:
    """Whether what such a call is given is a key or a token."""
    return (
        compiled(_KEYED).search(name.rpartition(".")[2].encode()) is not None
        or _CIPHER.search(name) is not None
    )


def is_signing(name: str) -> bool:
    """Whether what such a call is given behind what it signs is a key."""
    return _SIGNING.fullmatch(name) is not None


def is_adding(name: str) -> bool:
    """Whether such a call puts a value under a key into what it is called of."""
    return name.lower() in _ADDING


def is_comparing(name: str) -> bool:
    """Whether such a call compares one argument with another."""
    return name.lower() in _COMPARING


def keeps_secrets(holder: str, before: str) -> bool:
    """Whether what is put under a key into something of that name is a secret, weak ones too. `before`: the arguments
    before it."""
    return _OF_SECRETS.search(holder) is not None and _OF_NO_SECRET.search(before) is None


def is_compared_key(before: str, value: str) -> bool:
    """Whether something called a key is compared with a text that no key of a dictionary is."""
    return _HEX_KEY.fullmatch(value) is not None and _COMPARED_KEY.search(before) is not None


def is_talking(name: str) -> bool:
    """Whether such a call is given words about something, and not the thing."""
    return _TALKING.match(name) is not None


_ALONE = expression(
    r"(?i)protect\Z|securestring\w*\Z|hash\w*password(?:async)?\Z|un(?:lock|seal)(?:async)?\Z|encryptedpkcs8\w*\Z"
)
"""Calls whose first argument is a password."""
_BEHIND_ADDRESS = expression(r"\A\s*[$@]*\"https?://[^\"\n]*\"\s*,\s*[^,()]{2,60},\s*\Z")
"""Arguments before a password: an address and a user."""
_TEXTS = expression(r"\"(?:[^\"\\\n]|\\.)*\"")
_OF_DOMAIN, _TWO_BEFORE = expression(r"NetworkCredential\Z"), expression(r"(?:[^,:(){}]+,){2}\s*")
"""The call whose third argument is a domain, and what stands before that."""
_BEHIND_SERVER = expression(
    r"\A\s*(?:[$@]*\"[^\"\n]*\"|[^,()\"]{1,60})\s*,\s*(?:\d{2,5}\s*,\s*)?(?:(?!\s*\d+\s*,)(?:[$@]*\"[^\"\n]{1,60}\"|[^,()\"]{1,60}))\s*,\s*\Z"
)
"""Arguments before a password: a server, its port, a user."""
_NAMED_OTHERWISE = expression(
    r"(?i)\b(?:user|user_?name|login|name|host|server|domain|scheme|realm|role|e?mail|url)\s*[:=]\s*\Z"
)
"""An argument, or a parameter with its default, that says that it is no password."""
_BEHIND_PASSWORD = expression(r"(?i)(?:password|passwd|pwd|pass)\s*,\s*\Z")
"""Arguments of which the last is the password, so that what follows is something else."""
_CHANGING = expression(r"(?i)change\w*password(?:async)?\Z")
"""Calls whose first argument may be the password that was."""
_OF_CERTIFICATE = expression(r"(?i)(?:\bpfx|pkcs12|\.pfx\"|\.p12\")[^,]*,\s*\Z")


def is_made_up_argument(called: str, arguments: str) -> bool:
    """Whether an argument behind others is a password: of a login, or next to a certificate file."""
    first = "," not in _TEXTS.sub('""', arguments)
    if _NAMED_OTHERWISE.search(arguments) is not None:
        return False
    if (
        _OF_DOMAIN.search(called) is not None
        and _TWO_BEFORE.fullmatch(_TEXTS.sub('""', arguments)) is not None
    ):
        return False
    if _OF_CERTIFICATE.search(arguments) is not None:
        return True
    if _BEHIND_ADDRESS.search(arguments) is not None:
        return True
    if is_connecting(called) and _BEHIND_SERVER.search(arguments) is not None:
        return True
    if _CHANGING.search(called) is not None:
        return True
    if _BEHIND_PASSWORD.search(arguments) is not None:
        return False
    return is_login(called) and (not first or _ALONE.search(called) is not None)
