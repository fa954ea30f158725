"""What a secret looks like: one rule per issuer. Those told by their names: `named_secrets`.

Each rule names letters without which it cannot match. So a text is searched for those first, which
is quick, and the pattern is compiled only when it is needed. No pattern can be made slow: what
repeats is bounded or possessive, and what may follow it cannot also be part of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from erstwhile.secrets.values import looks_random


class Rule(NamedTuple):
    """A kind of secret. Only the group `secret` of a match is masked, or all if it has none."""

    name: str
    hints: tuple[str, ...]
    """One of these, in small letters, is in every text that the pattern matches."""
    pattern: str
    likely: Callable[[str], bool] = lambda _: True
    """Whether what was found is a secret, where its form alone does not tell."""
    spaced: bool = False
    """Whether there may be spaces in a match; else it is one long word, and so are its hints."""

    @property
    def compiled(self) -> re.Pattern[str]:
        """Keys are in ASCII: where there are no spaces, letters of a sentence follow at once."""
        return _compiled(self.pattern, re.NOFLAG if self.spaced else re.ASCII)


@cache
def _compiled(pattern: str, flags: re.RegexFlag) -> re.Pattern[str]:
    return re.compile(pattern, flags)


ISSUED = (
    # whole documents, before anything inside them is found
    Rule(
        "private-key",
        ("private key",),
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:"
        r"(?:(?!-----(?:BEGIN|END))[\s\S])*+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"|(?:(?:\s|\\[nr]|[A-Z][\w-]{0,30}: [^\n]{0,80}\n)*+[A-Za-z0-9+/=]{16,}+)++)",
        spaced=True,
    ),
    Rule("age-key", ("age-secret-key-1",), r"AGE-SECRET-KEY-1[A-Z0-9]{50,}+"),
    Rule(
        "jwt",
        ("eyj",),
        r"(?<![A-Za-z0-9-])eyJ[\w-]{8,}+\.[\w-]{8,}+\.[\w-]{8,}+",
    ),
    # AI
    Rule("anthropic-key", ("sk-ant-",), r"sk-ant-[\w-]{20,}+"),
    Rule("openai-key", ("sk-",), r"(?<![a-z])sk-(?=[\w-]{0,80}\d)[\w-]{20,}+"),
    Rule("huggingface-token", ("hf_",), r"hf_[A-Za-z0-9]{30,}+"),
    Rule("replicate-token", ("r8_",), r"r8_[A-Za-z0-9]{37,}+"),
    Rule("groq-key", ("gsk_",), r"gsk_[A-Za-z0-9]{40,}+"),
    Rule("perplexity-key", ("pplx-",), r"pplx-[A-Za-z0-9]{40,}+"),
    Rule("xai-key", ("xai-",), r"xai-[A-Za-z0-9]{40,}+"),
    Rule("cerebras-key", ("csk-",), r"csk-[a-z0-9]{40,}+"),
    Rule("nvidia-key", ("nvapi-",), r"nvapi-[\w-]{40,}+"),
    Rule("langsmith-key", ("lsv2_",), r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    # cloud
    Rule(
        "aws-access-key",
        ("akia", "asia", "abia", "acca"),
        r"(?<![A-Z0-9])A(?:KI|SI|BI|CC)A[A-Z0-9]{16}(?![A-Z0-9])",
    ),
    Rule("google-api-key", ("aiza",), r"AIza[\w-]{35}"),
    Rule("google-oauth-token", ("ya29.",), r"ya29\.[\w-]{20,}+"),
    Rule("google-client-secret", ("gocspx-",), r"GOCSPX-[\w-]{20,}+"),
    Rule("azure-storage-key", ("accountkey=",), r"AccountKey=(?P<secret>[A-Za-z0-9+/=]{40,}+)"),
    Rule("azure-client-secret", ("8q~",), r"[\w~.]{3}8Q~[\w~.-]{31,34}"),
    Rule("digitalocean-token", ("_v1_",), r"do[opr]_v1_[a-f0-9]{64}"),
    Rule("alibaba-key", ("ltai",), r"LTAI[A-Za-z0-9]{12,}+"),
    Rule("tencent-key", ("akid",), r"(?<![A-Za-z0-9])AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    Rule("heroku-key", ("hrku-",), r"HRKU-[\w-]{36,}+"),
    Rule("supabase-token", ("sbp_",), r"sbp_[a-f0-9]{40}"),
    Rule("planetscale-token", ("pscale_",), r"pscale_(?:tkn|oauth|pw)_[\w.-]{32,}+"),
    Rule("databricks-token", ("dapi",), r"dapi[a-f0-9]{32}"),
    # version control
    Rule("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{36,}+"),
    Rule("github-token", ("github_pat_",), r"github_pat_\w{22,}+"),
    Rule(
        "gitlab-token",
        ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "gloas-", "glsoat-"),
        r"gl(?:pat|dt|rt|cbt|ptt|ft|oas|soat)-[\w-]{20,}+",
    ),
    Rule("bitbucket-token", ("atbb",), r"ATBB[A-Za-z0-9]{28,}+"),
    Rule("atlassian-token", ("atatt3",), r"ATATT3[\w=-]{50,}+"),
    # chat and mail
    Rule("slack-token", ("xox",), r"xox[abceoprs]-[A-Za-z0-9-]{10,}+"),
    Rule("slack-token", ("xapp-",), r"xapp-\d-[A-Za-z0-9-]{10,}+"),
    Rule("slack-webhook", ("hooks.slack.com",), r"hooks\.slack\.com/services/[\w/+-]{20,}+"),
    Rule("discord-webhook", ("/api/webhooks/",), r"/api/webhooks/\d{10,25}/[\w-]{20,}+"),
    Rule(
        "discord-token",
        (".",),
        r"(?<![\w-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}+(?![\w-])",
        looks_random,
    ),
    Rule("telegram-token", (":aa",), r"(?<!\d)\d{8,10}:AA[\w-]{33}"),
    Rule("twilio-key", ("sk", "ac"), r"(?<![A-Za-z0-9])(?:SK|AC)[a-f0-9]{32}(?![A-Za-z0-9])"),
    Rule("sendgrid-key", ("sg.",), r"SG\.[\w-]{16,32}\.[\w-]{16,64}+"),
    Rule("mailgun-key", ("key-",), r"(?<!\w)key-[a-f0-9]{32}"),
    Rule("mailchimp-key", ("-us",), r"(?<![a-f0-9])[a-f0-9]{32}-us\d{1,2}"),
    Rule("brevo-key", ("xkeysib-",), r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    # tools
    Rule("pulumi-token", ("pul-",), r"(?<!\w)pul-[a-f0-9]{40}"),
    Rule("doppler-token", ("dp.",), r"dp\.(?:pt|st|sa|ct|scim|audit)\.[\w.-]{40,}+"),
    Rule("npm-token", ("npm_",), r"npm_[A-Za-z0-9]{36,}+"),
    Rule("pypi-token", ("pypi-",), r"pypi-[\w-]{50,}+"),
    Rule("docker-token", ("dckr_",), r"dckr_(?:pat|oat)_[\w-]{20,}+"),
    Rule("rubygems-key", ("rubygems_",), r"rubygems_[a-f0-9]{48}"),
    Rule("terraform-token", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}+"),
    Rule("vault-token", ("hvs.", "hvb.", "hvr."), r"hv[sbr]\.[\w-]{20,}+"),
    Rule("postman-key", ("pmak-",), r"PMAK-[A-Za-z0-9-]{40,}+"),
    Rule("linear-key", ("lin_api_",), r"lin_api_[A-Za-z0-9]{32,}+"),
    Rule("notion-token", ("ntn_", "secret_"), r"(?:ntn|secret)_[A-Za-z0-9]{40,}+"),
    Rule("figma-token", ("figd_",), r"figd_[\w-]{30,}+"),
    # observability
    Rule("grafana-token", ("glsa_", "glc_"), r"gl(?:sa|c)_[\w+/=]{30,}+"),
    Rule("grafana-token", ("eyjrijoi",), r"eyJrIjoi[A-Za-z0-9+/]{40,}+={0,2}"),
    Rule("newrelic-key", ("nrak-", "nrii-", "nrjs-", "nrra-"), r"NR(?:AK|II|JS|RA)-[\w]{19,}+"),
    Rule("sentry-token", ("sntrys_", "sntryu_"), r"sntry[su]_[\w=+/-]{30,}+"),
    Rule("dynatrace-token", ("dt0",), r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    # payment
    Rule("stripe-key", ("_live_", "_test_"), r"[srp]k_(?:live|test)_[A-Za-z0-9]{10,}+"),
    Rule("stripe-webhook-secret", ("whsec_",), r"whsec_[A-Za-z0-9+/=]{20,}+"),
    Rule("square-token", ("sq0",), r"sq0(?:atp|csp|idp)-[\w-]{20,}+"),
    Rule("shopify-token", ("shp",), r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    Rule("razorpay-key", ("rzp_",), r"rzp_(?:live|test)_[A-Za-z0-9]{14,}+"),
    Rule("braintree-token", ("access_token$",), r"access_token\$\w{1,20}\$\w{10,20}\$[a-f0-9]{32}"),
)  # fmt: skip
"""In the order in which they are tried: the more particular first."""
