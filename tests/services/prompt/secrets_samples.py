"""Secrets that nobody owns, put together here so that no file holds one whole."""

from __future__ import annotations

import base64

_LETTERS = "q7Zr2Vx9Kp4Wm8Ty3Bn6Hs5Jd1Fg0LcQwErTzUiOpAaSsDdFf2Gh7Jk9Lm3Nb5Vc8Xy1Za4Ws6Ed0Rf7Tg9Zh2Uj5Ik8"
_UPPER = "Q7ZR2VX4KPWM5TYB3NHSJD6FG2LC"


def _jwt() -> str:
    def part(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    return ".".join((part('{"alg":"HS256"}'), part('{"sub":"1734","adm":true}'), _LETTERS[:43]))


PEM = "\n".join(
    (
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        _LETTERS[:64],
        _LETTERS[8:72],
        "-----END RSA " + "PRIVATE KEY-----",
    )
)

SECRETS = {
    "private-key": PEM,
    "aws-access-key": "AKIA" + _UPPER.replace("0", "2")[:16].replace("8", "2").replace("9", "3"),
    "google-api-key": "AIza" + _LETTERS[:35],
    "github-token": "ghp_" + _LETTERS[:36],
    "gitlab-token": "glpat-" + _LETTERS[:20],
    "slack-token": "xoxb-" + "2741950638-" + _LETTERS[:24],
    "stripe-key": "sk_live_" + _LETTERS[:24],
    "npm-token": "npm_" + _LETTERS[:36],
    "nuget-key": "oy2" + _LETTERS.lower()[:43],
    "anthropic-key": "sk-ant-" + "api03-" + _LETTERS[:80],
    "sendgrid-key": "SG." + _LETTERS[:22] + "." + _LETTERS[22:65],
    "jwt": _jwt(),
}
"""By kind: secrets of a format of their own."""

ASSIGNED = "fR7#kQ2!vX9z"
"""What has no format and is told by its name."""
