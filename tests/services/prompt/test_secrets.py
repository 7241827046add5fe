"""Likely secrets are found where they stand, samples and public things are not, and masking tells nothing of them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.prompt.secrets.finding import find_secrets
from services.prompt.secrets.masking import Masker
from services.prompt.vault import FILE, Vault
from services.source.text.placeholder import placeholders_in
from tests.services.prompt.secrets_samples import ASSIGNED, PEM, SECRETS
from tests.services.prompt.support import MemoryFiles

KEY = bytes(range(32))
MASKER = Masker(KEY)


def kinds(text: str) -> list[str]:
    return [found.kind for found in find_secrets(text.encode())]


@pytest.mark.parametrize(("kind", "secret"), SECRETS.items())
@pytest.mark.parametrize("around", ["{}", 'var x = "{}";', "<a>{}</a>", "x: {}\n", "// see {} there"])
def test_formats_that_issuers_publish_are_found(kind: str, secret: str, around: str) -> None:
    text = around.format(secret)
    assert kinds(text) == [kind]
    assert secret not in MASKER.text(text)


@pytest.mark.parametrize(
    "text",
    [
        'const string ApiKey = "{}";',
        'private static readonly string _clientSecret = @"{}";',
        '"Password": "{}",',
        "'api_key': '{}'",
        'options["Token"] = "{}";',
        'new Login(user, password: "{}")',
        'if (password == "{}")',
        'client.SetPassword("{}");',
        '<add key="Smtp.Password" value="{}" />',
        "<Password>{}</Password>",
        "DB_PASSWORD={}",
        "export NPM_TOKEN={}",
        "  password: {}",
        "Server=db;Database=a;User Id=sa;Password={};",
        "Server=db;User=sa;Pwd={}",
        "https://ada:{}@host.test/repo.git",
        "amqp://ada:{}@host.test:5672/",
    ],
)
def test_what_is_given_to_a_telling_name_is_found(text: str) -> None:
    secret = ASSIGNED.replace("#", "") if "://" in text else ASSIGNED
    assert len(kinds(text.format(secret))) == 1, text
    assert secret not in MASKER.text(text.format(secret))


@pytest.mark.parametrize(
    "text",
    [
        'var token = "cancellation_token_2";',
        'const string Secret = "Microsoft.Extensions.Configuration2";',
        'Guid accessKey = new("6F9619FF-8B86-D011-B42D-00C04FC964FF");',
        'string ApiKey = "6F9619FF-8B86-D011-B42D-00C04FC964FF";',
        'var passwordHash = "5f4dcc3b5aa765d61d8327deb882cf99";',
        "PublicKeyToken=b77a5c561934e089",
        'Password = "your-password-here1"',
        'apiKey = "${API_KEY_2}"',
        'token = "{0}:{1}:{2}9x"',
        'o.SelectToken("[1].Property2[1][0]")',
        "https://user:password@host.test/",
        "https://user:{password}@host.test/",
        "AKIAIOSFODNN7" + "EXAMPLE",
        'Assert.Equal("MZXW6YTBOI======", Base32.Encode(data));',
        'const string Sha = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";',
        "Server=db;Database=a;User Id=sa;Password=<password>;",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "CancellationToken cancellationToken = default",
        'const string TokenKey = "AuthenticationToken1";',
    ],
)
def test_words_samples_and_public_things_are_left_alone(text: str) -> None:
    assert kinds(text) == []
    assert MASKER.mask(text).text == text


def test_a_private_key_is_masked_whole_and_lines_keep_their_numbers() -> None:
    text = f"before\n{PEM}\nafter\n"
    masked = MASKER.mask(text)
    assert masked.text.count("\n") == text.count("\n")
    assert masked.text.split("\n")[5] == "after"
    assert [(each.kind, each.line) for each in masked.secrets] == [("private-key", 2)]
    without_end = PEM.rpartition("\n")[0]
    assert MASKER.text(f"{without_end}\n// more").split("\n")[-1] == "// more"
    assert PEM.split("\n")[1] not in MASKER.text(without_end)


def test_a_private_key_in_a_string_of_source_is_masked_whole() -> None:
    text = 'var key = "' + PEM.replace("\n", "\\n") + '";'
    (secret,) = MASKER.mask(text).secrets
    assert MASKER.text(text) == f'var key = "{secret.placeholder}";'


def test_the_same_secret_has_the_same_placeholder_and_another_key_another() -> None:
    token = SECRETS["github-token"]
    one, two = placeholders_in(MASKER.text(f"a {token}\nb {token}"))
    assert one == two
    assert placeholders_in(Masker(bytes(32)).text(token)) != [one]
    assert placeholders_in(MASKER.text(SECRETS["npm-token"])) != [one]


def test_what_is_allowed_stays_and_is_still_told() -> None:
    token = SECRETS["github-token"]
    (secret,) = MASKER.mask(token).secrets
    masked = MASKER.allowing([secret.code]).mask(f"x {token} {SECRETS['npm-token']}")
    assert token in masked.text
    assert [(each.kind, each.masked) for each in masked.secrets] == [
        ("github-token", False),
        ("npm-token", True),
    ]


NOISE = st.text(st.characters(blacklist_categories=("Cs",)), max_size=40)


@given(NOISE, st.sampled_from(sorted(SECRETS.values())), NOISE)
def test_masking_leaves_everything_around_as_it_was(before: str, secret: str, after: str) -> None:
    text = f"{before} {secret} {after}"
    masked = MASKER.mask(text)
    assert secret not in masked.text
    assert masked.text.count("\n") == text.count("\n")
    assert MASKER.mask(masked.text).text == masked.text


@given(st.text(max_size=300))
def test_any_text_can_be_looked_through(text: str) -> None:
    masked = MASKER.mask(text)
    assert masked.text.count("\n") == text.count("\n")
    assert MASKER.mask(masked.text).text == masked.text


PIECES = (
    *(
        '"',
        "'",
        '"""',
        "@$",
        "`",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        ",",
        " + ",
        " = ",
        " == ",
        ": ",
        "=>",
        "?? ",
    ),
    *(
        "\n",
        "\\",
        "//",
        "<",
        ">",
        "\\ud800",
        "\\x7",
        "\\u0067\\u0068",
        "\\n",
        "0x41, ",
        "'a', ",
        "://",
        "@",
        "$pw",
    ),
    *("-----BEGIN ", "PRIVATE KEY-----", " as ", "password", "apiKey", "Token", "new Secret(", ".Sha256()"),
    *("string.Join(", "GetBytes(", "VALUES (", "insert into t (password) ", "return ", "switch {", "case "),
    *(
        "hunter2!",
        "Q7zr2Vx9Kp4Wm8Ty3Bn6Hs5Jd1Fg0Lc",
        "(string User, string Pass)[] x = { (",
        "é",
        "\U0001f511",
    ),
)
"""What source has near secrets: put together at random it is seldom well formed."""


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_broken_source_can_be_looked_through_and_stays_as_it_is_around_secrets(text: str) -> None:
    masked = MASKER.mask(text)
    assert MASKER.mask(masked.text).text == masked.text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('var t = "\\u0067\\u0068p_{}";', "Zr2Vx9Kp4Wm8Ty3Bn6Hs5Jd1Fg0LcQwErTzU"),
        ('(string User, string Pass)[] all = {{ ("ada", "{}") }};', "t00rpass"),
        ('foreach (var c in "{}".ToCharArray()) secure.AppendChar(c);', "s3cureOne"),
        ('Sheet.Protect("{}");', "exc3lPw"),
        ('PasswordDeriveBytes made = new("{}", salt);', "0ldSchool"),
        ('var key = string.Join("-", "{}", "7AB37736", "8EE4A018");', "6693088A"),
        ('ClientSecrets = {{ new Secret("{}".Sha256()) }}', "webSecret1"),
        ('Ask("Password", defaultValue: "{}");', "d3faultPw"),
        ('info.PasswordInClearText = "{}";', "cl3arText"),
        ('Jira.CreateRestClient("https://j.test", "bob", "{}");', "j1raBob"),
        ('var yaml = "user: sa\\npassword: {}\\n";', "yamlStr1"),
        ("var script = \"$pw = '{}'; New-LocalUser\";", "psStr1ng"),
        ('Exec("net", "use \\\\\\\\srv\\\\share {} /user:acme");', "shareP4ss"),
        ('TextClient made = new(uri, new("{}"));', "d901ad4f89912e414b4347b4dfd15ed2"),
        ('x.Users.Add("bob", "{}"); // basicAuth', "basicB0b"),
        ("git clone https://{}@host.test/r.git", "d901ad4f89912e414b4347b4dfd15ed2"),
    ],
)
def test_secrets_that_a_stranger_wrote_are_found_by_their_class(text: str, secret: str) -> None:
    assert secret not in MASKER.text(text.format(secret)), text


