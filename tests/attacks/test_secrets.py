"""Secrets as people write them, in many languages; and sentences about secrets, which stay."""

# ruff: noqa: E501  one line is one text

from __future__ import annotations

import json
from pathlib import Path

import pytest

from erstwhile.secrets.masking import mask_json, mask_text

HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
WIF = "5KJvsngHeMpm884wtkJNzQGaCErckhHJBGFsvd3VyK5qMZXj3hS"
PHRASE = "legal winner thank year wave sausage worth useful legal winner thank yellow"
OTHER_PHRASE = "letter advice cage absurd amount doctor acoustic avoid letter advice cage above"
SECRETS = {
    "assigned-secret": [
        ("docker login -u a --password {}", "Neko2024x"), ("svn co --password {} url", "Neko2024x"),
        ("- name: DB_PASSWORD\n  value: {}", "Neko2024x"), ('"name": "API_TOKEN"\nvalue: "{}"', "Neko2024x"),
        ("psql postgres --password={}", "Neko2024x"), ("mysqldump --password={} x", "Neko2024x"),
    ],
    "password": [
        ("パスワードは{}です", "neko2024x"), ("Wi-Fiのパスワードは{}だったと思う", "Sakura-77x"),
        ("비밀번호는 {}입니다", "cat2024x"), ("제 암호는 {}예요.", "gom!0815"), ("暗証番号は{}です", "4821"),
        ("Das Passwort lautet {}.", "katze2024x"), ("mi contraseña es {}", "gato2024x"),
        ("mon mot de passe est {}", "chat2024x"),
        ("minha senha agora é {}", "Neko2024x"), ("kata sandi saya adalah {}", "Neko2024x"),
        ("echo {} | docker login -u bob --password-stdin", "Neko2024x"), ("echo '{}' | sudo -S ls", "Neko2024x"),
        ("sqlplus bob/{}@db", "Neko2024x"), ("user: bob\npass: {}", "Neko2024x"), ('{{"pass": "{}"}}', "Neko2024x"),
        ("cambié la contraseña a {}", "Neko2024x"), ("Ayer cambiamos la contraseña del wifi por {}", "Neko2024x"),
        ("la nueva contraseña quedó como {}", "Neko2024x"), ("mi contraseña ahora es {}", "Neko2024x"),
        ("j'ai changé le mot de passe en {}", "Neko2024x"), ("le nouveau mot de passe sera {}", "Neko2024x"),
        ("mot de passe remplacé par {}", "Neko2024x"), ("nouveau mot de passe {}", "Neko2024x"),
        ("Ich habe das Passwort auf {} geändert", "Neko2024x"), ("Das neue Passwort heißt {}", "Neko2024x"),
        ("neues Kennwort {}", "Neko2024x"), ("Passwort wurde auf {} gesetzt", "Neko2024x"),
        ("mudei a senha para {}", "Neko2024x"), ("a senha ficou {}", "Neko2024x"),
        ("nova senha {}", "Neko2024x"), ("troquei a senha por {}", "Neko2024x"),
        ("ho cambiato la password in {}", "Neko2024x"), ("la nuova password sarà {}", "Neko2024x"),
        ("nuova password {}", "Neko2024x"), ("я сменил пароль на {}", "Neko2024x"),
        ("новый пароль {}", "Neko2024x"), ("пароль теперь {}", "Neko2024x"),
        ("поменяла пароль от почты на {}", "Neko2024x"), ("パスワードを{}に変えました", "Neko2024x"),
        ("パスワードを{}に設定しました", "Neko2024x"), ("新しいパスワードは{}です", "Neko2024x"),
        ("비밀번호가 {}이에요", "Neko2024x"), ("비밀번호를 {}로 바꿨어요", "Neko2024x"),
        ("새 비밀번호는 {}입니다", "Neko2024x"), ("비번을 {}으로 변경했습니다", "Neko2024x"),
        ("把密码改成{}了", "Neko2024x"), ("密码重置为{}", "Neko2024x"),
        ("密码更新为{}", "Neko2024x"), ("新密码：{}", "Neko2024x"),
        ("我把密码换成了{}", "Neko2024x"), ("I changed the password to {}", "Neko2024x"),
        ("the new password will be {}", "Neko2024x"), ("new password {}", "Neko2024x"),
        ("password now {}", "Neko2024x"), ("I've reset my password for the bank to {}", "Neko2024x"),
        ("ldapsearch -x -D cn=admin -w {} -b dc=x", "Neko2024x"), ("ldapmodify -w{} -f a.ldif", "Neko2024x"),
        ("mongodump --host a -p {} --db x", "Neko2024x"), ("sqlcmd -S host -U sa -P {}", "Neko2024x"),
        ("zip -P {} a.zip b", "Neko2024x"), ("7z x -p{} a.7z", "Neko2024x"),
        ("az login -u a -p {}", "Neko2024x"), ("mosquitto_pub -u a -P {} -t x", "Neko2024x"),
        ("twine upload -u a -p {} dist/*", "Neko2024x"), ("oc login -u a -p {}", "Neko2024x"),
        ("podman login -u a -p {} r", "Neko2024x"), ("openssl rsa -passin pass:{} -in k", "Neko2024x"),
        ("smbclient //h/s -U ana%{}", "Neko2024x"), ("xfreerdp /u:a /p:{} /v:h", "Neko2024x"),
         ("redis-cli -h a --pass {} ping", "Neko2024x"),
         ("rabbitmqctl add_user ana {}", "Neko2024x"),
        ("htpasswd -b f ana {}", "Neko2024x"),
        ("パスワードは{}です", "Neko2024x"),
        ("暗証番号を{}に変えました", "4471"), ("PIN code {}", "4471"), ("PIN {}", "4471"), ("code PIN {}", "4471"),
        ("пин-код {}", "4471"), ("PIN-Code {}", "4471"), ("パスワードは{}です", "Ｎｅｋｏ２０２４ｘ"),
    ],
    "key": [
        ("private key {}", f"0x{HEX}"), ("key {}", HEX[:32]), ("my wallet key: {}", HEX),
        ("Mein privater Schlüssel ist {}", HEX), ("la clave privada es {}", HEX),
        ("ma clé privée est {}", HEX), ("秘密鍵は{}です", HEX), ("개인키는 {}입니다", HEX),
        ("закрытый ключ: {}", HEX),
    ],
    "wallet-key": [("{}", WIF), ("I keep {} in a drawer", WIF)],
    "seed-phrase": [
        ("my seed phrase is {}", PHRASE), ("Recovery phrase: {}", OTHER_PHRASE),
        ("the 12 words: {}", PHRASE), ("Meine Seed-Phrase lautet {}", OTHER_PHRASE),
        ("mi frase semilla es {}", PHRASE), ("ma phrase de récupération : {}", OTHER_PHRASE),
        ("シードフレーズは {}", PHRASE), ("시드 문구는 {}", PHRASE), ("助记词是 {}", PHRASE),
        ("seed words: {}", ", ".join(PHRASE.split())),
        ("mnemonic: {}", " ".join(f"{at}. {word}" for at, word in enumerate(PHRASE.split(), 1))),
    ],
    "azure-sas": [("https://a.blob.core.windows.net/c/f?sv=2022&sig={}", "aB3dE5%2Bx7jK9mN1pQ2rS4tU6vW8%2F3D")],
    "sentry-dsn": [("https://{}@o1.ingest.sentry.io/42", HEX[:32]), ("http://{}@errors.local/7", HEX[:32])],
    "password-hash": [
        ("{}", "$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW"),
        ("stored as {} now", "$argon2id$v=19$m=65536,t=2,p=1$gZiV/M1gPc22ElAH/Jh1Hw$CWOrkoo7oJBQ/iyh7uJ0LO2aLEfrHwTWllSAxT0zRno"),
        ("{}", "$6$52450745$k5ka2p8bFuSmoVT1tzOyyuaREkkKBcCNqoDKzYiJL9RaE8yMnPgh2XzzF0NDrUhgrcLwg78xs1w5pJiypEdFX/"),
        ("{}", "pbkdf2_sha256$600000$l5kbGvkLMbcd$ea9bnNUXaOo8Y7o1p2q3r4s5t6u7v8w9x0y1z2A3B4c="),
    ],
    "recovery-code": [
        ("My recovery codes are {}", "x7k2-9m4p, q3r8-1t6v and b5n0-c2d4"), ("backup code: {}", "73829104"),
        ("Wiederherstellungscode: {}", "x7k2-9m4p"), ("el código de recuperación es {}", "x7k2-9m4p"),
        ("code de récupération : {}", "x7k2-9m4p"), ("リカバリーコードは{}です", "x7k2-9m4p"), ("복구 코드는 {}", "x7k2-9m4p"),
    ],
    "card-code": [
        ("CVV {}", "731"), ("my cvc is {}", "0423"), ("Kartenprüfnummer: {}", "731"), ("el CVV es {}", "731"),
        ("le cryptogramme est {}", "731"), ("セキュリティコードは{}です", "731"), ("보안코드는 {}", "731"),
    ],
    "person-number": [
        ("My SSN is {}", "536-22-8726"), ("social security number: {}", "536228726"),
        ("Sozialversicherungsnummer {}", "65 170839 J 003"), ("número de la seguridad social: {}", "28 12345678 40"),
        ("numéro de sécurité sociale : {}", "2 69 05 49 588 157 80"), ("주민등록번호는 {}입니다", "880326-2047113"),
        ("マイナンバーは{}です", "1234 5678 9018"),
    ],
}  # fmt: skip
HARMLESS = [
    "Ich habe mein Passwort vergessen und muss es morgen zurücksetzen.",
    "Das Passwort muss mindestens 12 Zeichen lang sein.",
    "Das neue Passwort gilt ab dem 15.03.2026.",
    "Passwort geändert am 3. Mai 2026 um 14:30 Uhr.",
    "J'ai oublié mon mot de passe hier soir vers 23h15.",
    "Le mot de passe expire dans 90 jours.",
    "Le nouveau mot de passe doit contenir 8 à 64 caractères.",
    "Mot de passe changé le 2026-03-15.",
    "La contraseña caduca el 31/12/2026.",
    "Cambié la contraseña por seguridad en 2025.",
    "Mi hermana cambió la contraseña a las 10:30.",
    "La contraseña de Netflix la tiene Ana desde 2019.",
    "A senha expira em 30 dias e deve ter 8+ caracteres.",
    "Mudei a senha para uma mais forte em 2024.",
    "La password scade tra 90 giorni.",
    "La password del Wi-Fi è sul frigorifero.",
    "Ho cambiato la password alle 15:30.",
    "Пароль истекает через 90 дней.",
    "Пароль был сменён 12.05.2026.",
    "Я сменил пароль в 2024 году.",
    "Пароль от почты знает только Аня.",
    "密码将在30天后过期。",
    "密码长度至少8位，最多64位。",
    "我的密码在2024年改过。",
    "密码是什么意思？",
    "パスワードは90日ごとに変更してください。",
    "パスワードは2024年に変更しました。",
    "パスワードは8文字以上です。",
    "비밀번호는 90일마다 변경됩니다.",
    "비밀번호는 8자 이상이어야 합니다.",
    "비밀번호는 2024년에 바꿨어요.",
    "Het wachtwoord verloopt op 1-1-2027.",
    "Hasło wygasa za 30 dni.",
    "Şifrem 2024 yılında değişti.",
    "Mật khẩu hết hạn sau 90 ngày.",
    "Kata sandi harus 8-20 karakter.",
    "كلمة المرور تنتهي بعد 90 يوما.",
    "The token limit is 128000 and the model uses 4096 tokens.",
    "The secret to good bread is 24 hours of rest.",
    "My secret santa is Bob, budget 25€.",
    "Delete the token bucket after 10 minutes.",
    "Forget what I said about the password manager, we use 1Password7.",
    "Please delete my account and forget my birthday 1990-04-12.",
    "Token ring networks ran at 16Mbit/s.",
    "Set the password field's max length to 64.",
    "password reset link expires in 15min",
    "I changed my password to something longer last week.",
    "He set the password to expire every 90days.",
    "The API key is stored in vault at secret/data/app.",
    "Key: C# minor, 120bpm.",
    "The key is under the doormat at number 12b.",
    "Her pin is made of silver and cost 1200 dollars.",
    "Pin codes: Mumbai PIN code 400001.",
    "pin it to version 2.4.1",
    "The door code changed in 2024.",
    "The security code review is on 2026-03-04.",
    "My social security benefits are 1450 a month.",
    "reset password -> see ticket OPS-1234",
    "password: see 1Password entry \"Prod DB\"",
    "\"password\": null",
    "password=os.environ[\"DB_PASSWORD\"]",
    "PASSWORD=${DB_PASSWORD}",
    "token = get_token(user_id)",
    "secret_name: my-app-secret",
    "passwordless login with WebAuthn2",
    "Passwort-Manager im Vergleich 2026: Bitwarden vs. KeePass2",
    "Le jeton expire à 18h30",
    "Secreto a voces desde 1998",
    "Das ist ein offenes Geheimnis seit 2020.",
    "La clave del éxito es dormir 8 horas.",
    "La clave es practicar 3 veces por semana.",
    "Clave: reunión a las 10h30",
    "The password for step2 is not needed",
    "our password policy follows NIST800-63B",
    "new password screen looks great on iPhone15",
    "neues Passwort Formular in Version 2.3",
    "changed the password rules to match ISO27001",
    "Updated the password form to React18.",
    "I use the same password as in 2015, bad idea",
    "wir haben das Passwort auf Seite 3 erwähnt",
    "la contraseña en la página 12b del manual",
    "cambia la contraseña en el paso 2b",
    "change the password in step 2b",
    "trocar a senha no passo 3a",
    "пароль на странице 12б",
    "сменил пароль на роутере TP-Link AX55",
    "changed the password on router AX55",
    "cambié la contraseña en el router AX55",
    "ho cambiato la password in ufficio B12",
    "j'ai changé le mot de passe en salle B12",
    "password to room101",
    "Pass: 12, fail: 3",
    "pass: 95%",
    "boarding pass: AB1234",
    "pass: see ticket OPS-1234",
    "Tests\npass: 120ms",
    "name: API_KEY\nvalue: ${KEY}",
    "- name: TOKEN_LIMIT\n  value: 4096tokens",
    "echo done | sudo -S ls",
    "Send the password to user12 by phone", "envía la contraseña a user12 hoy", "mande a senha para user12",
    "отправь пароль на почту2024", "schick das Passwort an user12",
    "cambié la contraseña a las 10:30", "la contraseña se envía a ana@example.com", "mot de passe en clair",
    "le mot de passe est stocké en UTF-8", "Passwort auf dem Zettel", "Passwort auf Englisch",
    "senha para o banco", "senha em branco", "password in plain text",
    "password in AES-256 verschlüsselt", "пароль на почту", "пароль на 90 дней",
    "パスワードを忘れました", "パスワードをGoogleに保存しました", "パスワードを8文字以上に",
    "비밀번호가 틀렸어요", "비밀번호를 잊었어요", "비밀번호가 8자 이상",
    "密码重置为默认值", "new password policy", "new password field",
    "new password required", "nouveau mot de passe requis", "neues Passwort vergeben",
    "set the password to expire in 90 days", "change the password to a stronger one", "password now required",
    "PIN code 110001 is in Delhi", "pin 13 of the board", "GPIO pin 4",
    "tar -p x", "cp -p a b", "ssh -p 2222 host",
    "mkdir -p build2024/x", "docker run -p 8080:80 nginx", "zip -r a.zip b",
    "ldapsearch -x -b dc=x", "password to https://example.com/reset", "reset the password in iOS17",
    "senha a cada 90 dias", "contraseña a partir de 2024", "I moved the password to 1Password",
    "mot de passe par SMS", "kubectl get pods -w", "docker login -p",
    "パスワードは8文字以上です", "パスワードは忘れました", "비밀번호는 8자 이상이어야 합니다", "비밀번호를 잊어버렸어요",
    "The private key is stored in the vault", "Der private Schlüssel liegt im Tresor",
    "the token 0xdAC17F958D2ee523a2206206994597C13D831ec7 is USDT", f"the public key {HEX}",
    f"commit {HEX[:40]}", f"sha256: {HEX}", "La clave es dormir bien", "the key to success is practice",
    "Your seed phrase is the only way back into your wallet, so write it down and keep it away from others",
    "The recovery phrase can restore your whole wallet after every phone dies, never share them",
    "She planted twelve words: hope, love, joy", "The recovery codes are in the safe", "backup codes: see the drawer",
    "the recovery code expires in 10 minutes", "CVV is the number on the back", "a cvc with 3 digits",
    "Security code review at 9:30", "the security code has 1200 lines", "My SSN is secret",
    "social security number is 9 digits long", "La seguridad social paga 1200 euros", "$2 for a coffee, $1 for tea",
    "It costs $5$ or $6$ in LaTeX: $a$ and $b$", "https://example.com/?sig=short", "12 words are enough for a title",
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "frame", "secret"),
    [(kind, frame, secret) for kind, each in SECRETS.items() for frame, secret in each],
)
def test_a_secret_is_masked_and_nothing_else(kind: str, frame: str, secret: str) -> None:
    masked = mask_text(frame.format(secret))
    assert masked == frame.format(f"[masked:{kind}]")
    assert mask_text(masked) == masked


