"""Chinese: how its sentences are taken apart, and all that is understood in it."""

from __future__ import annotations

import re

from erstwhile.learning.patterns.chinese_people import PEOPLE
from erstwhile.learning.patterns.chinese_phrases import PAST
from erstwhile.learning.patterns.chinese_values import proper_names
from erstwhile.learning.patterns.chinese_work import WORK
from erstwhile.learning.patterns.pattern import Language

_BEFORE = (
    r"(?:其实|另外|还有|对了|顺便说一下|顺便说|顺便|话说|嗯|哦|好的|好|你好|您好|大家好|嗨|是这样"
    r"|更正一下|更正|说错了|补充一下|提醒一下|因为|所以|但是|不过|而且|然后|现在|目前|注意"
    r"|不(?:对|是)?(?=[,，]))"  # with a comma: without, it negates what follows
)
_FIRST = {"我们的": "团队的", "我们": "团队", "咱们": "团队", "我": "用户"}
_I = re.compile("我们的|我们|咱们|(?<![自本忘唯])我(?!国|方|行)")


def _as_sentence(text: str) -> str:
    told = _I.sub(lambda found: _FIRST[found[0]], " ".join(text.split()))
    return re.sub(r" (?=[，。、])|(?<=[，。、]) ", "", told).strip()


def _set_in(value: str) -> str:
    """Latin letters stand apart from Chinese ones."""
    before = " " if re.match(r"[A-Za-z`]", value) else ""
    return f"{before}{value} " if re.search(r"[A-Za-z`]$", value) else f"{before}{value}"


def _stands_alone(said: str) -> bool:
    return len(said) >= 4 and not re.search(
        r"^(?:了|我说|你|这|那|它|他|她|怎么|什么)|这个|那个|上面|下面", said
    )


CHINESE = Language(
    name="zh",
    patterns=(*PEOPLE, *WORK),
    opening=re.compile(rf"(?:(?:{_BEFORE}|{PAST})[,，、:： ]*)*"),
    clause=re.compile(r"[,，；;：:、（(]\s*|——| 而 "),
    stop=re.compile(r"[,，；;。！？：（）()]|——| 但| 所以"),
    list_stop=re.compile(r"[,，；;。！？：（）()]|——"),
    tail=re.compile(
        r"\s*(?:[~～]+|了|啦|啊|呀|哦|哈|吧|呢|就行|就好|就可以|即可|来着|谢谢|现在|一下)$"
    ),
    date_tail=re.compile(rf"\s*{PAST}$"),
    correction=re.compile(r"[,，]?\s*(?:而)?不(?:是|叫)(?P<old>[^,，。；;！]+)"),
    doubt=re.compile(
        r"如果|假如|假设|假定|要是|倘若|假装|想象|比方|的话|就好了|真希望|但愿|也许|可能|大概|或许"
        r"|说不定|好像|似乎|应该是|要不要|是不是|会不会|能不能|可不可以|有没有|什么|哪里|哪儿|哪个"
        r"|除非|除了|好不好|行不行|对不对|是[^，,。]+还是"
        r"|谁|怎么|多少|几点|他说|她说|他们说|据说|听说|开玩笑|逗你|哈哈|呵呵|才怪|[爱笑]死"
        # done, and undone again
        r"|换回|改回|又回|取消|作废|回滚"
        # somebody's line in a conversation that was pasted
        r"|^(?!备注|注意|更正|补充|提醒|另外|对了|顺便|规则|重要)\w{1,8}[：:](?!//)"
    ),
    condition=re.compile(r"只要|只有|的情况下|以前|曾经|之前|过去|原来|小时候|的时候|当时"),
    fiction=re.compile(
        r"假设|假装|想象|扮演|翻译|改写|润色|校对|造句|例如|比如|举个例子|例子|台词|歌词|主角|角色"
        r"|写(?:一?[个篇段首封份])|编(?:一?[个段])|开头是|这(?:句|段)(?:话|文字)?|下面(?:这|的)"
        r"|^(?:尊敬的|亲爱的|发件人|收件人|主题)"
    ),
    question=re.compile(r"[?？]\W*$|[吗嗎么]\W*$|来着\W*$|呢[?？]?$"),
    withheld=re.compile(
        r"(?<![特区分])(?:别|不要|不用|请勿|无需|不必)(?:记住|记录|保存|记下来?|存下?|记(?!得|忆|错|混))"
        r"|保密|别说出去|不要外传|当我没说"
    ),
    also=re.compile(r"也|另外|同时|兼职|副业"),
    asks_to_forget=re.compile(
        r"(?:请|麻烦|你|把|可以)*(?:忘了|忘掉|忘记)(?P<value>我.+?)(?:这件事|这回事|这事|的事)"
    ),
    asks_to_keep=re.compile(
        r"(?:(?:对了|另外|还有|麻烦|请|帮我|你要|你|一定要|要|给我|好的|嗯)[，, ]?)*+"
        r"(?:记住|记得(?=[：:，, ]|我|咱)"  # 记得 before a verb is about something to do
        r"|记一下|记下来|记下|记着|牢记|别忘了|不要忘了|不要忘记|别忘记)(?:一下|这件事|这一点"
        r"|以下)?[：:，, ]*(?P<value>.+)"
    ),
    stands_alone=_stands_alone,
    set_in=_set_in,
    sentence=_as_sentence,
    names=proper_names,
)