@pytest.mark.parametrize(
    "text",
    [
        'public const string UpdateInputPassword = "pm-27086-update-input-password";',
        'SentrySdk.Init("https://d901ad4f89912e414b4347b4dfd15ed2@o1.ingest.sentry.io/4");',
        'var password = GeneratePassword(16, "A-Z0-9!");',
        'var text = "LyREjD\\u002BOIEqL6JjHwarevQ==";',
        '"kid": "4ebPfJNYITQNDQJnlG1nTVQ-NfHRfp4-frtsFKvmfcR"',
        'var x = "caf\\u00e9 and \\ud800";',
    ],
)
def test_what_a_stranger_wrote_that_is_no_secret_stays(text: str) -> None:
    assert MASKER.text(text) == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('string smtpPass = "{}";', "Key Value 91"),
        ('string dbPass = "{}";', "3 blind mice, 2 cats"),
        ('string encryptionKey = "{}";', "prod-mailer-8f3kd92ls0"),
        ('aes.Key = Encoding.UTF8.GetBytes("{}");', "ThisIsA32ByteLongEncryptionKey12"),
        ('Password.SetValue("{}");', "Regen7Bogen"),
        ("@password={}", "Rosenkohl5"),
        ("  - SA_PASSWORD={}", "yourStrong2(!)Pw"),
        ("ENV DB_PASS {}", "Tannenzapfen8"),
        ("// use key {} for this", "d901ad4f89912e414b4347b4dfd15ed2"),
        ("// pscp -pw {} a b@c:", "Anker.Kette2"),
        (
            "byte[] k = {{ {} }};\n aes.Key = k;",
            "86, 137, 231, 20, 168, 64, 138, 4, 137, 210, 183, 10, 34, 69, 251, 25",
        ),
    ],
)
def test_passwords_of_words_and_numbers_and_what_a_line_below_says(text: str, secret: str) -> None:
    assert secret not in MASKER.text(text.format(secret)), text


