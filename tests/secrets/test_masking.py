"""Every secret is masked quickly, and nothing else is."""

from __future__ import annotations

import json
from base64 import b64encode

import pytest

from erstwhile.secrets.masking import mask_json, mask_text
from erstwhile.secrets.scan import secret_rules

LETTERS = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zC"
HEX = "0123456789abcdef" * 4
PLANTED = {
    "anthropic-key": f"sk-ant-api03-{LETTERS}",
    "openai-key": f"sk-proj-{LETTERS}",
    "huggingface-token": f"hf_{LETTERS}ab",
    "replicate-token": f"r8_{LETTERS}abcdef",
    "groq-key": f"gsk_{LETTERS}{LETTERS}",
    "perplexity-key": f"pplx-{LETTERS}{LETTERS}",
    "xai-key": f"xai-{LETTERS}{LETTERS}",
    "cerebras-key": f"csk-{LETTERS.lower()}abcdefgh",
    "nvidia-key": f"nvapi-{LETTERS}{LETTERS}",
    "langsmith-key": f"lsv2_pt_{HEX[:32]}_{HEX[:10]}",
    "password-hash": f"$2b$12${LETTERS}{LETTERS[:21]}",
    "wallet-key": "5KJvsngHeMpm884wtkJNzQGaCErckhHJBGFsvd3VyK5qMZXj3hS",
    "azure-sas": f"https://a.blob.core.windows.net/c?sig={LETTERS}",
    "sentry-dsn": f"https://{HEX[:32]}@o1.ingest.sentry.io/42",
    "recovery-code": "recovery code: x7k2-9m4p",
    "card-code": "my CVV is 731",
    "person-number": "my SSN is 536-22-8726",
    "license-key": "VK7JG-NPHTM-C97JM-9MPGT-3V66T",
    "aws-access-key": "AKIAIOSFODNN7EXAMPLE",
    "aws-secret-key": f"AKIAIOSFODNN7EXAMPLE,{LETTERS}{LETTERS[:8]}",
    "url-signature": f"https://b.s3.amazonaws.com/f?X-Amz-Signature={HEX}",
    "service-token": f"tskey-auth-{LETTERS}",
    "webhook": f"https://hooks.zapier.com/hooks/catch/{LETTERS}",
    "security-answer": "security answer: Fluffy",
    "docker-auth": '{"auth": "YW5hOmh1bnRlcjJ4"}',
    "otp-secret": "otpauth://totp/ana?secret=JBSWY3DPEHPK3PXP",
    "google-api-key": f"AIza{LETTERS}abc",
    "google-oauth-token": f"ya29.{LETTERS}",
    "google-client-secret": f"GOCSPX-{LETTERS}",
    "azure-storage-key": f"AccountKey={LETTERS}{LETTERS}==",
    "azure-client-secret": f"abc8Q~{LETTERS}",
    "digitalocean-token": f"dop_v1_{HEX}",
    "alibaba-key": f"LTAI{LETTERS[:20]}",
    "tencent-key": f"AKID{LETTERS}",
    "heroku-key": f"HRKU-{LETTERS}abcd",
    "supabase-token": f"sbp_{HEX[:40]}",
    "planetscale-token": f"pscale_tkn_{LETTERS}",
    "databricks-token": f"dapi{HEX[:32]}",
    "github-token": f"ghp_{LETTERS}abcd",
    "gitlab-token": f"glpat-{LETTERS[:20]}",
    "bitbucket-token": f"ATBB{LETTERS}",
    "atlassian-token": f"ATATT3{LETTERS}{LETTERS}",
    "slack-token": f"xoxb-1234567890-{LETTERS}",
    "slack-webhook": f"https://hooks.slack.com/services/T000/B000/{LETTERS}",
    "discord-webhook": f"https://discord.com/api/webhooks/123456789012345678/{LETTERS}",
    "discord-token": f"M{LETTERS[:23]}.{LETTERS[:6]}.{LETTERS[:27]}",
    "telegram-token": f"123456789:AA{LETTERS}x",
    "twilio-key": f"SK{HEX[:32]}",
    "sendgrid-key": f"SG.{LETTERS[:22]}.{LETTERS}{LETTERS[:11]}",
    "mailgun-key": f"key-{HEX[:32]}",
    "mailchimp-key": f"{HEX[:32]}-us12",
    "brevo-key": f"xkeysib-{HEX}-{LETTERS[:16]}",
    "pulumi-token": f"pul-{HEX[:40]}",
    "doppler-token": f"dp.pt.{LETTERS}{LETTERS[:8]}",
    "npm-token": f"npm_{LETTERS}abcd",
    "pypi-token": f"pypi-AgEIcHlwaS5vcmc{LETTERS}{LETTERS}",
    "docker-token": f"dckr_pat_{LETTERS}",
    "rubygems-key": f"rubygems_{HEX[:48]}",
    "terraform-token": f"{LETTERS[:14]}.atlasv1.{LETTERS}{LETTERS}",
    "vault-token": f"hvs.{LETTERS}",
    "postman-key": f"PMAK-{LETTERS}{LETTERS}",
    "linear-key": f"lin_api_{LETTERS}",
    "notion-token": f"ntn_{LETTERS}{LETTERS}",
    "figma-token": f"figd_{LETTERS}",
    "grafana-token": f"glsa_{LETTERS}",
    "newrelic-key": f"NRAK-{LETTERS[:27]}",
    "sentry-token": f"sntrys_{LETTERS}",
    "dynatrace-token": f"dt0c01.{'AB12' * 6}.{'CD34' * 16}",
    "stripe-key": f"sk_live_{LETTERS}",
    "stripe-webhook-secret": f"whsec_{LETTERS}",
    "square-token": f"sq0atp-{LETTERS}",
    "shopify-token": f"shpat_{HEX[:32]}",
    "razorpay-key": f"rzp_live_{LETTERS[:16]}",
    "braintree-token": f"access_token$production${LETTERS[:16]}${HEX[:32]}",
    "age-key": f"AGE-SECRET-KEY-1{'QPZRY9X8' * 8}",
    "jwt": f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0x.{LETTERS}",
    "private-key": f"-----BEGIN RSA PRIVATE KEY-----\n{LETTERS}\n-----END RSA PRIVATE KEY-----",
    "basic-auth": "postgres://bob:hunter2@db.example/shop",
    "authorization": f"Authorization: Bearer {LETTERS}",
    "cookie": f"Cookie: sessionid={LETTERS}; theme=dark",
    "assigned-secret": "export DB_PASSWORD=hunter2xyz",
    "password": "my password is hunter2",
    "key": f"the access token is {LETTERS[:20]}",
    "seed-phrase": f"my seed phrase is {' '.join(['velvet', 'otter', 'piano'] * 4)}",
}
"""One secret of each kind, in the company that some of them need."""
ORDINARY = (
    "the token is required, and the password: required",
    "550e8400-e29b-41d4-a716-446655440000",
    "9fceb02d0ae598e95dc970b74767f19372d61af8 fixes it",
    f"{b64encode(b'hello world').decode()} {b64encode(b'short').decode()}",
    "git commit -m 'ask-me about the task-list-of-many-words'",
    "see https://example.com:8080/path?mail=me@example.com#top",
    "max_tokens=4096 token_count: 12 keyboard=qwerty key: value",
    'PASSWORD=$DB_PASSWORD token=os.environ["TOKEN"] secret: ${SECRET}',
    "basic understanding of bearer bonds; the secret of success",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "记忆 пароль mot de passe", "", " ", "-" * 100, "skill-based routing-of-requests-in-a-mesh",
    "docker run -u 1000:1000 x", "git push -u origin main:main", "arn:aws:secret:my-app-1!x",
    "the file begins with -----BEGIN PRIVATE KEY----- and then comes the key itself",
    "auth_token = b64decode(auth['authorizationToken']).decode()", "https://user:password@host/",
    "tokenizer: cl100k_base, secretary: Bob1234, secret_name: my-app-2, password-app: 1Password",
)  # fmt: skip
DISGUISED = {
    "url-encoded": ("password%3DKuchen77%26x%3D1", "Kuchen77"),
    "address, url-encoded": ("postgres%3A%2F%2Fbob%3AKuchen77%40db", "Kuchen77"),
    "base64": (b64encode(f"ghp_{LETTERS}abcd".encode()).decode(), "Z2hw"),
    "base64 of an assignment": (b64encode(b"password=Kuchen77xyz;a=1").decode(), "cGFz"),
    "full-width colon": (f"token：{LETTERS}", LETTERS),
    "unseen inside": (f"ghp_{LETTERS[:9]}\u200b{LETTERS[9:]}abcd", LETTERS[:9]),
    "soft hyphen inside": (f"ghp_{LETTERS[:9]}\u00ad{LETTERS[9:]}abcd", LETTERS[:9]),
    "a line that goes on": (f"ghp_{LETTERS[:9]}\\\n{LETTERS[9:]}abcd", LETTERS[:9]),
    "python": ('os.environ["DB_PASSWORD"] = "mango-tree8"', "mango"),
    "json in json": ('{\\"password\\": \\"Tr0ub4dor&3\\"}', "dor&3"),
    "xml": ("<password>letmein</password>", "letmein"),
    "sql": ("CREATE USER bob WITH PASSWORD 'letmein'", "letmein"),
    "netrc": ("machine x login bob password hunter2x", "hunter2x"),
    "a program's option": ("mysql -uroot -pFisch9fisch shop", "Fisch9"),
    "markdown": ("- **Password:** `r0settaStone`", "r0setta"),
    "header": ("Authorization: Basic YW5hOkt1Y2hlbg==", "YW5h"),
    "broken off": (f"-----BEGIN RSA PRIVATE KEY-----\n{LETTERS}\n{LETTERS}", LETTERS),
}


