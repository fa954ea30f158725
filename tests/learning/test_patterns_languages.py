"""What patterns learn in languages other than English, and what they leave alone."""

from __future__ import annotations

import pytest

from erstwhile.core.kinds import Kind
from tests.learning.user_turns import learned, only

STATED = {
    "我叫李明。": "用户的名字是李明",
    "你可以叫我小明就好。": "用户希望被称为小明",
    "我住在上海。": "用户住在上海",
    "我在腾讯工作。": "用户在腾讯工作",
    "我是一名护士。": "用户的职业是护士",
    "我今年34岁。": "用户34岁",
    "我的生日是7月14日，那周别安排事情。": "用户的生日是7月14日",
    "我对花生过敏。": "用户对花生过敏",
    "我不吃猪肉。": "用户不吃猪肉",
    "我老婆叫小红。": "用户的老婆叫小红",
    "我的牙医是王医生。": "用户的牙医是王医生",
    "我讨厌香菜。": "用户讨厌香菜",
    "我们用 pnpm。": "团队使用 pnpm",
    "网站跑在 Postgres 17 上。": "网站跑在 Postgres 17",
    "我们决定用 Kafka。": "团队决定用 Kafka",
    "我妹妹上周结婚了。": "用户的妹妹2026-11-09那一周结婚",
    "Ich heiße Anna Weber.": "Der Nutzer heißt Anna Weber",
    "Ich wohne in Köln, kannst du mir etwas empfehlen?": "Der Nutzer wohnt in Köln",
    "Ich arbeite als Krankenpfleger in Hamburg.": (
        "Der Nutzer arbeitet als Krankenpfleger in Hamburg"
    ),
    "Mein Geburtstag ist am 14. Juli.": "Der Nutzer hat am 14. Juli Geburtstag",
    "Mein Zahnarzt ist Dr. Weber.": "Der Zahnarzt des Nutzers ist Dr. Weber",
    "Meine Schwester hat letzte Woche geheiratet.": (
        "Die Schwester des Nutzers hat in der Woche ab 2026-11-09 geheiratet"
    ),
    "Vivo en Lisboa.": "El usuario vive en Lisboa",
    "Trabajo como enfermero en Sevilla.": "El usuario trabaja de enfermero en Sevilla",
    "Mi esposa se llama Ana.": "La esposa del usuario se llama Ana",
    "J'habite à Lyon.": "L'utilisateur habite à Lyon",
    "Je travaille chez Airbus.": "L'utilisateur travaille chez Airbus",
    "Je suis allergique aux noix.": "L'utilisateur est allergique aux noix",
    "私は東京に住んでいます。": "ユーザーは東京に住んでいる",
    "私の名前は田中です。": "ユーザーの名前は田中",
    "Eu moro em Lisboa.": "O usuário mora em Lisboa",
    "Trabalho na Petrobras.": "O usuário trabalha na Petrobras",
    "저는 서울에 살아요.": "사용자는 서울에 산다",
    "저는 커피를 좋아해요.": "사용자는 커피를 좋아한다",
    "Я живу в Москве.": "Пользователь живёт в Москве",
    "Мы используем pnpm.": "Команда использует pnpm",
    "Abito a Milano.": "L'utente abita a Milano",
    "Mi piace il caffè.": "All'utente piace il caffè",
}


@pytest.mark.parametrize("said", STATED)
def test_a_plain_statement_is_learned(said: str) -> None:
    assert learned(said) == [STATED[said]]