@pytest.mark.parametrize(
    "text",
    [
        'const string Title = "Key Value 91";',
        'string password = "min. 8 characters, 1 digit";',
        'string password = "Change Password 22";',
        "var tokens = \"The quick brown fox 2\".Split(' ');",
        "// -Password $securePassword",
        "# -ApiKey $env:NUGET_KEY_1",
        '{ "Password": "__DB_PASSWORD_1__" }',
    ],
)
def test_titles_rules_and_variables_are_left_alone(text: str) -> None:
    assert MASKER.text(text) == text


def test_the_vault_keeps_hashes_and_never_a_secret() -> None:
    files = MemoryFiles()
    vault, token = Vault(files), SECRETS["github-token"]
    (secret,) = vault.masker().mask(token).secrets
    vault.allow(secret, "src/A.cs:3")
    assert vault.masker().text(token) == token
    assert Vault(files).masker() == vault.masker()
    kept = files.read(FILE) or b""
    assert token.encode() not in kept
    assert json.loads(kept)["allowed"] == [
        {"hash": secret.hash, "kind": "github-token", "where": "src/A.cs:3"}
    ]
    assert vault.forbid(secret.code)
    assert not vault.forbid(secret.code)
    assert vault.masker().text(token) == secret.placeholder


def test_a_damaged_vault_allows_nothing() -> None:
    files = MemoryFiles()
    vault, token = Vault(files), SECRETS["github-token"]
    vault.allow(vault.masker().mask(token).secrets[0], "")
    files.write(FILE, b"{")
    assert token not in vault.masker().text(token)
    assert vault.allowed() == ()


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('string dbPwd = "{}";', "Kopf.Salat(7)"),
        ('await OpenAsync(passphrase: "{}");', "my dog has 4 legs!"),
        ('var cs = @"Server=x;Password={};Encrypt=true";', 'ab""cd7'),
        ('var cs = @"Server=x;Password=""{}"";Encrypt=true";', 'ab""""c d'),
        ('cs = """\n    Server=x;\n    Password={};\n    """;', "Pa$$word with 1 blank"),
        ('// password "{}" works on the box', "tea at five 55"),
        ("/// <remarks>Staging password: {}</remarks>", "Mond Licht 12"),
        ('users.Add(new User("eva", "{}"));', "Hallo!Welt5"),
        ('users.Add(new User("eva", "{}", Role.Admin));', "Trustno1"),
        ('[InlineData("a", "{}")]\npublic void Logs(string text, string token)', "q7Zr2Vx9Kp4Wm8"),
    ],
)
def test_passwords_like_calls_sentences_and_of_users_are_found(text: str, secret: str) -> None:
    assert secret not in MASKER.text(text.format(secret)), text