def test_every_rule_has_an_example() -> None:
    assert set(PLANTED) == {rule.name for rule in secret_rules()}


@pytest.mark.parametrize("name", PLANTED)
def test_a_secret_of_each_kind_is_masked(name: str) -> None:
    """Every occurrence gets the same mask."""
    once = mask_text(PLANTED[name])
    assert f"[masked:{name}]" in once
    assert LETTERS[:12] not in once
    assert "hunter2" not in once
    twice = mask_text(f"say {PLANTED[name]}, and {PLANTED[name]} again")
    assert twice.count(f"[masked:{name}]") == 2
    assert mask_text(twice) == twice


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert mask_text(text) == text


@pytest.mark.parametrize("way", DISGUISED)
def test_no_disguise_helps(way: str) -> None:
    text, secret = DISGUISED[way]
    assert secret not in mask_text(text)
    assert mask_text(mask_text(text)) == mask_text(text)


def test_what_stands_round_a_secret_stays() -> None:
    """Chinese has no spaces, and a sentence has a full stop."""
    assert mask_text(f"密钥sk-proj-{LETTERS}在这里") == "密钥[masked:openai-key]在这里"
    assert mask_text("密码是abc123，别忘了") == "密码是[masked:password]，别忘了"
    assert mask_text("My password is hunter2. Bye.") == "My password is [masked:password]. Bye."
    assert mask_text("password: hunter2.") == "password: [masked:assigned-secret]."
    key = f"-----BEGIN PRIVATE KEY-----\n{LETTERS}\n"
    assert mask_text(f"{key}\nAna likes tea.").endswith("\nAna likes tea.")


