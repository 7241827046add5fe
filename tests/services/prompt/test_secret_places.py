"""Secrets are found wherever they are given to something, and what only looks like one is left alone."""

from __future__ import annotations

import random

import pytest

from benchmarks.secrets.corpus.samples import WRITTEN, Sample, corpus, held_out, written
from benchmarks.secrets.corpus.values import fill
from services.prompt.secrets.finding import find_secrets
from services.prompt.secrets.judging.likelihood import randomness
from services.prompt.secrets.judging.names import Likelihood, cue_of
from services.prompt.secrets.masking import Masker, known_in

MASKER = Masker(bytes(32))


def masked(text: str) -> str:
    return MASKER.text(text)


def missed(samples: list[Sample]) -> list[str]:
    return [each.text for each in samples if any(secret in masked(each.text) for secret in each.secrets)]


def flagged(samples: list[Sample]) -> list[str]:
    return [each.text for each in samples if not each.secrets and masked(each.text) != each.text]


@pytest.mark.parametrize(
    "samples",
    [corpus(11), held_out(11), *(written(name, 11) for name in WRITTEN)],
    ids=["corpus", "held out", *WRITTEN],
)
def test_nearly_all_secrets_of_the_corpus_are_masked_and_next_to_nothing_else(samples):
    secret = [each for each in samples if each.secrets]
    harmless = [each for each in samples if not each.secrets]
    assert len(missed(secret)) <= 0.04 * len(secret), missed(secret)
    assert len(flagged(harmless)) <= 0.01 * len(harmless), flagged(harmless)


@pytest.mark.parametrize(
    ("name", "cue"),
    [
        ("apiKey", Likelihood.SECRET),
        ("Jwt:Key", Likelihood.SECRET),
        ("CLIENT_SECRET", Likelihood.SECRET),
        ("dbPassword1", Likelihood.PASSWORD),
        ("PasswordValue", Likelihood.PASSWORD),
        ("cacheKey", Likelihood.PUBLIC),
        ("ApiKeyParameter", Likelihood.PUBLIC),
        ("passwordHash", Likelihood.PUBLIC),
        ("Md5OfPassword", Likelihood.PUBLIC),
        ("publicKeyToken", Likelihood.PUBLIC),
        ("cancellationToken", Likelihood.PUBLIC),
        ("firstPass", Likelihood.NONE),
        ("monkey", Likelihood.KEY),
    ],
)
def test_names_tell_what_is_given_to_them(name, cue):
    assert cue_of(name) is cue


@pytest.mark.parametrize(
    "word", ["apiKeyParameter", "Microsoft.Extensions.Configuration2", "/api/v2/users/login"]
)
def test_language_is_likelier_than_chance(word):
    assert randomness(word.encode()) < 0


@pytest.mark.parametrize("value", ["q7Zr2Vx9Kp4Wm8Ty", "9f3ac1d07be24856", "x4k9q2m7w1z8p3v6"])
def test_random_characters_are_not(value):
    assert randomness(value.encode()) > 8


def test_what_an_initializer_gives_to_another_member_is_not_a_keys():
    photo = fill("«b64:90»", random.Random(2))[0]
    text = f'new Person {{ PostalCode = "98033", Photo = Convert.FromBase64String("{photo}") }}'
    assert masked(text) == text


def test_weak_passwords_are_samples_among_tests():
    line = 'user.Password = "hunter2";'
    assert "hunter2" not in masked(line)
    assert masked(f"[Fact]\nvoid Works()\n{{\n    {line}\n}}") == f"[Fact]\nvoid Works()\n{{\n    {line}\n}}"


KEY = "".join(fill("«b64:48»", random.Random(n))[0] for n in range(6))
BEGIN, END = "-----BEGIN " + "PRIVATE KEY-----", "-----END " + "PRIVATE KEY-----"


