"""Words round a secret, as parts of patterns: what it is called, what links it to its value.

By language where that helps. What is wrong here loses what somebody wanted to keep, so a word that
often means something else, such as "pass" or "code", is here only in company.
"""

from __future__ import annotations

LATIN = (
    r"pass(?:word|wd|code|phrase)s?|(?<=[_/.])pass(?=\s?[:=])|(?<![a-z])(?:pwd|psw|pw|mdp)(?![a-z])"
    r"|mots? de passe|contrase(?:ñ|n|n\u0303)as?|passwort|kennwort|senha|palavra-passe|wachtwoord"
    r"|has[lł]o|lozinka|parola|[şs]ifre(?:m|niz|si)?|jelsz[óo]|heslo|l[öo]senord(?:et)?"
    r"|m[ậa]t kh[ẩa]u|kata sandi|парол[ьяюе]м?"
)
LATIN_HINTS = (
    "pass", "pwd", "psw", "pw", "mdp", "contrase", "kennwort", "senha", "wachtwoord", "hasło",
    "haslo", "lozinka", "parola", "ifre", "jelsz", "heslo", "senord", "khẩu", "khau", "sandi",
    "парол",
)  # fmt: skip
OTHERS = (
    r"密码|密碼|口令|パスワード|暗証番号|비밀번호|비번|암호|패스워드|كلمة (?:المرور|السر)|رمز عبور"
    r"|گذرواژه|पासवर्ड|รหัสผ่าน|סיסמ[הא]"
)
"""Where a value may follow without a space."""
OTHER_HINTS = (
    "密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "비번", "암호", "패스워드",
    "كلمة", "رمز", "گذرواژه", "पासवर्ड", "รหัสผ่าน", "סיסמ",
)  # fmt: skip
NUMBERS = (
    r"пин(?:-?код)?|(?<![a-z])pin(?:[ -]?number|码|碼)?(?![a-z])"
    r"|(?<![a-z])(?:pin[ -]?code|code pin)(?![a-z])(?!\D{1,9}\d{6}\b)"  # six digits: an Indian town
    r"|(?:door|gate|alarm|lock|safe|garage|entry|access|security|unlock)s? (?:code|combination)"
)
NUMBER_HINTS = ("pin", "пин", " code", " combination")
KEYS = (
    r"(?:api|access|private|signing|encryption|auth|secret)[ _-]?key|secret|token|credentials?|密钥"
    r"|秘钥|私钥|令牌"
)
KEY_HINTS = ("key", "secret", "token", "credential", "密钥", "秘钥", "私钥", "令牌")
LOGINS = r"\b(?:login|log in|user|user ?name|account|e-?mail)\b|用户名|账号|帐号"

ATTRIBUTES = (
    "name", "type", "manager", "policy", "length", "count", "field", "hint", "uri", "url", "path",
    "file", "id", "expires", "expiry", "ttl", "size", "limit", "version", "arn", "label", "status",
    "usage", "endpoint", "reset", "format", "strength", "prompt", "rule", "rules", "provider",
    "model", "prefix", "regex", "pattern", "config", "class", "stream", "env", "var",
)  # fmt: skip
"""Of a secret; `secret_name` and `passwordPolicy` give nothing away."""
OWNERS = (
    r"for|of|to|on|in|at|from|du|de|del|des|pour|für|vom|von|zum|do|da|para|от|для|на|к|van|voor|di|per"
    r"|för"
)
NETWORKS = r"wi-?fi|wlan|admin|root"
COPULAS = r"is|was|are|est|c['’]est|es|ist|war|lautet|é|è|je|är|là|adalah|هي|هو|это|—|–|-|\|"
NOW = r"now|set to|still|currently|actually|jetzt|maintenant|ahora|agora|теперь"
COPULAS_OF_ASIA = (
    r"[我你]?(?:现在|目前|已经?|被)?(?:就?是|[改设設换]?[为為]|[改设换]成了?|设置为)|は|が|는|은|คือ"
)
UNITS = (
    r"char|digit|letter|bit|byte|day|week|month|year|hour|minute|second|time|token|user|people|percent|%"
    r"|zeichen|ziffern|stellen|caract|chiffres|cifras|dígitos|символ|位|个|個|年|月|天|次|字|文字|桁|자"
    r"|ตัว|अक्षर"
)
"""What a number before them counts; it is no password then."""
TALK = frozenset((
    "a", "an", "and", "any", "are", "as", "ask", "at", "be", "been", "below", "blank", "bool",
    "boolean", "bytes", "can", "case", "change", "changed", "char", "characters", "correct",
    "default", "different", "digits", "disabled", "do", "does", "eight", "either", "empty",
    "enabled", "encrypted", "enter", "example", "expired", "false", "field", "for", "forgotten",
    "from", "goes", "hashed", "hidden", "here", "how", "if", "in", "incorrect", "input", "int",
    "integer", "invalid", "is", "it", "its", "least", "letters", "long", "lost", "mandatory",
    "masked", "minimum", "missing", "must", "my", "need", "needed", "never", "new", "nil", "no",
    "none", "not", "null", "number", "object", "of", "old", "on", "once", "only", "optional", "or",
    "our", "please", "plain", "plaintext", "private", "protected", "provided", "public", "random",
    "read", "redacted", "removed", "required", "requis", "reset", "safe", "same", "saved", "secure",
    "see", "set", "short", "should", "show", "six", "string", "strong", "str", "stored", "symbols",
    "tbd", "ten", "text", "than", "that", "the", "their", "there", "these", "this", "to", "todo",
    "too", "true", "twelve", "type", "undefined", "unique", "unknown", "unset", "unsafe", "up",
    "use", "user", "username", "valid", "value", "varchar", "wanted", "weak", "what", "when",
    "with", "without", "word", "words", "wrong", "xxx", "yes", "you", "your",
))  # fmt: skip
"""What is said of passwords, and what stands in their place in code and in forms."""