@pytest.mark.parametrize("text", HARMLESS)
def test_a_sentence_about_secrets_stays(text: str) -> None:
    assert mask_text(text) == text


def test_talk_that_others_wrote_stays() -> None:
    """LoCoMo: 5,882 turns without a secret. None is changed."""
    place = Path(__file__).parents[3] / "shared" / "data" / "locomo" / "locomo10.json"
    if not place.exists():
        pytest.skip("the evaluation data is not here")
    told = [each["conversation"] for each in json.loads(place.read_text("utf-8"))]
    sessions = [each for talk in told for each in talk.values() if isinstance(each, list)]
    texts = [turn["text"] for session in sessions for turn in session]
    assert len(texts) > 5_000
    assert [text for text in texts if mask_text(text) != text] == []


@pytest.mark.parametrize("secret", ["Neko2024x", "Ｎｅｋｏ２０２４ｘ"])
def test_letters_of_full_width_hide_nothing(secret: str) -> None:
    assert mask_text(f"ｐａｓｓｗｏｒｄ：{secret}") == "ｐａｓｓｗｏｒｄ：[masked:assigned-secret]"
    assert mask_text("ｐａｓｓｗｏｒｄ：８文字以上") == "ｐａｓｓｗｏｒｄ：８文字以上"


def test_letters_of_full_width_stay_beside_a_secret() -> None:
    """Nothing but the secret changes; what a disguise hides is masked all the same."""
    text = "ＡＢＣ社のＷｉ-Ｆｉ、パスワードはＮｅｋｏ２０２４ｘです。ＤＥＦ社は別。"
    masked = mask_text(text)
    assert masked == text.replace("Ｎｅｋｏ２０２４ｘ", "[masked:password]")
    twice = mask_text(f"{text} 新しいパスワードはＫｕｍａ２０２５ｙです。ＧＨＩ")
    assert twice.count("[masked:password]") == 2
    assert twice.startswith("ＡＢＣ社")
    assert twice.endswith("です。ＧＨＩ")


@pytest.mark.parametrize(("value", "hidden"), [("Neko2024x", True), ("3 of 4", False), (12, False)])
def test_a_field_named_pass_is_masked_if_its_value_looks_like_a_password(
    value: object, hidden: bool
) -> None:
    assert (mask_json({"pass": value}) != {"pass": value}) is hidden
