"""Classes of secrets that lists written blind had and the finder had not, each with what looks like them beside it."""

from __future__ import annotations

import pytest

from services.prompt.secrets.masking import Masker

MASKER = Masker(bytes(32))
RANDOM = "kT4wZr9QpL2xVb7MnC3y"
HEX = "5b1e90c7da3f4826b7e0913cf2d84a6e"


def masked(text: str) -> str:
    return MASKER.text(text)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('wallet.Unlock("Biscuit77!");', "Biscuit77!"),
        ('await safe.UnlockAsync("clever-otter", token);', "clever-otter"),
        ('db.TryUnlock("m4rzipan#", out var session);', "m4rzipan#"),
        ('passwordField.SendKeys("Biscuit77!");', "Biscuit77!"),
        ('PasswordEntry.SetText("Biscuit77!");', "Biscuit77!"),
    ],
)
def test_what_a_verb_or_a_field_says_of_its_argument_is_found(text: str, secret: str) -> None:
    assert secret not in masked(text)


@pytest.mark.parametrize(
    "text",
    ['achievements.Unlock("First10Wins");', 'mutex.Unlock("orders");', 'searchBox.SendKeys("Biscuit77!");'],
)
def test_what_is_unlocked_or_typed_otherwise_is_left_alone(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('Password = "clever-otter"', "clever-otter"),
        ('const string Passphrase = "clever_otter_parade";', "clever_otter"),
        ('new HMACSHA256(Encoding.UTF8.GetBytes("otter-parade-biscuit-comet"))', "otter-parade"),
        ('string password = "Zeppelin765";', "Zeppelin765"),
        ('string password\n    = "Toffee543";', "Toffee543"),
    ],
)
def test_a_few_words_that_no_code_has_are_a_password(text: str, secret: str) -> None:
    assert secret not in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        'words["Passphrase"] = "blue kettle forest";',
        '{ "Passphrase": "correct horse battery" }',
        '{ "Pwd": "river lantern copper" }',
        "passphrase: blue kettle forest",
        "  ssh_passphrase: tulip meadow copper lantern  # of the deploy key",
        "- password: meadow copper lantern tulip river",
    ],
)
def test_pass_phrases_of_three_words_and_without_quotes_are_found(text: str) -> None:
    assert "lantern" not in masked(text) and "kettle" not in masked(text) and "horse" not in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        '{ "Password": "Reset link sent" }',
        '{ "Passphrase": "too short phrase" }',
        "password: must match exactly",
        "passphrase: enter it here",
        "forgot_password: send reset link",
    ],
)
def test_three_words_about_passwords_are_none(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(
    "text",
    [
        'Password = "not-set"',
        'password = "login_form"',
        'string password = "plain-text";',
        'Password = "no-reply"',
        'token = "clever-otter"',
        'var password = "abcd4321";',
    ],
)
def test_a_few_words_of_code_are_none(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f'"https://ledger.test/v2/keys/{RANDOM}/rotate"', RANDOM),
        (f'"https://ledger.test/api-key/{HEX}"', HEX),
        (f'new Uri("https://ops.test/webhooks/{RANDOM}/build")', RANDOM),
        (f'args.Add("--api-key"); args.Add("{RANDOM}");', RANDOM),
        ('info.ArgumentList.Add("--password");\n    info.ArgumentList.Add("Biscuit77!");', "Biscuit77!"),
        ('list.Add("--password").Add("Biscuit77!");', "Biscuit77!"),
        ('hasher.Verify("Biscuit77!", stored.Hash)', "Biscuit77!"),
        ('BCrypt.Net.BCrypt.EnhancedVerify("Biscuit77!", hash)', "Biscuit77!"),
        ('logger.LogInformation("Signed in with password Zeppelin76", user);', "Zeppelin76"),
        ('throw new LoginFailed("no such user with password 7Q.p+rT_Wm2");', "7Q.p+rT_Wm2"),
    ],
)
def test_keys_in_paths_switches_comparisons_and_messages_are_found(text: str, secret: str) -> None:
    assert secret not in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        '"https://ledger.test/v2/keys/list-of-all-signing-keys"',
        f'"https://vault.test/secrets/database/{HEX}"',
        '"https://scan.test/token/0xdac17f958d2ee523a2206206994597c13d831ec7"',
        'args.Add("--api-key"); args.Add(key); args.Add("--verbose2");',
        'hasher.Verify("orders", hash)',
        '"hash of password sha256 was stored"',
        '"password length 12"',
    ],
)
def test_names_in_paths_and_words_in_messages_are_left_alone(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('storeAliasPass = "Biscuit77!"', "Biscuit77!"),
        ('settings.keystorePass = "clever-otter";', "clever-otter"),
        ('rcon.ConnectAsync("10.2.0.7", 25575, "Biscuit77!")', "Biscuit77!"),
        ('<server rcon="Biscuit77!" slots="8" />', "Biscuit77!"),
        ('client.MqttConnect(id, "valve3", "Biscuit77!")', "Biscuit77!"),
        ('new UserIdentity("shift", "Biscuit77!")', "Biscuit77!"),
        ('new PgpFileDecryptor(stream, "otter-parade-biscuit-comet")', "otter-parade"),
        (r'Send("AT+CWJAP=\"Yard\",\"Biscuit77!\"");', "Biscuit77!"),
        ('register(name, mail, confirmPassword: "Biscuit77!")', "Biscuit77!"),
    ],
)
def test_calls_and_members_of_games_devices_and_files_are_found(text: str, secret: str) -> None:
    assert secret not in masked(text)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (r'var cfg = "sv_password \"Biscuit77!\"";', "Biscuit77!"),
        ('@"<add key=""MailPassword"" value=""Biscuit77!"" />"', "Biscuit77!"),
        ('"DSN=Till;UID=app;PWD=" & "Biscuit77!"', "Biscuit77!"),
        ('Process.Start("7za", "x in.7z -pBiscuit77!")', "Biscuit77!"),
        ('Process.Start("openssl", "rsa -passout pass:Biscuit77!")', "Biscuit77!"),
        ('Run(["push", "-u", "ci@yard.test", "-p", "Biscuit77!"])', "Biscuit77!"),
        ("PRAGMA rekey = 'Biscuit77!';", "Biscuit77!"),
        ('cli.AddOption("--password", () => "Biscuit77!");', "Biscuit77!"),
        ('var p = args.Length > 1 ? args[1] : "Biscuit77!"; client.Login(user, p);', "Biscuit77!"),
        ('var p = Ask() ?? "Biscuit77!";\nclient.Login("ops", p);', "Biscuit77!"),
    ],
)
def test_settings_commands_and_what_is_passed_on_are_found(text: str, secret: str) -> None:
    assert secret not in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        'door.Unlock("north_gate");',
        'string pin = "GPIO22";',
        'renderer.shadowPass = "Blur2";',
        'Run(["push", "-p", "8080"])',
        r'"PRAGMA key = " + quoted + ";"',
        r'"the password \"{0}\" was refused"',
        'var p = Ask() ?? "Biscuit77!";\nclient.Fetch("ops", p);',
        'var text = "Confirm your password";',
        'ConfirmPassword = "Confirm the password";',
    ],
)
def test_what_games_devices_and_settings_have_beside_them_is_left_alone(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('KeyValuePair<string, string> login = KeyValuePair.Create("ops", "Biscuit77!");', "Biscuit77!"),
        ('var next = options with { Account = new("ops", "Biscuit77!") };', "Biscuit77!"),
        ('using (new Impersonator("YARD", "svc_scan", "Biscuit77!")) { }', "Biscuit77!"),
        ('await imap.AuthenticateAsync(Encoding.UTF8, "ops", "Biscuit77!");', "Biscuit77!"),
        ('string[] pins = { "402817", "938164" };', "402817"),
        ('Encoding.ASCII.GetBytes($"{user.Name}:Biscuit77!")', "Biscuit77!"),
        ('shell.Expect("Password:").Send("Biscuit77!");', "Biscuit77!"),
        ('Run("keytool", "-importkeystore -srcstorepass Biscuit77!")', "Biscuit77!"),
        ('Run("certutil.exe", "-p Biscuit77! -importPFX a.pfx")', "Biscuit77!"),
        ("""Run("ansible-vault encrypt_string 'Biscuit77!' --name db")""", "Biscuit77!"),
        (r'Given("she signs in with password \"Biscuit77!\"");', "Biscuit77!"),
        ("Examples:\n  | name | password   |\n  | ops  | Biscuit77! |\n", "Biscuit77!"),
        ("// das Passwort lautet Biscuit77!", "Biscuit77!"),
        ("// type Biscuit77! as the password", "Biscuit77!"),
        ("// user ops, password Biscuit77!", "Biscuit77!"),
    ],
)
def test_pairs_scenarios_commands_and_remarks_are_found(text: str, secret: str) -> None:
    assert secret not in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        'KeyValuePair<string, int> page = KeyValuePair.Create("first2", "second2");',
        'nextPageToken = "M069og6H3Mzc";',
        "  | name | token      |\n  | text | identifier |\n",
        "| option | meaning |\n| password | of the user 77 |\n",
        "// takes SHA256 as the password hash",
        "// user names, password lengths",
        'Run("keytool", "-importkeystore -srckeystore old2.jks")',
    ],
)
def test_what_pairs_scenarios_commands_and_remarks_have_beside_them_is_left_alone(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('const string SharedSecret = "otter-parade-biscuit-comet";', "otter-parade"),
        ('HMACSHA384.HashData(Encoding.UTF8.GetBytes("clever-otter"), body)', "clever-otter"),
        ('new Twofish("q7Zr2Vx9Kp4Wm8Ty")', "q7Zr2Vx9Kp4Wm8Ty"),
        ('ZipArchive.Open(path, "Biscuit77!")', "Biscuit77!"),
        ('certs.Import(raw, "Biscuit77!", X509KeyStorageFlags.EphemeralKeySet);', "Biscuit77!"),
        ('rsa.ImportEncryptedPkcs8PrivateKey("Biscuit77!"u8, der, out _);', "Biscuit77!"),
        ('Scrypt.Derive(Encoding.UTF8.GetBytes("Biscuit77!"), salt)', "Biscuit77!"),
        ('services.AddSmtpClient("mail.yard.test", 587, "bot", "Biscuit77!");', "Biscuit77!"),
        (r'"PASS Biscuit77!\r\n"', "Biscuit77!"),
        ('Send("a1 LOGIN ops Biscuit77!")', "Biscuit77!"),
        ('@"{""user"":""ops"",""pin"":""402817""}"', "402817"),
        ("/* psk: kT4wZr9QpL2xVb7 */", "kT4wZr9QpL2xVb7"),
        ('Seed("admin", "B1scuit77!", Role.Admin);', "B1scuit77!"),
        ('(user, given) is ("root", "Biscuit77!")', "Biscuit77!"),
        ('var recoveryCodes = new[] { "a91c-07be-5d33", "f02b-d8c1-4e96" };', "a91c-07be-5d33"),
        (f'SecretBox.Open(box, nonce, Convert.FromHexString("{HEX}{HEX}"))', HEX),
        ('return input == "Biscuit77!" ? Ok() : Bad(); // password check', "Biscuit77!"),
    ],
)
def test_phrases_keys_of_ciphers_files_and_protocols_are_found(text: str, secret: str) -> None:
    assert secret not in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        'const string SharedSecret = "shop-payment-service-primary";',
        'const string VerifyKey = "RWQdr8HUUBzjsv3Wlsdg9VtRXeOy9JIi3hIiiGrZwmTzp3yU";',
        'string token0 = "0x6b175474e89094c44da98b954eedeac495271d0f";',
        'string passwordRule = "min8upper1digit1";',
        'var recoveryCodes = new[] { "2024-0611", "code-four" };',
        f'Hasher.Open(Convert.FromHexString("{HEX}{HEX}"))',
        'return input == "Biscuit77!" ? Ok() : Bad();',
        'var apiToken = Environment("api-token-v2");',
        'var broker = "amqp://guest:guest@localhost:5672";',
        'ZipArchive.Open("backup2.zip");',
        '"Pass 2 of 3"',
        'Seed("admin", "first2", Role.Admin);',
        'hash = "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b2dWRWJTmaaQEHq";',
    ],
)
def test_what_looks_like_phrases_keys_and_logins_is_left_alone(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('"kT4wZr9QpL2!".ToList().ForEach(secure.AppendChar);', "kT4wZr9QpL2!"),
        ("// demo account: clerk:Biscuit77!", "Biscuit77!"),
        ('const string P = "Biscuit77!"; var b = new Settings { Password = P };', "Biscuit77!"),
    ],
)
def test_what_is_appended_said_of_accounts_or_put_into_members_is_found(text: str, secret: str) -> None:
    assert secret not in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        '"kT4wZr9QpL2!".ToList().ForEach(line.Append);',
        "// demo account: see https://yard.test/help2",
        'const string P = "Biscuit77!"; var b = new Settings { Theme = P };',
    ],
)
def test_what_is_appended_said_or_put_elsewhere_is_left_alone(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('Run("deploy", "db_password=Biscuit77!")', "Biscuit77!"),
        ("deploy -e 'admin_password=kT4wZr9QpL2x'", "kT4wZr9QpL2x"),
        ('new LogonDetails("YARD", "svc"); new LogonInfo("YARD", "svc", "Biscuit77!")', "Biscuit77!"),
        ("lftp -u yard,Biscuit77! sftp.yard.test", "Biscuit77!"),
        ("smbclient //nas/x -U yard%Biscuit77!", "Biscuit77!"),
        ("ldapmodify -D cn=yard -w Biscuit77! -f a.ldif", "Biscuit77!"),
        ('if (Ask("Password: ") == "Biscuit77!") Open();', "Biscuit77!"),
        ('var url = "${DB_PASSWORD:-Biscuit77!}";', "Biscuit77!"),
        ('@Value("${mail.password:Biscuit77!}")', "Biscuit77!"),
        (f'"https://{RANDOM}:x-oauth-basic@git.yard.test/a"', RANDOM),
        ('pkPass = "Biscuit77!"', "Biscuit77!"),
    ],
)
def test_arguments_clients_questions_and_defaults_are_found(text: str, secret: str) -> None:
    assert secret not in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        'Run("deploy", "auth_mode=oauth2")',
        'Run("deploy", "key_name=deploy2")',
        "lftp -u yard sftp.yard.test",
        "smbclient //nas/x -U yard",
        "ldapsearch -x -b dc=yard2",
        'if (Get("type") == "password2") Open();',
        'void Login(string user = "root", string scheme = "Negotiate2") { }',
        'client.Login(userName: "clerk22", domain: "yard22");',
        'if (Ask("Name: ") == "Biscuit77!") Open();',
        'var url = "${AUTH_TOKEN_TTL:-3600s}";',
        'var url = "${DB_PASSWORD:-$OTHER}";',
        "DB_PASSWORD: ${DB_PASSWORD:?missing2}",
    ],
)
def test_what_arguments_clients_questions_and_defaults_have_beside_them_is_left_alone(text: str) -> None:
    assert masked(text) == text