@pytest.mark.parametrize(
    "text",
    [
        f'var pem = "{BEGIN}\\n" +\n    "{KEY[:64]}\\n" +\n    "{KEY[64:128]}\\n" +\n    "{END}";',
        f'string[] pem = {{ "{BEGIN}", "{KEY[:64]}", "{KEY[64:128]}", "{END}" }};',
        f'var pem = "-----BEGIN " + "PRIVATE KEY-----\\n" + "{KEY[:64]}" + "{KEY[64:128]}";\nvar other = 1;',
        f'var pem = @"{BEGIN}\n{KEY[:64]}\n{KEY[64:128]}\n{END}";',
    ],
)
def test_a_private_key_that_is_broken_over_texts_is_masked(text):
    assert KEY[:64] not in masked(text)
    assert KEY[64:128] not in masked(text)
    assert masked(text).count("\n") == text.count("\n")


def test_the_headings_of_a_private_key_alone_are_none():
    text = f'const string Begin = "{BEGIN}";\nconst string End = "{END}";'
    assert masked(text) == text


def test_the_bytes_of_a_key_are_masked_and_tables_are_not():
    numbers = ", ".join(f"0x{(n * n * 37 + 91 * n + 17) % 256:02x}" for n in range(16))
    assert numbers not in masked(f"static readonly byte[] AesKey = new byte[] {{ {numbers} }};")
    assert numbers in masked(f"static readonly byte[] Sbox = new byte[] {{ {numbers} }};")
    counted = ", ".join(map(str, range(16)))
    assert counted in masked(f"byte[] aesKey = {{ {counted} }};")


def test_a_short_secret_is_masked_on_a_line_of_its_own_and_as_a_word_it_is_not():
    known = known_in('var password =\n    "hunter2";')
    assert "hunter2" not in MASKER.text('    "hunter2";', known)
    assert "hunter2" in MASKER.text("// the hunter2 of the game", known)


def test_what_was_masked_is_not_looked_into():
    text = masked('var apiKey = "' + "q7Zr2Vx9Kp4Wm8Ty3Bn6" + '";')
    assert find_secrets(text.encode()) == ()


def test_large_texts_are_looked_through_whole():
    long = fill("«b62:200000»", random.Random(1))[0]
    assert long not in masked(f'var apiKey = "{long}";')
    many = "\n".join(f'var apiKey{n} = "{long[n * 32 : n * 32 + 32]}";' for n in range(500))
    assert len(find_secrets(many.encode())) == 500


def test_a_secret_is_masked_wherever_it_stands_once_it_is_known_in_a_text():
    text = masked('var password = "q7Zr2Vx9Kp";\nCheck(input == "q7Zr2Vx9Kp"); // q7Zr2Vx9Kp2 is another')
    assert text.count("q7Zr2Vx9Kp") == 1
    assert "q7Zr2Vx9Kp2" in text


def test_as_many_secrets_as_there_are_are_masked_again():
    values = [fill("«b62:24»", random.Random(n))[0] for n in range(100)]
    text = "\n".join(f'var apiKey{n} = "{value}"; Use("{value}");' for n, value in enumerate(values))
    assert not [value for value in values if value in masked(text)]


@pytest.mark.parametrize(
    "text",
    [
        "key" * 20_000,
        '"key' + '\\"' * 30_000,
        "password=" * 5_000,
        "// password is " * 4_000,
        'key "' + "'a" * 20_000,
    ],
    ids=["a word", "escaped quotes", "names", "remarks", "quotes"],
)
def test_what_is_hostile_is_looked_through_and_left(text):
    assert masked(text) == text


