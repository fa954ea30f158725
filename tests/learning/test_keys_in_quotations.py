"""A quoted statement has a key if it plainly names the one value of an attribute, else none."""

from __future__ import annotations

import pytest

from erstwhile.learning.patterns import candidates
from tests.learning.user_turns import turn

NAMED = [
    ("Ich wohne in Leipzig.", "home", "Leipzig"),
    ("Wir sind letzten Monat nach Rostock gezogen.", "home", "Rostock"),
    ("Ich bin im März von Ulm nach Kiel umgezogen.", "home", "Kiel"),
    ("Ich arbeite bei Siemens.", "employer", "Siemens"),
    ("Ich heiße Anneke.", "name", "Anneke"),
    ("Mein Name ist Jonas Wirth.", "name", "Jonas Wirth"),
    ("Vivo en Sevilla.", "home", "Sevilla"),
    ("Me mudé a Valencia el año pasado.", "home", "Valencia"),
    ("Me he mudado a Oviedo.", "home", "Oviedo"),
    ("Nos mudamos a Burgos hace un año.", "home", "Burgos"),
    ("Trabajo para Telefónica.", "employer", "Telefónica"),
    ("Me llamo Lucía.", "name", "Lucía"),
    ("Mi cumpleaños es el 4 de mayo.", "birthday", "4 de mayo"),
    ("J'habite à Rennes.", "home", "Rennes"),
    ("Je vis maintenant à La Rochelle.", "home", "La Rochelle"),
    ("J'ai déménagé à Nantes en mars dernier.", "home", "Nantes"),
    ("Je travaille chez Renault.", "employer", "Renault"),
    ("Je suis comptable chez Danone.", "employer", "Danone"),
    ("Je m'appelle Maëlle.", "name", "Maëlle"),
    ("Mon anniversaire est le 9 août.", "birthday", "9 août"),
    ("大阪に住んでいます。", "home", "大阪"),
    ("私は先月、仙台に引っ越しました。", "home", "仙台"),
    ("福岡から神戸に引っ越しました。", "home", "神戸"),
    ("私はトヨタに勤めています。", "employer", "トヨタ"),
    ("私の名前は健太です。", "name", "健太"),
    ("私の誕生日は7月2日です。", "birthday", "7月2日"),
    ("Ich wohne jetzt in Bad Homburg und suche einen Zahnarzt.", "home", "Bad Homburg"),
    ("Seit April bin ich bei Miele angestellt.", "employer", "Miele"),
    ("Depuis un mois j'habite à Metz.", "home", "Metz"),
    ("Ich bin jetzt 36.", "age", "36"),
    ("Tengo 41 años.", "age", "41"),
    ("J'ai 29 ans.", "age", "29"),
    ("36歳になりました。", "age", "36"),
    ("Ich bin geschieden.", "relationship_status", "geschieden"),
    ("Estoy casada.", "relationship_status", "casada"),
    ("Je suis célibataire.", "relationship_status", "célibataire"),
]
TOLD_BESIDES = [
    ("Ich wohne in Gera mit zwei Katzen.", "Ich wohne in Gera", "Ich wohne mit zwei Katzen"),
    ("Ahora vivo en San Sebastián con mi hermana.",
     "Ahora vivo en San Sebastián", "Ahora vivo con mi hermana"),
    ("Ich arbeite seit 2019 bei Bosch als Prüferin.",
     "Ich arbeite seit 2019 bei Bosch", "Ich arbeite als Prüferin"),
    ("Je suis comptable chez Danone.", "Je suis comptable chez Danone", "Je suis comptable"),
    ("Ich wohne in Gera und habe zwei Katzen.", "Ich wohne in Gera", "(ich) habe zwei Katzen"),
]  # fmt: skip
UNNAMED = [
    "Ich wohne in der Nähe von Köln.", "Ich wohne am Stadtrand.", "Ich wohne in Untermiete.",
    "Ich lebe in Trennung.", "Ich wohne diese Woche in Hamburg.", "Ich wohne bis Juni in Graz.",
    "Ich wohne nicht in Bonn.", "Ich wohne auch in Wien.", "Meine Schwester wohnt in Jena.",
    "Wenn ich in Rom wohne, lerne ich Italienisch.", "Ich arbeite bei Nacht.",
    "Ich arbeite bei einer Bank.", "Ich arbeite in Dresden.", "Früher wohnte ich in Essen.",
    "Ich habe in Halle gewohnt.", "Ich möchte nach Lübeck ziehen.", "Ich wohne fast in Potsdam.",
    "Ich bin nach Hause gezogen.", "Ich lebe in Angst.", "Ich wohne in Miete.",
    "Vivo en el centro.", "Vivo en las afueras de Lugo.", "Vivo cerca de Vigo.",
    "No vivo en Toledo.", "Mi hermana vive en Cádiz.", "Vivo en Madrid hasta junio.",
    "También vivo en León.", "Quiero mudarme a Murcia.", "Trabajo en Barcelona.",
    "Trabajo para una empresa grande.", "Si vivo en Lima, aprendo a surfear.",
    "Antes vivía en Ávila.",
    "Esta semana vivo en Bilbao.", "Trabajo en casa.", "Nos mudamos a Jaén el mes que viene.",
    "J'habite dans la banlieue de Lyon.", "J'habite près de Lille.", "J'habite à la campagne.",
    "Je n'habite pas à Metz.", "Mon frère habite à Brest.", "J'habite à Caen jusqu'en juin.",
    "Je travaille chez moi.", "Je travaille à Paris.", "J'habite aussi à Tours.",
    "Je voudrais déménager à Nice.", "Je travaille chez un notaire.",
    "Si j'habite à Dax, je surfe.", "Ich wohne in Graz, aber nur bis Juni.",
    "Avant, j'habitais à Pau.", "Cette semaine je vis à Lyon.", "Je vis en couple.",
    "実家に住んでいます。", "郊外に住んでいます。", "妹は京都に住んでいます。",
    "札幌に引っ越したいです。",
    "来月、奈良に引っ越します。", "東京に住んでいません。", "会社に勤めています。",
    "今週は名古屋に住んでいます。",
    "大阪で働いています。", "もし広島に住んでいたら楽しい。", "昔は長崎に住んでいました。",
    "駅の近くに住んでいます。",
    "京都にも住んでいます。", "一人暮らしの家に引っ越しました。",
]  # fmt: skip


@pytest.mark.parametrize(("said", "key", "value"), NAMED)
def test_a_clear_value_has_a_key(said: str, key: str, value: str) -> None:
    assert (key, value) in [(each.key, each.value) for each in candidates(turn(said))]


@pytest.mark.parametrize("said", UNNAMED)
def test_an_unclear_value_has_none(said: str) -> None:
    assert not [each for each in candidates(turn(said)) if each.key]


@pytest.mark.parametrize(("said", "value", "besides"), TOLD_BESIDES)
def test_what_is_told_besides_stays_when_the_value_changes(
    said: str, value: str, besides: str
) -> None:
    found = {each.text: each.key is not None for each in candidates(turn(said))}
    assert found == {f'The user said: "{value}"': True, f'The user said: "{besides}"': False}