@pytest.mark.parametrize(
    "text",
    [
        'string password = "MaxLength(50)";',
        'string password = "must have 8 characters!";',
        "  user=x;\n  password=box1.Text;\n",
        'var cs = "Password="; var other = "";',
        '// password "must have 8 signs"',
        "// password: see Windows Server 2016",
        'const string hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGd3c0hJ3Jx1xkP0v me@box7";',
        'new Account("Savings", "DE89370400440532013000")',
        'users.Add(new User("eva", "eva@example.com"));',
        f'[InlineData("a", "{"q7Zr2Vx9Kp4Wm8Ty3Bn6" * 2}=")]\npublic void Hashes(string text, string hash)',
        f"-----BEGIN CERTIFICATE-----\n{'q7Zr2Vx9Kp4Wm8Ty' * 4}\n-----END CERTIFICATE-----",
    ],
)
def test_calls_messages_public_keys_and_hashes_of_cases_are_left_alone(text: str) -> None:
    assert MASKER.text(text) == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('Use("Server=.;User=crm;Password={};TrustServerCertificate=True")', "Ein Satz, 2 Kommas"),
        ('Use("redis:6379,password={},defaultDatabase=2");', "D&eFD4jGk.DUG2J+ateX"),
        ('cs = @"\n  Server=db;\n  User Id=app;\n  Password={};\n  ";', "Winter#2023"),
        ('var ok = hash.Verify("{}", stored.PasswordHash);', "hunter2"),
        ('SecretStore.Add("smtp", "{}");', "Zebra$7tripe"),
        ("EXEC sp_addlinkedsrvlogin 'srv', 'false', NULL, 'crm', '{}'", "Hallo!Welt5"),
        ('new NetworkCredential("cn=admin,dc=x", "{}")', "Kartoffel77"),
        ('UnlockCode = "{}";', "61386211"),
        ('Set(x => x.Password, "{}");', "sa_P@ss2019"),
        ('passwords["smtp"] = "{}";', "Hallo!Welt5"),
        (
            'var secrets = new Dictionary<string, string>(Rules) {{ ["a"] = "b", ["smtp"] = "{}" }};',
            "Hallo!Welt5",
        ),
    ],
)
def test_passwords_beside_their_settings_and_of_stores_and_procedures_are_found(
    text: str, secret: str
) -> None:
    assert secret not in MASKER.text(text.format(secret)), text


@pytest.mark.parametrize(
    "text",
    [
        "  server=args[0];\n  password=args[1];\n",
        'var ok = hash.Verify("hunter2", stored.Checksum);',
        'Set(x => x.PasswordLabel, "Kennwort 7");',
        'tokens.Add("{date}", "2024-01-17");',
        'tokens["{date}"] = "2024-01-17"; keys["a"] = "Ctrl+F12";',
    ],
)
def test_elements_of_arrays_and_values_of_other_members_are_left_alone(text: str) -> None:
    assert MASKER.text(text) == text