def test_a_key_broken_over_texts_of_source_is_masked():
    lines = [fill("«b62:64»", random.Random(n))[0] for n in range(40)]
    source = "".join(f'    "{line}\\n" +\n' for line in lines)
    text = masked(f'var key = "-----BEGIN PRIVATE KEY-----\\n" +\n{source}    "-----END PRIVATE KEY-----";')
    assert not [line for line in lines if line in text]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("DB_PASSWORD=Gl0ckenspiel", "Gl0ckenspiel"),
        ("- name: DB_PASSWORD\n  value: k8s-Pass1", "k8s-Pass1"),
        ("host=h user=u password=p0st-gr3s dbname=x", "p0st-gr3s"),
        ("docker login registry.test -u ci -p q7Zr2Vx9Kp", "q7Zr2Vx9Kp"),
        ("machine git.test login ci password q7Zr2Vx9Kp", "q7Zr2Vx9Kp"),
        ("CREATE USER shop WITH PASSWORD 'cr34te'", "cr34te"),
        ('var t = "q7Zr2Vx9Kp4Wm8Ty3Bn6"; apiKey = t;', "q7Zr2Vx9Kp4Wm8Ty3Bn6"),
        ('{ "secrets": { "db": "q7Zr2Vx9Kp4Wm8Ty" } }', "q7Zr2Vx9Kp4Wm8Ty"),
        ('Dim password As String = "VbPass1"', "VbPass1"),
        ("<Setting Key='ApiToken'>q7Zr2Vx9Kp4Wm8Ty</Setting>", "q7Zr2Vx9Kp4Wm8Ty"),
        ('new SshClient(host, "root", "toor4ever")', "toor4ever"),
    ],
)
def test_places_of_their_own(text, secret):
    assert secret not in masked(text)