def test_what_is_not_seen_stays_where_no_secret_is() -> None:
    """Also beside a secret, if it is part of normal writing."""
    persian, german = "می\u200cخواهم", "Donau\u00addampfer"
    assert mask_text(f"{persian} {german}") == f"{persian} {german}"
    assert german in mask_text(f"{german} {PLANTED['github-token']}")
    assert persian in mask_text(f"{persian} ghp_{LETTERS[:9]}\u200b{LETTERS[9:]}abcd")


def test_json_is_masked_in_its_depths_and_by_its_keys() -> None:
    token = PLANTED["github-token"]
    given = {
        "headers": [{"Authorization": "whatever it is"}, {"X-Api-Key": 12345}],
        "env": {"dbPassword": {"nested": "x"}, "CLIENT_SECRET": "x", "max_tokens": 5},
        "command": json.dumps({"deep": [token]}),
        token: None,
        "token": None,
        "author": "bob",
        "secret": True,
        "密码": "春天来了",
        "Mot de passe": "fraise",
    }
    assert mask_json(given) == {
        "headers": [
            {"Authorization": "[masked:authorization]"}, {"X-Api-Key": "[masked:api-key]"},
        ],
        "env": {
            "dbPassword": "[masked:password]", "CLIENT_SECRET": "[masked:secret]", "max_tokens": 5,
        },
        "command": '{"deep": ["[masked:github-token]"]}',
        "[masked:github-token]": None,
        "token": None,
        "author": "bob",
        "secret": True,
        "密码": "[masked:password]",
        "Mot de passe": "[masked:password]",
    }  # fmt: skip