NOT_MEANT = [
    "我以前住在上海。", "我想住在上海。", "我不住在上海。", "如果我住在上海，该交多少税？",
    "我住在上海吗？", "我朋友说我住在上海。", "客户：我住在上海。", "翻译：我住在上海。",
    "假设我住在上海。", "在故事里我住在上海。", "小明说：我在腾讯工作。", "请叫我起床。",
    "我喜欢你。", "我住在学校附近。", "帮我润色：我住在上海。", "“我住在上海。”", "- 我住在上海",
    "我叫他小王。", "你是一名医生。我住在上海。", "我的名字很难写。", "我叫了外卖。",
    "我住在上海，对吗？", "我住在上海，开玩笑的。", "我有两个问题。",
    "Kunde: Ich wohne in Rom.", "Verbessere meinen Text: Ich wohne in Rom.",
    "Meine Schwester schrieb mir. Ich arbeite bei Airbus.", "Ich wohnte früher in Rom.",
    "Wenn ich in Rom wohne, was dann?", "Ich möchte in Rom wohnen.", "Ich wohne nicht in Rom.",
    "Stell dir vor, ich wohne in Rom.", "Mein Name ist schwer zu schreiben.", "Ich mag das.",
    "Wohne ich in Rom?", "Translate: Ich wohne in Rom.",
    "Mi amiga dice: trabajo en Airbus.", "Traduce: vivo en Roma.", "Antes vivía en Roma.",
    "Si vivo en Roma, ¿qué pago?", "Quiero vivir en Roma.", "¿Vivo en Roma?", "No vivo en Roma.",
    "Mi nombre es difícil de escribir.", "Imagina que vivo en Roma.",
    "Ma soeur m'a écrit: je travaille chez Airbus.",
    "Ma soeur m'a écrit. Je travaille chez Airbus.",
    "Traduis : j'habite à Rome.", "J'habitais à Rome.", "Je n'habite pas à Rome.",
    "Je veux habiter à Rome.", "Améliore mon texte : j'habite à Rome.", "J'aime ça.",
    "お客様のメール: 私は東京に住んでいます。", "友達が私は東京に住んでいますと言いました。",
    "翻訳して：私は東京に住んでいます。", "以前は東京に住んでいました。", "東京に住みたいです。",
    "私は東京に住んでいません。", "東京に住んでいますか？", "私の名前は難しいです。",
    "Meu amigo disse: trabalho na Petrobras.", "Eu morava em Roma.", "Não moro em Roma.",
    "고객: 저는 서울에 살아요.", "저는 서울에 살았어요.", "저는 서울에 살고 싶어요.",
    "Клиент: я живу в Москве.", "Раньше я жил в Риме.", "Я не живу в Риме.", "Я хочу жить в Риме.",
    "La mia amica ha scritto: lavoro alla Ferrari.", "Abitavo a Roma.", "Non abito a Roma.",
    # Statements that the same message takes back.
    "Ich liebe Ironie, nicht.", "Mein Geburtstag ist am 3. Mai, nein warte, am 4. Mai.",
    "Ich wohne in Rom. Sorry, in Mailand.", "Vivo en Roma, no, espera, en Milán.",
    "J'habite à Rome, non attends, à Milan.", "Abito a Roma, anzi a Milano.",
    "Abito a Roma. No, a Milano.", "Moro em Lisboa, ou melhor, no Porto.", "Vivo en Roma, no.",
    "Я живу в Москве, точнее в Туле.", "我住在上海，不对，北京。", "我住在上海。算了，当我没说。",
    "私は東京に住んでいます。いや、大阪です。", "저는 서울에 살아요. 아니, 부산이에요.",
    # Fiction, the words of others and guesses.
    "Ich wohne in Berlin. Das ist der erste Satz des Romans.", "Mi chiamo Anna, disse lei.",
    "Vivo en Roma. Es la primera frase de la novela.", "J'habite à Rome, dit-elle.",
    "J'habite à Rome. C'est la première phrase du roman.", "Vivo en Roma, dijo ella.",
    "Ich wohne in Rom, sagte sie.", "Moro em Lisboa, disse ela.", "Я живу в Москве, сказала она.",
    "Abito a Roma. È l'inizio del romanzo.", "Я живу в Москве. Первая строка романа.",
    "Ich bin vegan, vermutet mein Arzt.", "Soy celíaco, sospecha mi médico.",
    # Values that are none.
    "私の名前は変です。", "我是老师的学生。", "Ich arbeite bei Nacht.", "Trabajo en Google Docs.",
    "Mein Name ist Programm.", "제 이름은 비밀이에요.", "我的名字是秘密。",
]  # fmt: skip


@pytest.mark.parametrize("said", NOT_MEANT)
def test_what_is_not_plainly_meant_is_not_learned(said: str) -> None:
    assert learned(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "以后请用中文回答",
        "Antworte immer auf Deutsch",
        "Siempre responde en español",
        "Réponds toujours en français",
        "今後は日本語で答えてください",
        "Sempre responda em português",
        "앞으로 한국어로 대답해 주세요",
        "Всегда отвечай на русском языке",
        "Rispondi sempre in italiano",
    ],
)
def test_a_standing_instruction_is_learned(said: str) -> None:
    found = only(said)
    assert found.kind is Kind.INSTRUCTION
    assert found.text.endswith(said)


@pytest.mark.parametrize(
    "said",
    [
        "这次请用中文回答。",
        "Antworte diesmal auf Deutsch.",
        "Antworte immer kurz in dieser Mail.",
        "Responde siempre en francés en este correo.",
        "以后请用中文回答是错的。",
        "Ne réponds jamais en français est une mauvaise règle.",
        "Antworte immer auf Französisch, sagte das Schild.",
        "Antworte immer auf Französisch ist eine schlechte Regel.",
        "Всегда отвечай по-французски, гласила вывеска.",
        "Siempre responde en francés es una mala regla.",
        "Rispondi sempre in francese è una cattiva regola.",
        "Sempre responda em francês é uma má regra.",
        "Gib niemals auf.",
        "いつも笑っていて",
        "항상 곁에 있어 줘",
    ],
)
def test_an_order_for_one_turn_or_of_others_is_no_instruction(said: str) -> None:
    assert learned(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "我们从 npm 换成了 pnpm。",
        "Wir sind von npm auf pnpm umgestiegen.",
        "Cambiamos de npm a pnpm.",
        "Nous sommes passés de npm à pnpm.",
        "私たちはnpmからpnpmに切り替えました。",
        "Mudamos de npm para pnpm.",
        "우리는 npm에서 pnpm으로 바꿨어요.",
        "Мы перешли с npm на pnpm.",
        "Siamo passati da npm a pnpm.",
    ],
)
def test_a_switch_names_the_old_tool(said: str) -> None:
    found = only(said)
    assert (found.slot, found.instead_of, found.changes) == ("pnpm", ("npm",), True)


@pytest.mark.parametrize(
    "said",
    [
        "我们不再用 npm 了。",
        "Wir nutzen npm nicht mehr.",
        "Ya no usamos npm.",
        "Nous n'utilisons plus npm.",
        "Não usamos mais npm.",
        "Мы больше не используем npm.",
        "Non usiamo più npm.",
    ],
)
def test_an_end_is_told(said: str) -> None:
    found = only(said)
    assert found.ends
    assert found.slot == "npm"


@pytest.mark.parametrize(
    ("said", "value", "old"),
    [
        ("我的生日是5月3日。不好意思，是5月4日。", "5月4日", "5月3日"),
        ("Mein Geburtstag ist der 3. Mai. Sorry, ich meinte den 4. Mai.", "4. Mai", "3. Mai"),
    ],
)
def test_a_slip_is_corrected(said: str, value: str, old: str) -> None:
    found = only(said)
    assert (found.key, found.value, found.instead_of) == ("birthday", value, (old,))
    assert found.corrects