PHRASE = "canyon snack abandon anchor whisper stadium bread polar jaguar lava cabin vacant"
LISTED = ", ".join(f'"{word}"' for word in PHRASE.split())
CHARACTERS = ", ".join(f"'{character}'" for character in "MvQNuguwzA9t5jfS6SyI")


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f'private const string Phrase = "{PHRASE}";', PHRASE),
        (f"// dev wallet: {PHRASE}", PHRASE),
        (f'var seed = new Mnemonic(string.Join(" ", new[] {{ {LISTED} }}));', LISTED),
        ('"Driver={ODBC Driver 17 for SQL Server};Uid=app;Pwd={pa;Ak5M7B;w};"', "Ak5M7B"),
        ('const string C = "Driver={x};Pwd={KW3g}}c3Fn};Encrypt=yes";', "c3Fn"),
        ('"Driver={SQL Server};Server=db;Uid=sa;Pwd={hunter2hunter};"', "hunter2hunter"),
        ('"DSN=shop;UID=sa;PWD={S3cr3tPa55w};Trusted_Connection=no"', "S3cr3tPa55w"),
        ('dict[nameof(Options.Password)] = "hunter2hunter";', "hunter2hunter"),
        ('var d = new Dictionary<string, string> { [nameof(ApiKey)] = "k9Gv2Lq8ZtpPq1" };', "k9Gv2Lq8ZtpPq1"),
        ('settings.Add(nameof(SmtpOptions.Password), "hunter2hunter");', "hunter2hunter"),
        ('{ nameof(Options . Password), "hunter2hunter" },', "hunter2hunter"),
        ('"Pwd": "correct horse battery staple"', "horse"),
        ('"Passphrase": "purple monkey dishwasher lamp"', "monkey"),
        ('dict["Pwd"] = "correct horse battery staple";', "horse"),
        (f"var secret = new[] {{ {CHARACTERS} }};", CHARACTERS),
        ('var t = new Totp(Base32Encoding.ToBytes("EF4ITKU6CM4FWDLF"));', "EF4ITKU6CM4FWDLF"),
        ('foreach (var c in "Winter@1984") securePassword.AppendChar(c);', "Winter@1984"),
        ('[Option("password", Default = "Tiger@1984")] public string P { get; set; }', "Tiger@1984"),
        ('if (password is "letmein77" or "Copper!42x") return true;', "Copper!42x"),
        ('Run("cmdkey /add:srv /user:svc /pass:Winter#77");', "Winter#77"),
        ('Run("schtasks /create /tn job /ru svc /rp Rocket@1984");', "Rocket@1984"),
        (r'Start("net", @"use Z: \\srv\share /user:corp\svc Rocket99$");', "Rocket99$"),
        ('Run("sqlplus scott/Maple!42x@orcl");', "Maple!42x"),
        ("// Пароль: Copper@1984", "Copper@1984"),
        ("// mot de passe : Maple#77", "Maple#77"),
        ('string contrasena = "Maple#77";', "Maple#77"),
        (
            'var k = @"{""kty"":""oct"",""k"":""gNNxKzBmqVQJPDW22YlSeBfwTB3RdsnO""}";',
            "gNNxKzBmqVQJPDW22YlSeBfwTB3RdsnO",
        ),
        ('var key = "f4Kz9Qm2" /* one */ + "Xw7Tb3Lp";', "Xw7Tb3Lp"),
    ],
)
def test_secrets_that_are_written_as_something_else_are_masked(text, secret):
    assert secret not in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        "// the seed phrase is what you choose before you begin with your wallet and then keep it safe",
        '$"Driver={{SQL Server}};Uid={user};Pwd={{{password}}};"',
        '$"Driver={{SQL Server}};Uid={user};Pwd={dbPass!.Value};"',
        '"Driver={SQL Server};Uid={0};Pwd={password};"',
        '"Driver={x};Uid=sa;Pwd={1};"',
        'dict[nameof(Options.UserName)] = "hunter2hunter";',
        'dict[nameof(Options.PasswordHash)] = "hunter2hunter";',
        '"Pwd": "Your password is too short"',
        '"Passphrase": "The passphrase must not be empty"',
        "var keyChars = new[] { 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' };",
        'Run($"cmdkey /add:{srv} /user:{user} /pass:{pass}");',
        'Run($"sqlplus {user}/{password}@orcl");',
        'Run("schtasks /create /tn job /ru SYSTEM /sc daily");',
        "// Пароль: обязательно",
        "// mot de passe : obligatoire",
        '[Option("name", Default = "Tiger@1984")] public string P { get; set; }',
        'var k = @"{""kty"":""EC"",""x"":""gNNxKzBmqVQJPDW22YlSeBfwTB3RdsnO""}";',
        f"string[] words = {{ {', '.join(sorted(LISTED.split(', ')))} }}; // seed of a game",
    ],
)
def test_what_is_written_like_such_a_secret_is_left_alone(text):
    assert masked(text) == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('var password = "abcd1234$7";', "abcd1234$7"),
        ('new NetworkCredential("svc", "abcd1234@1", "CORP01")', "abcd1234@1"),
        (
            'CreateAsync(new AppUser { UserName = "admin", Roles = { "a" } }, "Buster#96Pepper");',
            "Buster#96Pepper",
        ),
        ('connection.Bind("cn=reader,dc=shop,dc=test", "arsenal446");', "arsenal446"),
        ('var hashed = Hash(input + "N15yNTvOBoNM6z4Bma66S0"); // pepper', "N15yNTvOBoNM6z4Bma66S0"),
        ('{ "apiKeys": { "https://nuget.test": "f50e7a1d-9604-4d0c-afd8-235591e6b443" } }', "f50e7a1d-9604"),
        ("command: redis-server --requirepass ecK1eP6RhKgDzidL", "ecK1eP6RhKgDzidL"),
        ("port 6379\nrequirepass ecK1eP6RhKgDzidL", "ecK1eP6RhKgDzidL"),
        ("Staging: `qa@shop.test` / password `liverpool199`", "liverpool199"),
        (
            f'$"https://maps.test/{"geocode/" * 9}json?a={{a}}&key=ZnNmPOQi8CUBRmKiQ6xct3m0vmsf"',
            "ZnNmPOQi8CUBRmKiQ6",
        ),
        (
            'new Dictionary<string, (string User, string Pass)> { ["eu"] = ("svc", "zaq12wsx@7"), };',
            "zaq12wsx@7",
        ),
        ('new Uri("ftp://upload:Summer#78Dragon@ftp.test/in")', "Summer#78Dragon"),
        ('"mongodb://root:P@ssw0rd20@mongo:27017/admin"', "ssw0rd20"),
        ("// The API key (203dbb12e57a6efc9f4f94852f0e09da) is valid until March", "203dbb12e57a6efc"),
        ("#region credentials (admin:Adm1n396!)", "Adm1n396!"),
        ('await auth.RequestPasswordTokenAsync("svc@shop.test", "pepper188");', "pepper188"),
        ('new SHA1AuthenticationProvider(new OctetString("summer768"))', "summer768"),
        ("- basic_auth: { username: prom, password: cheese332 }", "cheese332"),
        ('variable "db_password" {\n  default = "P@ssw0rd77"\n}', "P@ssw0rd77"),
        ("const t = jwt.sign({ id }, 'eHNOnzutmxMnl9gbT2bpzFckswoCGsy8');", "eHNOnzutmxMnl9gbT2bp"),
        ('Friend Const EncryptionPassphrase$ = "ginger209"', "ginger209"),
        ("SELECT pgp_sym_decrypt(data, 'KhfBcgyViMAdDIcBajIX') FROM t", "KhfBcgyViMAdDIcBajIX"),
    ],
)
def test_places_that_lists_written_blind_had_beyond_those(text, secret):
    assert secret not in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        'new NetworkCredential(userName, password, "CORP01");',
        'Password = "auth.password.too_short.1001";',
        '"Password": "Forgot password?"',
        'Password = "Please enter at least 8 characters!";',
        '"Mot_de_passe": "Mot de passe oublie ?"',
        "/// Password: what people type, hashed with bcrypt2b before comparison.",
        "/// Password: what people type, stored with version2 of the format.",
        'const string Boundary = "----WebKitFormBoundaryMVbbf3rov2FaLPfk";',
        'descriptorData = FromBase64String("ChBncmVldC9ncmVldC5wcm90bxIFZ3JlZXQxKtXfZE9Absr+JV2UIJ64");',
        '"paths": { "@auth/*": ["src/auth2/*"] }',
        'connection.Bind($"cn={user},dc=shop,dc=test", "{password}");',
        "The password `min_length` is a number.",
        'await auth.GeneratePasswordResetTokenAsync(user, "default2");',
        "- pool: { tokens: many, password: $PASSWORD }",
    ],
)
def test_what_such_lists_had_beside_them_is_left_alone(text):
    assert masked(text) == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("| user | password |\n|---|---|\n| admin | Feuerwehr1 |\n", "Feuerwehr1"),
        ("| user | password |\n| :-- | --- |\n| a | b |\n| admin | `Feuer!wehr1` |", "Feuer!wehr1"),
        ("Default login: `admin` / `Gletscher5`", "Gletscher5"),
        ("The default credentials are `admin:Standard!6`.", "Standard!6"),
        ("// old key was f2c72c1d3401dc7d466587bc668210c2", "f2c72c1d3401dc7d"),
        ("// key (old): f2c72c1d3401dc7d466587bc668210c2", "f2c72c1d3401dc7d"),
        ("/* root pw toor1234 on the build box */", "toor1234"),
        ('SignIn("m.keller", "zebra-crossing-9");', "zebra-crossing-9"),
        ('client.Connect("sftp.shop.test", 22, "transfer", "Upl0ad!now");', "Upl0ad!now"),
        ('user.ChangePassword("OldDoor1", "NewDoor2");', "OldDoor1"),
        ('X509Certificate2.CreateFromEncryptedPem(cert, key, "pemUnlock1")', "pemUnlock1"),
        ('var pdf = PdfReader.Open("a.pdf", "Pdf!Owner5");', "Pdf!Owner5"),
        ('await vault.WriteSecretAsync("db", "Winterreise.4");', "Winterreise.4"),
        ('SecureStringOf("Glocken!turm8")', "Glocken!turm8"),
        ('Func<string> passwordProvider = () => "L4mbda!pw";', "L4mbda!pw"),
        ('$"{{\\"login\\":\\"{user}\\",\\"password\\":\\"Tulip&Rose6\\"}}"', "Tulip&Rose6"),
        ("\"Host=pg;Username=app;Password='it''s 1 pw';Database=x\"", "s 1 pw"),
        ('@"Server=.;User ID=sa;Password=""quoted;pw 1"";"', "quoted;pw 1"),
        ('string vendorKey = "acme_live_01dcd59c69314e9e74cd0a11e03f6123b1e6fe44";', "01dcd59c69314e9e"),
        ('ClientSecret = "PYPz1fOzH2ZOtoDor9h0yxueDkCs56CO7ugpmRxw";', "PYPz1fOzH2ZOtoDor9"),
        ("sonar-scanner -Dsonar.login=efc71f3ac8ef5b16a45c3e2393d52a69104833d3", "efc71f3ac8ef5b16"),
        (
            f'x = "v1.0-{"e939407ac626d0402da9a835"}-{"90cceb44f753ed9f692def49fb25b942" * 4}90cceb44f753ed9f6a";',
            "90cceb44",
        ),
    ],
)
def test_classes_that_the_last_lists_showed(text, secret):
    assert secret not in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        "| Password | Rule |\n|---|---|\n| min length | 12 |\n",
        "| Token | Lifetime |\n|---|---|\n| access | 60 min |\n",
        "// old key was renamed to ApiKey2",
        'client.Connect("broker.shop.test", 1883, "client-17");',
        'hub.Connect("room-1", "user-2");',
        'Login(model.User, model.Password, "Shop2");',
        '[InlineData("secret", "3b1c5a7f9d2e4b6c8a0f1e3d5c7b9a2f")] // md5 of the text',
        'var words = new[] { "pass1", "pass2", "third_pass" };',
        'Decode("SGFsbG8gV2VsdCwgd2llIGdlaHQgZXMgZGlyPw==")',
        "password: changeme",
        "password: process.env.DB_PASSWORD2",
        'const string Wallet = "1BoatSLRHtKNngkdXEeobR76b53LETtpyT";',
        'X509Certificate2.CreateFromEncryptedPemFile("server2.pem", password)',
    ],
)
def test_what_the_last_lists_had_beside_them_is_left_alone(text):
    assert masked(text) == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('Password: "Fluss, Stil 8"', "Fluss, Stil 8"),
        ("  - name: DB_PASSWORD\n    value: 'Kube, Wert 3'", "Kube, Wert 3"),
        ("password: 'hash # und: doppel9'", "hash # und: doppel9"),
        ('auth: { user: svc, password: "Fluss, Stil 8" }', "Fluss, Stil 8"),
        ("<password>Fluss Stil 8</password>", "Fluss Stil 8"),
        ("<db.password>Fluss &amp; Stil 8</db.password>", "Fluss &amp; Stil 8"),
        ('string secret = @"Ver!bat\\im7";', "Ver!bat"),
        ("2026-01-03 ERR login failed for sa / Protokoll!1", "Protokoll!1"),
        ("\"login was refused for user bob with 'Nordlicht#21'\"", "Nordlicht#21"),
        ("char[] passphrase = { 's', 'o', 'n', 'n', 'e', 'n', 'b', 'l', 'u', 'm' };", "'n', 'b', 'l'"),
        ('new AuthenticationHeaderValue("Basic", "VIOXHjHokMqXchcmBGPDPGieiFBJ")', "VIOXHjHokMqXchcm"),
        (f'var k = Convert.FromHexString("{"0F3AC1D07BE24856" * 2}"); aes.Key = k;', "0F3AC1D07BE24856"),
        ('var token = $"{$"q7Zr2Vx9Kp4Wm8Ty"}-{"x4k9q2m7w1z8"}";', "x4k9q2m7w1z8"),
        ('var password = $"{"Som"}{"mer!9x"}";', "mer!9x"),
        ("net user ops Net!user77 /add", "Net!user77"),
        ("openssl enc -aes-256-cbc -k Open!ssl88 -in a", "Open!ssl88"),
        ("/* db: sa/Ya!sa2022 */", "Ya!sa2022"),
        ("ansible_become_pass: An!sible33", "An!sible33"),
        ("10:11 DBG header X-Api-Key: f8a9776d10dbbee150caaa35b109779c", "f8a9776d10dbbee1"),
        ('Connect($"Server={host};Password={"Nest!ed77"};User=x");', "Nest!ed77"),
    ],
)
def test_secrets_of_a_fresh_list_are_masked(text, secret):
    assert secret not in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        'Password: "Mindestens 8 Zeichen, 1 Ziffer"',
        'Password: "At least one sign, 8 letters"',
        "<password>must have 8 characters</password>",
        'string secret = @"Shop\\Vault2";',
        "ERR login failed for user sa / host db01",
        "char[] keyChars = { 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j' };",
        'new Header("Basic", "AdvancedPlanOfTheYear")',
        "net user $USER /delete",
        "openssl req -new -key server2.key -out a.csr",
        '"Password": "Password, minimum 8"',
        '"password": "Kennwort vergessen? Teil 2"',
        '{ "scripts": { "token": "node get-token2.js" } }',
        "ERROR login failed for anna2 / attempt#3 of 5",
        "![c](https://img.shields.io/codecov/c/github/a/b?token=MWrLXNkrtt&style=flat)",
        "[![codecov](https://codecov.io/gh/a/b/graph/badge.svg?token=O4RI5CMNDW)](https://codecov.io/gh/a/b)",
        "![q](https://sonar.test/api/project_badges/measure?token=59775eb09e620858a6999834af107fe391c1f545)",
        'var text = $"token {(fresh ? "yes1" : "no2")} of {name}";',
        'logger.LogInformation($"password of {user ?? "nobody1"} changed");',
        'var key = $"{"cart"}:{"items"}:{id}";',
    ],
)
def test_what_a_fresh_list_had_beside_them_is_left_alone(text):
    assert masked(text) == text


