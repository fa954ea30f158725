"""How people speak in Chinese of themselves, their families and what they like."""

from __future__ import annotations

import re

from erstwhile.core.kinds import Kind
from erstwhile.learning.patterns.chinese_phrases import I_DO, SOFT, WHEN
from erstwhile.learning.patterns.chinese_values import (
    is_concrete,
    is_employer,
    is_name,
    is_occupation,
    is_origin,
    is_place,
    is_workplace,
)
from erstwhile.learning.patterns.pattern import Pattern, Values

_KIN = (
    r"(?:老婆|妻子|太太|老公|丈夫|先生|女朋友|男朋友|对象|爱人|妈妈|母亲|爸爸|父亲|爸妈|父母|哥哥"
    r"|弟弟|姐姐|妹妹|儿子|女儿|大女儿|小女儿|大儿子|小儿子|孩子|宝宝|爷爷|奶奶|外公|外婆|姥姥|姥爷"
    r"|叔叔|阿姨|舅舅|姑姑|表哥|表弟|表姐|表妹|堂哥|堂弟|侄子|侄女|室友|老板|领导|同事|朋友|邻居"
    r"|狗狗|狗|猫咪|猫|兔子|仓鼠|鹦鹉|乌龟|家(?:的)?狗|家(?:的)?猫|家狗狗)"
)
_MINE = rf"我(?:们)?(?:家)?的?(?P<who>{_KIN})"
_PET = (
    r"(?:狗|猫|狗狗|猫咪|兔子|仓鼠|鹦鹉|乌龟|柯基|金毛|泰迪|哈士奇|橘猫|布偶|边牧|柴犬|英短|美短"
    r"|田园猫|田园犬)"
)


def _dated(values: Values) -> bool:
    return re.search(r"[\d一二三四五六七八九十][月日号]|\d[-/.]\d", values["value"]) is not None


def _languages(values: Values) -> bool:
    told = values["list"] != "话" and any(each in values["list"] for each in ("语", "话", "文"))
    return told and is_concrete(values)


def _likes(values: Values) -> bool:
    return (
        is_concrete(values)
        and len(values["list"]) <= 40
        and not values["list"].startswith(("上了", "的"))
    )


