"""Forms of secrets that their issuers publish, or that secret scanners agree on: one row a kind, a pattern of RE2.

Sources: the issuers' own pages on token formats (AWS "IAM identifiers", GitHub "token formats", GitLab "token
overview", Microsoft "identifiable secrets", Stripe, Slack, npm, PyPI, Twilio and others), RFC 7519 for JWT.
"""

from __future__ import annotations

import msgspec

from services.prompt.secrets.patterns import HEX


class SecretForm(msgspec.Struct, frozen=True):
    """A kind of secret. `words`: lower-case; where none of them is in a text, no secret of the kind is; `pattern`: its
    group `s`, or all of it, is the secret."""

    kind: str
    words: tuple[str, ...]
    pattern: str


def _form(kind: str, words: str, pattern: str) -> SecretForm:
    return SecretForm(kind, tuple(words.split()), pattern if "(?P<s>" in pattern else rf"\b(?P<s>{pattern})")


_BASE62 = "[0-9A-Za-z]"
_HEX = "[0-9a-f]"
_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_GIVEN = r"[\w .:\[\]\"'()-]{0,30}[=:,(]\s{0,4}[\"'`]?"

FORMS: tuple[SecretForm, ...] = (
    _form("aws-access-key", "akia asia abia acca", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    _form(
        "aws-secret-key",
        "aws secret",
        rf"(?i:aws|secret){_GIVEN}(?P<s>[A-Za-z0-9/+]{{40}})(?:[^A-Za-z0-9/+=]|$)",
    ),
    _form(
        "aws-session-token",
        "fwogz iqojb2 fqogz",
        r"(?:FwoGZXIvYXdz|IQoJb3JpZ2lu|FQoGZXIvYXdz)[A-Za-z0-9/+=]{60,}",
    ),
    _form(
        "aws-bedrock-key",
        "absk bedrock-api-key-",
        r"(?:ABSK[A-Za-z0-9+/]{80,}={0,2}|bedrock-api-key-[\w-]{40,})",
    ),
    _form("aws-mws-token", "amzn.mws.", rf"amzn\.mws\.{_UUID}"),
    _form("google-api-key", "aiza", r"AIza[\w-]{35}"),
    _form("google-oauth", "gocspx- ya29. 1//0", r"(?:GOCSPX-[\w-]{28}|ya29\.[\w-]{30,}|1//0[\w-]{35,})"),
    _form(
        "azure-key",
        "accountkey sharedaccesskey",
        r"(?i:AccountKey|SharedAccessKey)\s*=\s*(?P<s>[A-Za-z0-9+/]{40,90}={0,2})",
    ),
    _form(
        "azure-key",
        "+ast +acr +aba +asb +amc +arm acdb azse aeh aiot azca azeg",
        r"[A-Za-z0-9+/]{32,76}(?:AzSe|\+ASt|ACDb|\+ACR|\+ABa|\+ASb|\+AEh|AIoT|AzCa|\+AMC|\+ARm|AzEG)[A-Za-z0-9+/]{4,6}(?:={1,2}|\b)",
    ),
    _form("azure-storage-key", "[A-Za-z0-9+/]==[\"'`<]", r"[\"'`>](?P<s>[A-Za-z0-9+/]{86}==)[\"'`<]"),
    _form("azure-functions-key", "azfu", r"[\w-]{40,48}AzFu[\w-]{4,8}={0,2}"),
    _form("azure-devops-token", "azdo", r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b"),
    _form(
        "azure-app-configuration",
        "secret=",
        r"(?i:\bid=[^;\"]{4,60};\s*secret=)(?P<s>[A-Za-z0-9+/=]{40,})",
    ),
    _form("azure-client-secret", "q~", r"(?:^|[^\w~.-])(?P<s>[\w~.-]{3}[0-9]Q~[\w~.-]{31,34})"),
    _form(
        "azure-openai-key",
        "jqqj9",
        rf"{_BASE62}{{52}}JQQJ9(?:9|D|H){_BASE62}[A-L]{_BASE62}{{16}}[A-Za-z][A-Za-z0-9]{{7}}",
    ),
    _form("azure-sas", "sig=", r"[?&;]sig=(?P<s>[A-Za-z0-9%+/]{43,90}(?:%3[dD]|=)?)"),
    _form("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36,}"),
    _form("github-token", "github_pat_", r"github_pat_[0-9A-Za-z]{22}_[0-9A-Za-z]{59}"),
    _form(
        "gitlab-token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct-",
        r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[\w.-]{20,64}",
    ),
    _form("gitlab-runner-token", "gr1348941", r"GR1348941[\w-]{20}"),
    _form("bitbucket-token", "atbb atctt3", r"(?:ATBB[A-Za-z0-9]{24,40}|ATCTT3xFfG[A-Za-z0-9+/=_-]{60,})"),
    _form("atlassian-token", "atatt3", r"ATATT3[\w=-]{60,}"),
    _form(
        "slack-token",
        "xox xapp- xoxe.",
        r"(?:xox[abeoprsc]-[0-9A-Za-z-]{10,}|xoxe\.xox[bp]-[\w-]{40,}|xapp-[0-9]-[0-9A-Za-z-]{20,})",
    ),
    _form(
        "slack-webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows)/(?P<s>T[A-Z0-9]{6,12}/[AB][A-Z0-9]{6,12}/[A-Za-z0-9/]{18,50})",
    ),
    _form("teams-webhook", "webhook.office.com", r"webhook\.office\.com/webhookb2/(?P<s>[\w@/-]{60,})"),
    _form(
        "discord-webhook", "discord", r"discord(?:app)?\.com/api/webhooks/(?P<s>[0-9]{16,20}/[\w-]{50,90})"
    ),
    _form("discord-token", r"\.[\w-]{6}\.[\w-]{27}", r"[MNO][A-Za-z0-9_-]{23,27}\.[\w-]{6}\.[\w-]{27,40}"),
    _form("telegram-token", ":aa", r"(?:\b|bot)(?P<s>[0-9]{8,10}:AA[\w-]{32,34})"),
    _form(
        "secret-in-path",
        "infura.io alchemy.com alchemyapi.io quiknode.pro getblock.io hook rpc. moralis",
        r"://[\w.-]*(?:infura\.io|alchemy(?:api)?\.(?:com|io)|quiknode\.pro|getblock\.io|moralis|hooks?\.|webhooks?\.|rpc\.)[^\s\"'?#]*?/"
        r"(?P<s>[\w-]{20,})(?:[^\w-]|$)",
    ),
    _form(  # a key by which an address is opened, behind a part that says so
        "secret-in-path",
        "/key/ /keys/ /token/ /tokens/ /apikey/ /api-key/ /api-keys/ /secret/ /secrets/ /auth/ /webhook/ /webhooks/"
        " /hook/ /hooks/",
        r"(?i)/(?:api-?keys?|keys?|tokens?|secrets?|auth|(?:web)?hooks?)/(?P<s>[1-9a-z_-][\w-]{19,}|0[0-9a-wyz_-][\w-]{18,})(?:[^\w.%{-]|$)",
    ),
    _form("password-in-address", "://", r"://[^\s/:@\"'`<>{}]*:(?P<s>[A-Za-z0-9+/?#]{16,128}={0,2})@[\w\[]"),
    _form(  # a client is made with its key
        "client-key",
        "client( api( sdk(",
        r"(?:\bnew\s+[\w.]*(?:Client|Api|API|Sdk|SDK)\(|(?:Client|Api|API|Sdk|SDK)\("
        r"\s*\"[^\"\n]*\",\s*)(?:[^()\n]*[ ,(])?\"(?P<s>[0-9a-f]{32,64}|[0-9A-F]{32,64})\"",
    ),
    _form(  # who binds to a directory says who it is, and its password
        "password-of-directory",
        ".bind( .bindasync(",
        r"(?i)\.bind(?:async)?\(\s*(?:[\w.]+\s*,\s*)?[$@]*\"(?:cn|uid|ou|dc)=[^\"\n]*\"\s*,\s*[$@]*\"(?P<s>[^\"\n{}]{4,60})\"",
    ),
    _form(
        "password-in-sql",
        "pgp_sym_ aes_encrypt( aes_decrypt(",
        r"(?i)\b(?:pgp_sym_(?:en|de)crypt|aes_(?:en|de)crypt)\([^()'\n]*(?:'[^'\n]*')?[^()'\n]*,\s*'(?P<s>[^'\n{}]{4,80})'",
    ),
    _form(
        "password-of-database",
        "@tcp( @unix(",
        r"[\"'][\w.-]{1,64}:(?P<s>[^\s:@\"'{}]{3,})@(?:tcp|unix)\(",
    ),
    _form(
        "password-of-database",
        ":5432: :5433: :*:",
        r"(?m)^[\w.*-]+:(?:[0-9]{2,5}|\*):[\w*-]+:[\w*-]+:(?P<s>\S{4,})\r?$",
    ),
    _form("trello-token", "ATTA[0-9a-fA-F]", r"ATTA[0-9a-fA-F]{64}"),
    _form("wallet-key", "account(", r"\bAccount\(\s*\"(?P<s>(?:0x)?[0-9a-f]{64})\""),
    _form("riot-key", "rgapi-", rf"RGAPI-{_UUID}"),
    _form("langfuse-key", "sk-lf-", rf"sk-lf-{_UUID}"),
    _form("deepl-key", ":fx", rf"{_UUID}:fx\b"),
    _form(
        "stripe-key",
        "_live_ _test_ whsec_",
        r"(?:[rs]k_(?:live|test)_[0-9A-Za-z]{10,}|whsec_[0-9A-Za-z+/]{32,64})",
    ),
    _form("square-token", "sq0csp- sq0atp- eaaa", r"(?:sq0csp-[\w-]{43}|sq0atp-[\w-]{22}|EAAA[\w-]{60})"),
    _form("paypal-token", "access_token$", r"access_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    _form("shopify-token", "shpat_ shpca_ shppa_ shpss_ shptka_", r"shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{32}"),
    _form("shippo-token", "shippo_", r"shippo_(?:live|test)_[0-9a-f]{40}"),
    _form("easypost-key", "ezak eztk", r"EZ[AT]K[A-Za-z0-9]{54}"),
    _form("flutterwave-key", "flwseck", r"FLWSECK(?:_TEST)?-[0-9A-Za-z]{12,40}(?:-X)?"),
    _form("razorpay-key", "rzp_", r"rzp_(?:live|test)_[A-Za-z0-9]{14,32}"),
    _form(
        "adyen-key",
        "aqe",
        r"\b(?P<s>AQE[a-z][A-Za-z0-9+/]{60,240}={0,2}(?:-[A-Za-z0-9+/=]{20,60})?)(?:[^\w+/=-]|$)",
    ),
    _form("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}\b"),
    _form("nuget-key", "oy2", r"oy2[a-z0-9]{43}\b"),
    _form("pypi-token", "pypi-", r"pypi-AgE[\w-]{50,}"),
    _form("rubygems-key", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    _form("crates-token", "cio", r"cio[A-Za-z0-9]{32}\b"),
    _form("clojars-token", "clojars_", r"CLOJARS_[0-9a-z]{60}"),
    _form("docker-token", "dckr_", r"dckr_(?:pat|oat)_[\w-]{27,40}"),
    _form("artifactory-token", "akcp cmvmdgtu", r"(?:AKCp[A-Za-z0-9]{50,80}|cmVmdGtu[A-Za-z0-9]{56})"),
    _form("anthropic-key", "sk-ant-", r"sk-ant-[\w-]{32,}"),
    _form("openai-key", "sk-", r"sk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{40,}"),
    _form("openrouter-key", "sk-or-", r"sk-or-v1-[0-9a-f]{64}"),
    _form("huggingface-token", "hf_ api_org_", r"(?:hf_|api_org_)[A-Za-z0-9]{34}\b"),
    _form(
        "model-provider-key",
        "gsk_ xai- pplx- r8_ fw_ tgp_ nvapi- csk- esecret_",
        r"(?:gsk_[A-Za-z0-9]{48,60}|xai-[A-Za-z0-9]{70,90}|pplx-[A-Za-z0-9]{40,60}|r8_[A-Za-z0-9]{37,40}|fw_[A-Za-z0-9]{22,30}|tgp_v1_[\w-]{40,50}|nvapi-[\w-]{60,80}|csk-[a-z0-9]{40,60}|esecret_[a-z0-9]{30,60})",
    ),
    _form("pinecone-key", "pcsk_", r"pcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{60,70}"),
    _form("sendgrid-key", "sg.", r"SG\.[\w-]{16,32}\.[\w-]{16,64}"),
    _form("sendinblue-key", "xkeysib- xsmtpsib-", r"(?:xkeysib|xsmtpsib)-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    _form("mailgun-key", HEX, r"(?:key-[0-9a-f]{32}|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})\b"),
    _form("mailchimp-key", "-us", r"[0-9a-f]{32}-us[0-9]{1,2}\b"),
    _form("mandrill-key", "md-", r"md-[A-Za-z0-9_-]{22}\b"),
    _form("twilio-key", HEX, rf"SK{_HEX}{{32}}\b"),
    _form("twilio-sid", HEX, rf"\bAC{_HEX}{{32}}\b[\"']?\s*[,:]\s*[\"']?(?P<s>{_HEX}{{32}})\b"),
    _form("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    _form("databricks-token", "dapi", r"dapi[0-9a-f]{32}(?:-[0-9])?\b"),
    _form("heroku-key", "hrku- heroku", rf"(?:HRKU-[\w-]{{36,70}}|(?i:heroku){_GIVEN}(?P<s>{_UUID}))"),
    _form(
        "hashicorp-token",
        "hvs. hvb. hvr. .atlasv1.",
        r"(?:hv[sbr]\.[\w-]{20,}|[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,70})",
    ),
    _form("pulumi-token", "pul-", r"pul-[0-9a-f]{40}"),
    _form("terraform-token", "tfp_ tfe_", r"tf[pe]_[\w-]{30,70}"),
    _form(
        "cloudflare-key",
        "v1.0- cloudflare",
        rf"(?:v1\.0-{_HEX}{{24}}-{_HEX}{{146}}|(?i:cloudflare){_GIVEN}(?P<s>[\w-]{{37,40}}))",
    ),
    _form("fastly-key", "fastly", rf"(?i:fastly){_GIVEN}(?P<s>[\w-]{{32}})\b"),
    _form("netlify-token", "nfp_", r"nfp_[A-Za-z0-9]{36,40}"),
    _form("vercel-token", "vcp_ vck_ vci_", r"vc[pki]_[A-Za-z0-9]{24,60}"),
    _form("supabase-key", "sbp_ sb_secret_", r"(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,50})"),
    _form("planetscale-token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w.=-]{32,64}"),
    _form("fly-token", "fo1_ fm2_ fm1", r"(?:fo1_[\w-]{43}|fm[12][ar]?_[A-Za-z0-9+/=]{80,})"),
    _form("railway-neon-key", "napi_", r"napi_[a-z0-9]{40,70}"),
    _form(
        "datadog-key",
        "ddapp_ ddapi_ datadog dd_",
        rf"(?i:datadog|dd)[_-]?(?i:api|app){_GIVEN}(?P<s>{_HEX}{{32}}(?:{_HEX}{{8}})?)\b",
    ),
    _form(
        "new-relic-key",
        "nrak- nrii- nrra- nrjs-",
        r"(?:NRAK-[A-Z0-9]{27}|NR(?:II|RA)-[\w-]{32,42}|NRJS-[0-9a-f]{19}|[0-9a-f]{36}NRAL)",
    ),
    _form("new-relic-license", "nral", r"[0-9a-f]{36}NRAL\b"),
    _form(
        "grafana-token",
        "glsa_ glc_ eyjr",
        r"(?:glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/]{32,}={0,2}|eyJrIjoi[A-Za-z0-9+/]{60,}={0,2})",
    ),
    _form(
        "sentry-token",
        "sntrys_ sntryu_ sntrya_",
        r"(?:sntrys_[A-Za-z0-9+/=_]{60,}|sntry[ua]_[0-9a-f]{64})",
    ),
    _form("dynatrace-token", "dt0", r"dt0[a-z][0-9]{2}\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}"),
    _form("honeycomb-key", "hcaik_ hcbik_", r"hc[abc][il]k_[a-z0-9]{58,60}"),
    _form(
        "elastic-key",
        "essu_ apikey",
        r"(?:essu_[A-Za-z0-9+/=]{40,}|(?i:\bapikey)\s(?P<s>[A-Za-z0-9+/]{40,}={0,2}))",
    ),
    _form("pagerduty-key", "pdl pd+", r"(?:pdkey_[\w+-]{20,30}|u\+[A-Za-z0-9_+-]{18})\b"),
    _form("linear-token", "lin_api_ lin_oauth_", r"lin_(?:api|oauth)_[A-Za-z0-9]{40,64}"),
    _form("notion-token", "secret_ ntn_", r"(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,50})\b"),
    _form("airtable-token", HEX, r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _form("asana-token", HEX, r"[0-9]/[0-9]{14,18}(?:/[0-9]{14,18})?:[0-9a-f]{32}"),
    _form("figma-token", "figd_ figo_", r"fig[do]_[\w-]{38,50}"),
    _form("dropbox-token", "sl.", r"sl\.(?:u\.)?[\w-]{60,}"),
    _form("facebook-token", "eaa", r"EAA[A-Za-z][A-Za-z0-9]{80,}"),
    _form("twitter-token", "aaaaaaaaa", r"A{20,22}[A-Za-z0-9%]{60,}"),
    _form("firebase-token", ":apa91b", r"[\w-]{11}:APA91b[\w-]{100,}"),
    _form("mapbox-token", "sk.ey", r"sk\.eyJ1[\w-]{30,}\.[\w-]{20,30}"),
    _form("contentful-token", "cfpat-", r"CFPAT-[\w-]{43}"),
    _form("postman-key", "pmak- pmat-", r"(?:PMAK-[0-9a-f]{24}-[0-9a-f]{34}|PMAT-[0-9A-Z]{26})"),
    _form("readme-key", "rdme_", r"rdme_[a-z0-9]{70}"),
    _form("launchdarkly-key", "sdk- api-", rf"(?:sdk|api|mob)-{_UUID}"),
    _form("statsig-key", "secret-", r"secret-[A-Za-z0-9]{40,50}\b"),
    _form("doppler-token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)(?:\.[\w-]{2,35})?\.[A-Za-z0-9]{40,44}"),
    _form(
        "onepassword-token",
        "ops_ey a3-",
        r"(?:ops_eyJ[\w-]{60,}={0,2}|A3-[A-Z0-9]{6}-(?:[A-Z0-9]{5}-?){5,6})",
    ),
    _form("sonar-token", "squ_ sqp_ sqa_", r"sq[upa]_[0-9a-f]{40}"),
    _form("snyk-token", "snyk_", r"snyk_(?:uat|sat)\.[0-9a-f]{8}\.[\w.-]{40,}"),
    _form("buildkite-token", "bkua_ bkct_", r"bk(?:ua|ct|at)_[0-9a-f]{40}"),
    _form("circleci-token", "ccipat_ cciprj_", r"(?i:cci(?:pat|prj))_[A-Za-z0-9]{20,30}_[0-9a-f]{40}"),
    _form("jfrog-token", "jfrt@", r"jfrt@[\w@-]{20,80}"),
    _form(
        "tailscale-key",
        "tskey-",
        r"tskey-(?:api|auth|client|scim|webhook)-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{16,40}",
    ),
    _form(
        "ngrok-token",
        "ngrok",
        rf"(?i:ngrok)(?:{_GIVEN}|[ \w-]{{0,30}}[ ])(?P<s>[0-9A-Za-z]{{24,30}}_[0-9A-Za-z]{{20,24}})",
    ),
    _form("confluent-key", "cflt", r"cflt[A-Za-z0-9+/]{60}"),
    _form("duffel-key", "duffel_", r"duffel_(?:test|live)_[\w=-]{43}"),
    _form("frameio-token", "fio-u-", r"fio-u-[\w=-]{64}"),
    _form("typeform-token", "tfp_", r"tfp_[\w.=-]{59}"),
    _form("intercom-token", "dg9r", r"dG9rO[A-Za-z0-9+/]{50,70}={0,2}"),
    _form("adafruit-key", "aio_", r"aio_[a-zA-Z0-9]{28}\b"),
    _form("alibaba-key", "ltai", r"LTAI[A-Za-z0-9]{17,21}\b"),
    _form("clickup-token", "pk_", r"pk_[0-9]{7,8}_[0-9A-Z]{32}\b"),
    _form("dependency-track-key", "odt_", r"odt_[A-Za-z0-9]{32,}\b"),
    _form("elevenlabs-key", "sk_", r"sk_[a-f0-9]{48}\b"),
    _form("fleetbase-key", "flb_live_", r"flb_live_[0-9a-zA-Z]{20}\b"),
    _form("flexport-key", "shltm_", r"shltm_[\w-]{40}"),
    _form("hubspot-token", "pat-na1- pat-eu1-", rf"pat-(?:eu|na)1-{_UUID}"),
    _form("ionic-token", "ion_[A-Za-z0-9]{8}", r"ion_[A-Za-z0-9]{42}\b"),
    _form("maxmind-key", "_mmk", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b"),
    _form("mongodb-atlas-token", "mdb_sa_sk_", r"mdb_sa_sk_[\w-]{40}"),
    _form("office-webhook", "outlook.office.com", r"outlook\.office\.com/webhook/(?P<s>[\w@/-]{60,})"),
    _form("okta-token", "okta", rf"(?i:okta){_GIVEN}(?P<s>00[\w-]{{40}})(?:[^\w-]|$)"),
    _form("pagarme-key", "ak_live_ ak_test_", r"ak_(?:live|test)_[A-Za-z0-9]{30}\b"),
    _form("salesforce-token", "00d", r"00D[A-Za-z0-9]{12}(?:[A-Za-z0-9]{3})?![\w.]{80,120}"),
    _form("segment-token", "sgp_", r"sgp_[A-Za-z0-9]{64}\b"),
    _form(
        "sourcegraph-token",
        "sgp_ slk_",
        r"(?:sgp_(?:(?:[a-f0-9]{16}|local)_)?[a-f0-9]{40}|slk_[a-f0-9]{64})\b",
    ),
    _form("voiceflow-key", "vf.", r"VF\.(?:(?:DM|WS)\.)?[a-fA-F0-9]{24}\.[A-Za-z0-9]{16}\b"),
    _form(
        "zapier-webhook", "hooks.zapier.com", r"hooks\.zapier\.com/hooks/catch/(?P<s>[0-9]+/[A-Za-z0-9]{5,})"
    ),
    _form("zoho-token", "1000.", r"1000\.[a-f0-9]{32}\.[a-f0-9]{32}\b"),
    _form("ubidots-token", "bbff-", r"BBFF-[0-9A-Za-z]{30}\b"),
    _form("posthog-key", "phx_", r"phx_[A-Za-z0-9]{40,60}\b"),
    _form("tines-webhook", "tines.com", r"\.tines\.com/webhook/(?P<s>[a-z0-9]{32}/[a-z0-9]{32})"),
    _form(
        "ifttt-key",
        "maker.ifttt.com",
        r"maker\.ifttt\.com/trigger/[\w{}-]+/(?:json/)?with/key/(?P<s>[\w-]{20,})",
    ),
    _form(
        "google-chat-webhook",
        "chat.googleapis.com",
        r"chat\.googleapis\.com/v1/spaces/[\w-]+/messages\?(?P<s>key=[\w-]+&token=[\w%-]+)",
    ),
    _form("logic-app-webhook", "logic.azure.com", r"logic\.azure\.com[^\s\"']*?[?&]sig=(?P<s>[\w%-]{30,})"),
    _form("open-vsx-token", "ovsxp_ ovsxat_", r"ovsx(?:p|at)_[0-9a-f-]{36}"),
    _form("mailersend-key", "mlsn.", r"mlsn\.[0-9a-f]{64}\b"),
    _form("resend-key", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b"),
    _form("weights-key", "wandb", rf"(?i:wandb){_GIVEN}(?P<s>[0-9a-f]{{40}})\b"),
    _form("langchain-key", "lsv2_", r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}\b"),
    _form("deepseek-key", "sk-", r"sk-[0-9a-f]{32}\b"),
    _form("search-provider-key", "tvly- fc-", r"(?:tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}|fc-[0-9a-f]{32})\b"),
    _form("prefect-token", "pnu_ pnb_", r"pn[ub]_[a-z0-9]{36}\b"),
    _form("scalingo-token", "tk-us-", r"tk-us-[\w-]{48}"),
    _form(
        "yandex-key", "aqvn t1.", r"(?:AQVN[\w-]{35,38}|t1\.[A-Z0-9a-z_-]+={0,2}\.[A-Z0-9a-z_-]{86}={0,2})"
    ),
    _form("infracost-key", "ico-", r"ico-[A-Za-z0-9]{32}\b"),
    _form("cloudinary-address", "cloudinary://", r"cloudinary://[0-9]+:(?P<s>[\w-]{20,})@"),
    _form(
        "kubernetes-token",
        "eyjhbgcioijsuzi1niisimtpzci6i",
        r"eyJhbGciOiJSUzI1NiIsImtpZCI6I[\w-]+\.[\w-]+\.[\w-]{16,}",
    ),
    _form("onesignal-key", "os_v2_", r"os_v2_(?:app|org)_[a-z2-7]{80,}\b"),
    _form("stytch-key", "secret-live- secret-test-", r"secret-(?:live|test)-[\w-]{30,}={0,2}"),
    _form("checkly-key", "cu_", r"cu_[0-9a-f]{32}\b"),
    _form("gocardless-token", "live_", r"live_[\w-]{40}\b"),
    _form("lob-key", "live_ test_", r"(?:live|test)_[0-9a-f]{35}\b"),
    _form("defined-networking-token", "dnkey-", r"dnkey-[a-z0-9=_-]{26}-[a-z0-9=_-]{52}"),
    _form("harness-token", "pat. sat.", r"(?:pat|sat)\.[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}\b"),
    _form("octopus-key", "api-", r"API-[A-Z0-9]{26,32}\b"),
    _form("beamer-token", "beamer", rf"(?i:beamer){_GIVEN}(?P<s>b_[\w=-]{{44}})"),
    _form(
        "plaid-token",
        "access-sandbox- access-production- access-development-",
        rf"access-(?:sandbox|development|production)-{_UUID}",
    ),
    _form("tencent-key", "akid", r"AKID[A-Za-z0-9]{32}\b"),
    _form("volcengine-key", "aklt", r"AKLT[A-Za-z0-9+/]{40,}"),
    _form("ibm-cloud-key", "ibm", rf"(?i:ibm){_GIVEN}(?P<s>[\w-]{{44}})(?:[^\w-]|$)"),
    _form("wallet-key", "xprv yprv zprv tprv", r"[t-z]prv[1-9A-HJ-NP-Za-km-z]{100,112}\b"),
    _form(
        "json-web-key",
        "kty",
        r"[\"'](?:d|k|p|q|dp|dq|qi)\\?[\"']{1,2}\s*:\s*\\?[\"']{1,2}(?P<s>[\w-]{22,})",
    ),
    _form("webex-token", "_pf84_", rf"[A-Za-z0-9]{{64}}_PF84_{_UUID}"),
    _form("token-in-address", "://", r"://(?P<s>[\w-]{20,})(?::(?:x-oauth-basic)?)?@[\w\[]"),
    _form("age-key", "age-secret-key-", r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    _form("jwt", "eyj", r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}"),
    _form("jwe", "eyj", r"eyJ[\w-]{16,}\.[\w-]*\.[\w-]{16,}\.[\w-]{16,}\.[\w-]{16,}"),
)