HEX = "78d1fa0141312f12fa5a2bcc9b86ad34"


@pytest.mark.parametrize(
    ("text", "is_secret"),
    [
        (f'var signature = Sign(payload, "{HEX}{HEX}");', True),
        (f'var sig = signer.ComputeSignature(body, "{HEX}{HEX}");', True),
        ('var signature = Sign(payload, "SHA256");', False),
        (f'var ok = VerifySignature(payload, "{HEX}{HEX}");', False),
        (f'return key.Equals("{HEX}", StringComparison.OrdinalIgnoreCase);', True),
        (f'if (etag.Equals("{HEX}")) return;', False),
        ('if (key.Equals("Content-Type2")) return;', False),
        (f"/* key={HEX} */", True),
        (f"// cache key: {HEX}", False),
        ('string wifi = "SSID=Home;Key=Summer2024!";', True),
        ('var picture = "WIFI:T:WPA;S:net;P:gr33nHouse;;";', True),
        ('SecretStore.Add("smtp", "hunter2");', True),
        ("// remove this: admin / Welcome1", True),
        ("// for admin / user and root / owner", False),
        ('var hashed = BCrypt.HashPassword("Welcome1");', True),
        ('SecretStore.Add("client-id", "client1");', False),
        ('static string PinCode = "739154";', True),
        ('var personalPAT = "q1w2e3r4t5y6u7i8o9p0a1s2d3f4";', True),
        ('var path = "q1w2e3r4t5y6u7i8o9p0/a1s2d3f4";', False),
    ],
)
def test_what_a_text_is_given_to_tells(text: str, is_secret: bool) -> None:
    assert (masked(text) != text) is is_secret