PEOPLE = (
    Pattern(
        name="name", says=r"我(?:的)?(?:名字|全名|大名|本名)?(?:叫做?|名叫|是叫)(?P<value>.+)",
        text="用户的名字是{value}", kind=Kind.PROFILE, key="name", named=True, fits=is_name,
    ),
    Pattern(
        name="name-is", says=r"我的?(?:名字|全名|大名|本名|姓名)是(?P<value>.+)",
        text="用户的名字是{value}", kind=Kind.PROFILE, key="name", named=True, fits=is_name,
    ),
    Pattern(
        name="call-me", says=r"(?:你们?)?(?:以后)?(?:可以|就|请|都)*(?:叫|称呼|喊)我(?:为|做)?"
        r"(?P<value>.+)",
        text="用户希望被称为{value}", kind=Kind.PROFILE, key="preferred_name", named=True,
        fits=is_name,
    ),
    Pattern(
        name="friends-call", says=r"(?:大家|朋友们?|同事们?|别人)(?:都|一般)*(?:叫|称呼|喊)我"
        r"(?P<value>.+)",
        text="用户希望被称为{value}", kind=Kind.PROFILE, key="preferred_name", named=True,
        fits=is_name,
    ),
    Pattern(
        name="lives-in", says=rf"(?:我们家?|我家|我){SOFT}{WHEN}{SOFT}(?:住在|定居在|家在|常住)"
        r"(?P<value>.+)",
        text="用户住在{value}", kind=Kind.PROFILE, key="home", named=True, fits=is_place,
    ),
    Pattern(
        name="moved-to", says=rf"(?:我们家|我们一家|我家|我)(?:和\w{{1,4}})?{SOFT}{WHEN}{SOFT}"
        r"(?:从(?P<old>.+?))?(?:搬家到|搬到|搬来|搬去)了?(?P<value>.+)",
        text="用户住在{value}", kind=Kind.PROFILE, key="home", named=True, fits=is_place,
    ),
    Pattern(
        name="from", says=r"我(?:是|来自)(?P<value>[\u3400-\u9fff]{2,6}?)(?:人)?(?<=人)$",
        text="用户是{value}人", kind=Kind.PROFILE, key="hometown", named=True, fits=is_origin,
    ),
    Pattern(
        name="works-at", says=rf"{I_DO}在(?P<value>.+?)(?:工作|上班|任职|就职)(?![过了])",
        text="用户在{value}工作", kind=Kind.PROFILE, key="employer", named=True, fits=is_employer,
    ),
    Pattern(
        name="joined", says=rf"{I_DO}(?:就职于|任职于|入职|加入)了?(?P<value>.+)",
        text="用户在{value}工作", kind=Kind.PROFILE, key="employer", named=True, fits=is_employer,
    ),
    Pattern(
        name="works-in", says=rf"{I_DO}在(?P<value>[^，,]+?)(?:工作|上班)(?![过了])",
        text="用户在{value}工作", kind=Kind.PROFILE, fits=is_workplace,
    ),
    Pattern(
        name="job", says=r"我(?:现在|目前|的?(?:职业|工作))?(?:是|当(?!然))(?:一?[个名位])?"
        r"(?P<value>.+)",
        text="用户的职业是{value}", kind=Kind.PROFILE, key="occupation", fits=is_occupation,
    ),
    Pattern(
        name="birthday", says=r"我的?(?:生日|出生日期)(?:是|在)(?P<value>.+)",
        text="用户的生日是{value}", kind=Kind.PROFILE, key="birthday", dated=False, fits=_dated,
    ),
    Pattern(
        name="born", says=r"我(?:是|出生于|生于)?(?P<value>\d{4}年\d{1,2}月(?:\d{1,2}[日号])?)"
        r"(?:出生|生|(?<=[月日号])$)",
        text="用户{value}出生", kind=Kind.PROFILE, key="birthday", dated=False,
    ),
    Pattern(
        name="born-in", says=r"我(?:是|出生于|生于)?(?P<value>\d{4}年)(?:出生|生|$)",
        text="用户{value}出生", kind=Kind.PROFILE, dated=False,
    ),
    Pattern(
        name="age", says=r"我(?:今年|现在)?(?:已经)?(?P<value>\d{1,3})岁"
        r"(?!那|时|之?[前后]|以[前后]|左右|的)",
        text="用户{value}岁", kind=Kind.PROFILE, key="age",
    ),
    Pattern(
        name="surname", says=r"我姓(?P<value>[\u3400-\u9fff]{1,2})(?:$|[，,])",
        text="用户姓{value}", kind=Kind.PROFILE, key="surname",
    ),
    Pattern(
        name="speaks", says=r"我(?:还|也)?会(?:说|讲)(?P<list>.+)",
        text="用户会说{list}", kind=Kind.PROFILE, fits=_languages,
    ),
    Pattern(
        name="native-language", says=r"我的?母语是(?P<value>.+)",
        text="用户的母语是{value}", kind=Kind.PROFILE, key="native_language", fits=is_concrete,
    ),
    Pattern(
        name="kin-called", says=rf"{_MINE}(?:的?名字)?(?:叫|名叫|是叫)(?P<value>.+)",
        text="用户的{who}叫{value}", kind=Kind.RELATION, named=True, fits=is_name,
    ),
    Pattern(
        name="has-named", says=rf"我(?:们)?(?:家)?(?:养了|有|领养了|养着)"
        rf"(?P<what>[一两二三四五六\d][只条匹个](?:\w{{0,4}}?){_PET})[，, ]?(?P<verb>名字叫|名叫"
        r"|叫)(?P<list>.+)",
        text="用户养了{what}，{verb}{list}", kind=Kind.RELATION, fits=is_concrete,
    ),
    Pattern(
        name="kin-does", says=rf"{_MINE}(?P<verb>住在|在|喜欢|不喜欢|对|是一名|是一位|是个?|会说"
        r"|不吃)(?P<list>.+)",
        text="用户的{who}{verb}{list}", kind=Kind.RELATION,
        fits=lambda values: is_concrete(values) and len(values["list"]) >= 2
        and (values["verb"] != "在" or values["list"].endswith(("工作", "上班", "读书", "上学",
        "生活", "留学", "上大学")))
        and (values["verb"] != "对" or values["list"].endswith("过敏"))
        and (values["verb"] not in ("是", "是个") or values["list"].endswith(("师", "生", "员",
        "家", "警察", "护士", "司机", "老板"))),
    ),
    Pattern(
        name="prefers-over", says=r"(?:比起|相比|跟|和)(?P<other>[^，,]+?)(?:相比)?[，, ]?我"
        r"(?:还是)?更?(?:喜欢|爱|偏爱|倾向于?)(?P<value>.+)",
        text="用户更喜欢{value}，而不是{other}", kind=Kind.PREFERENCE, fits=is_concrete,
    ),
    Pattern(
        name="prefers", says=r"我(?:还是)?(?:更喜欢|更爱|偏爱|更偏向)(?P<value>.+?)(?:[，,]?"
        r"(?:而)?不(?:是|喜欢|太喜欢)(?P<other>.+))?$",
        text="用户更喜欢{value}", kind=Kind.PREFERENCE,
        fits=lambda values: "other" not in values and is_concrete(values),
    ),
    Pattern(
        name="prefers-not", says=r"我(?:还是)?(?:更喜欢|更爱|偏爱)(?P<value>[^，,]+?)[，,]?"
        r"(?:而)?不(?:是|喜欢|太喜欢)(?P<other>.+)",
        text="用户更喜欢{value}，而不是{other}", kind=Kind.PREFERENCE, fits=is_concrete,
    ),
    Pattern(
        name="likes", says=rf"我{SOFT}(?P<verb>喜欢|热爱|爱吃|爱喝|爱看|爱听)(?P<list>(?!的).+)",
        text="用户{verb}{list}", kind=Kind.PREFERENCE, fits=_likes,
    ),
    Pattern(
        name="dislikes", says=rf"我{SOFT}(?P<verb>不太喜欢|不怎么喜欢|不喜欢|不爱吃|不爱喝|不爱"
        r"|讨厌|受不了|不吃|不喝|吃不了)(?P<list>(?!的)(?!.+了$).+)",
        text="用户{verb}{list}", kind=Kind.PREFERENCE, fits=_likes,
    ),
    Pattern(
        name="favourite", says=r"我最(?P<how>喜欢|爱)(?P<verb>吃|喝|看|听|用|玩)?的"
        r"(?P<what>[^，,是]{1,10}(?<!不))是(?P<list>.+)",
        text="用户最{how}{verb}的{what}是{list}", kind=Kind.PREFERENCE, key="favourite_{what}",
        fits=is_concrete,
    ),
    Pattern(
        name="allergic", says=rf"我{SOFT}对(?P<list>.+?)(?P<how>严重)?过敏",
        text="用户对{list}{how}过敏", kind=Kind.PROFILE, fits=is_concrete,
    ),
    Pattern(
        name="diet", says=rf"{I_DO}(?:是)?(?P<value>吃素|素食主义者|素食者|纯素主义者|吃全素)"
        r"(?!.*不)",
        text="用户{value}", kind=Kind.PROFILE, key="diet",
    ),
    Pattern(
        name="no-longer-lives", says=rf"我{SOFT}不住在?(?P<value>[^，,]{{2,}})了",
        text="用户住在{value}", kind=Kind.PROFILE, key="home", named=True, ends=True, fits=is_place,
    ),
    Pattern(
        name="no-longer-works", says=rf"我{SOFT}(?:不在(?P<value>[^，,]+?)(?:工作|上班|干)了|从"
        r"(?P<left>[^，,]+?)(?:离职|辞职)了?)",
        text="用户在{value}{left}工作", kind=Kind.PROFILE, key="employer", ends=True,
    ),
    Pattern(
        name="no-longer-does", says=rf"我{SOFT}(?:不再(?P<verb>用|使用|吃|喝|喜欢)(?P<list>.+)|不"
        r"(?P<verb2>吃|喝|喜欢|用(?= ?[A-Za-z]))(?P<list2>[^，,]+)了)$",
        text="用户{verb}{verb2}{list}{list2}", kind=Kind.FACT, ends=True, fits=is_concrete,
    ),
)  # fmt: skip
