"""Checks of Chinese values, to which the rules in `chinese.toml` refer by name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from erstwhile.learning.patterns.statement_rule import Values
from erstwhile.learning.reconcile.words import listed

_NAME = re.compile(r"[\u3400-\u9fff·]{1,6}|[A-Za-z][\w .'-]{0,30}")
_NOT_A_NAME = re.compile(
    r"^[了他她它你您我车人什啥不过做得着来去起是的这那]|[在是和]|来自|今年|住|外卖|什么|快递|滴滴|名字|一声|一下"
    r"|出来|过来|起床|醒|回家|吃饭|上学|作业|帮|买|去"
)
_POINTING = re.compile(
    r"^(?:这|那|你|您|它|他|她|哪|什么|怎么|上面|下面|前面|后面|刚才|第[一二三四五\d]|前者|后者)"
    r"|这个|那个|这种|那种"
)
_EMPLOYER = re.compile(
    r"(?:公司|集团|医院|学校|大学|中学|小学|幼儿园|银行|科技|研究所|研究院|工作室|事务所|出版社"
    r"|电视台|报社|局|厂|腾讯|阿里|阿里巴巴|字节|字节跳动|华为|百度|美团|京东|小米|网易|微软|谷歌"
    r"|苹果|滴滴|拼多多|快手|比亚迪|中兴|联想)$|^[A-Za-z]"
)
_ELSEWHERE = re.compile(
    r"^(?:家|这|那|外面|网上|线上|办公室|路上|公司|单位|哪|夜|努力|加班)$|^(?:这|那|哪|找|想|做|写)"
)
_DAY_OR_TIME = re.compile(
    r"(?:周|星期|礼拜)[一二三四五六日天末]|\d[点月日号:：]|[上下]午|明天|后天"
)
_NO_HOME = re.compile(
    r"[楼层室]$|楼[上下]|(?:朋友|同学|亲戚|同事)家|办公|工位|隔壁|一起|里面|酒店|宾馆|医院"
)
_OCCUPATION = re.compile(
    r"(?:师|教授|医生|学生|研究生|大学生|实习生|护士|警察|会计|司机|经理|老板|作家|画家|科学家"
    r"|音乐家|艺术家|教练|导游|记者|学者|程序员|公务员|演员|运动员|研究员|售货员|销售员|服务员"
    r"|快递员|飞行员|管理员|厨师|农民|店主|店长|校长|顾问|总监|助理|军人|歌手|木匠|电工|编剧|导演"
    r"|架构|律师|自由职业者)$"
)
_PROPER = re.compile(r"`[^`]+`|[A-Za-z][\w+#.-]*(?: [A-Z][\w+#.-]*)*")
_FIRST = {"我们的": "团队的", "我们": "团队", "咱们": "团队", "我": "用户"}
_I = re.compile("我们的|我们|咱们|(?<![自本忘唯])我(?!国|方|行)")
_OCCUPATIONS = ("师", "生", "员", "家", "警察", "护士", "司机", "老板")
_ENDINGS = {
    "在": ("工作", "上班", "读书", "上学", "生活", "留学", "上大学"),
    "对": ("过敏",),
    "是": _OCCUPATIONS,
    "是个": _OCCUPATIONS,
}
"""The required end of a sentence about a relative, after some verbs."""


def proper_names(text: str) -> Iterator[str]:
    """Return words in Latin letters, and texts between backticks."""
    return (found[0].strip("`") for found in _PROPER.finditer(text))


def is_name(values: Values) -> bool:
    value = values["value"]
    return bool(_NAME.fullmatch(value)) and not _NOT_A_NAME.search(value)


def is_concrete(values: Values) -> bool:
    """Return whether no value refers to another message or to the assistant."""
    texts = [text for name, text in values.items() if name in ("value", "list", "other", "old")]
    return all(not _POINTING.search(text) and not re.search(r"[你您]", text) for text in texts)


def is_place(values: Values) -> bool:
    return (
        is_concrete(values) and len(values["value"]) <= 20 and not _NO_HOME.search(values["value"])
    )


def is_origin(values: Values) -> bool:
    """Return whether a value is a place of origin, unlike 好人 and 负责人."""
    place = values["value"].removesuffix("人")
    known = {*listed("place", "wide"), *listed("place", "towns")}
    return place in known or (len(place) > 1 and place.endswith(tuple("省市县州区镇村")))


def is_employer(values: Values) -> bool:
    return bool(_EMPLOYER.search(values["value"])) and not _ELSEWHERE.search(values["value"])


def is_workplace(values: Values) -> bool:
    """Return whether a value is a place of work without the name of an employer."""
    return (
        is_concrete(values) and not is_employer(values) and not _ELSEWHERE.search(values["value"])
    )


def is_occupation(values: Values) -> bool:
    value = values["value"]
    return is_concrete(values) and len(value) <= 12 and bool(_OCCUPATION.search(value))


def are_short(values: Values) -> bool:
    """Return whether the new and the old value are names, and not the times of a meeting."""
    texts = [values[name] for name in ("value", "old") if name in values]
    named = all(len(text) <= 30 and not _DAY_OR_TIME.search(text) for text in texts)
    return is_concrete(values) and named


def has_date(values: Values) -> bool:
    return re.search(r"[\d一二三四五六七八九十][月日号]|\d[-/.]\d", values["value"]) is not None


def are_languages(values: Values) -> bool:
    named = values["list"] != "话" and any(each in values["list"] for each in ("语", "话", "文"))
    return named and is_concrete(values)


def is_liked(values: Values) -> bool:
    return (
        is_concrete(values)
        and len(values["list"]) <= 40
        and not values["list"].startswith(("上了", "的"))
    )


def is_tool(values: Values) -> bool:
    return (
        is_concrete(values)
        and len(values["list"]) <= 40
        and not values["list"].startswith(("过", "了", "来", "户", "的"))
    )


def is_rule(values: Values) -> bool:
    return len(values["value"]) >= 3 and not re.search(
        r"这个|那个|这张|这里|[它他她]|这次", values["value"]
    )


def is_decision(values: Values) -> bool:
    return len(values["value"]) >= 2 and not re.search(r"这个|那个|这样|它", values["value"])


def is_preferred(values: Values) -> bool:
    return "other" not in values and is_concrete(values)


def is_said_of_kin(values: Values) -> bool:
    endings = _ENDINGS.get(values["verb"], ("",))
    return is_concrete(values) and len(values["list"]) >= 2 and values["list"].endswith(endings)


def stands_alone(said: str) -> bool:
    return len(said) >= 4 and not re.search(
        r"^(?:了|我说|你|这|那|它|他|她|怎么|什么)|这个|那个|上面|下面", said
    )


def set_in(value: str) -> str:
    """Return a value for use between other words: add spaces around Latin letters."""
    before = " " if re.match(r"[A-Za-z`]", value) else ""
    return f"{before}{value} " if re.search(r"[A-Za-z`]$", value) else f"{before}{value}"


def as_sentence(text: str) -> str:
    rewritten = _I.sub(lambda found: _FIRST[found[0]], " ".join(text.split()))
    return re.sub(r" (?=[，。、])|(?<=[，。、]) ", "", rewritten).strip()
