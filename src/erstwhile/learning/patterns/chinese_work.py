"""How people speak in Chinese of their work: tools, rules, changes, decisions, and days."""

from __future__ import annotations

import re

from erstwhile.core.kinds import Kind
from erstwhile.learning.patterns.chinese_phrases import I_DO, SOFT, WHEN
from erstwhile.learning.patterns.chinese_values import are_short, is_concrete
from erstwhile.learning.patterns.pattern import Pattern, Values

_WE = rf"(?:我们|咱们)(?:团队|公司|组|项目|部门|这边|后端|前端)?{SOFT}{WHEN}{SOFT}"
_PART = (
    r"(?P<what>(?:我们的?)?[\w ]{0,10}?(?:测试环境|生产环境|开发环境|预发环境|环境|服务器|数据库"
    r"|接口|后台|网站|仓库|文档|面板|前端|后端|服务|网关|单元测试|集成测试|测试|构建|项目|代码"
    r"|镜像))"
)
_ADDRESS = (
    r"(?P<value>`[^`]+`|https?://\S+|localhost\S*|\d{1,3}(?:\.\d{1,3}){3}\S*"
    r"|[\w-]+(?:\.[\w-]+)+\S*)"
)
_ALWAYS = r"(?:以后都|以后请?|今后都?|今后|从现在开始|从现在起|从今以后|往后|从今天起|从今天开始)"
_UNTIL = r"(?P<until>[^，,。]+)"
_FOR_NOW = (
    r"(?P<until>这周|本周|这个星期|这星期|今天|这个月|本月|今晚|这[一两二三四五\d](?:天|周)"
    r"|接下来[一两二三四五\d]个?(?:天|周|星期|月))"
)
_DAY = (
    r"(?P<on>(?:\d{4}年)?\d{1,2}月\d{1,2}[日号]|(?:下个?)?(?:这|本)?(?:周|星期"
    r"|礼拜)[一二三四五六日天]|明天|后天)"
)
_EVENT = (
    r"(?:婚礼|面试|考试|手术|答辩|毕业典礼|演讲|会议|航班|体检|发布会|生日会|聚会|年会|签证预约"
    r"|预约|比赛|演出|截止日期|上线)"
)


def _tool(values: Values) -> bool:
    return (
        is_concrete(values)
        and len(values["list"]) <= 40
        and not values["list"].startswith(("过", "了", "来", "户", "的"))
    )


def _rule(values: Values) -> bool:
    return len(values["value"]) >= 3 and not re.search(
        r"这个|那个|这张|这里|[它他她]|这次", values["value"]
    )


def _decided(values: Values) -> bool:
    return len(values["value"]) >= 2 and not re.search(r"这个|那个|这样|它", values["value"])


WORK = (
    Pattern(
        name="we-use", says=rf"{_WE}(?:使用|采用|用的是|用)"
        r"(?P<list>(?!.+不(?:再)?用)(?!.*[了吧]$).+)",
        text="团队用{list}", kind=Kind.PROJECT, fits=_tool,
    ),
    Pattern(
        name="i-use", says=rf"我{SOFT}(?:使用|用)(?P<list>[^，,]+?(?:做|写|管理|来|编辑|记"
        r"|开发)[^，,]+)",
        text="用户用{list}", kind=Kind.ENVIRONMENT, fits=_tool,
    ),
    Pattern(
        name="run-with", says=rf"{_PART}(?P<verb>是用|要用|用|通过)(?P<list>.+?(?:跑|运行|执行"
        r"|启动|构建|部署|来跑))",
        text="{what}{verb}{list}", kind=Kind.PROJECT, fits=is_concrete,
    ),
    Pattern(
        name="address", says=rf"{_PART}(?P<of>的?(?:地址|网址|链接|域名|URL|IP))?(?P<verb>是|在"
        rf"|为|：|部署在|跑在)\s?{_ADDRESS}",
        text="{what}{of}{verb} {value}", kind=Kind.ENVIRONMENT, fits=is_concrete,
    ),
    Pattern(
        name="port", says=rf"{_PART}(?P<verb>(?:监听|跑在|运行在|用的?是?|开在|的?端口"
        rf"(?:号)?是))\s?(?P<value>\d{{2,5}}(?: ?端口)?)",
        text="{what}{verb} {value}", kind=Kind.ENVIRONMENT,
    ),
    Pattern(
        name="part-is", says=r"(?P<what>(?:我们的?|项目的?)?(?:数据库|框架|编程语言|编辑器|主分支"
        r"|默认分支|包管理器))(?P<verb>是|用的是|用) ?(?P<value>[A-Za-z].*(?<![的吧]))$",
        text="{what}{verb}{value}", kind=Kind.PROJECT, fits=are_short,
    ),
    Pattern(
        name="project-name", says=r"(?P<what>(?:我们的?)?项目(?:名字?|的名字)?)(?P<verb>叫做?"
        r"|是叫|名叫|名是)(?P<value>(?!停).+)",
        text="{what}{verb}{value}", kind=Kind.PROJECT, fits=are_short,
    ),
    Pattern(
        name="habit", says=r"(?:我们|咱们)(?:团队|组)?(?P<value>(?:每|都是|一般|通常"
        r"|周)[\w每周一二三四五六日天月号、和]{0,12}?(?:部署|发布|上线|发版|开会|站会|例会|合并))",
        text="团队{value}", kind=Kind.PROJECT, dated=False,
    ),
    Pattern(
        name="from-now-on", says=rf"(?P<how>{_ALWAYS})[，, ]*(?P<value>(?!叫我|称呼我|喊我|不再用"
        r"|我|会|再|也|请?多关照).+)",
        text="用户要求{how}{value}", kind=Kind.PREFERENCE, dated=False, rules=True, fits=_rule,
    ),
    Pattern(
        name="always", says=r"(?:请|麻烦)?(?P<how>永远不要|永远别|永远要|千万不要|千万别|绝对不要"
        r"|绝不要|总是要?|始终要?|一律|务必)(?P<value>.+)",
        text="用户要求{how}{value}", kind=Kind.PREFERENCE, dated=False, rules=True, fits=_rule,
    ),
    Pattern(
        name="use-not", says=r"(?:请)?用(?P<value>[^，,]+?)[，, ]*(?:不要用|别用|而不是|不要再用)"
        r"(?P<old>.+)",
        text="用户要求用{value}，不用{old}", kind=Kind.PREFERENCE, fits=are_short,
    ),
    Pattern(
        name="do-not-use", says=r"(?:请)?(?:不要用|别用|不要再用|别再用)"
        r"(?P<old>[^，,]+?)[了]?[，, ]+(?:要|请|改)?用(?P<value>.+)",
        text="用户要求用{value}，不用{old}", kind=Kind.PREFERENCE, fits=are_short,
    ),
    Pattern(
        name="switched", says=rf"{_WE}(?:把\w+)?从(?P<old>[^，,]+?)(?:换成|换到|迁移到|迁到"
        r"|切换到|切到|改成|改用|转到|升级到)了?(?P<value>.+)",
        text="团队用{value}", kind=Kind.PROJECT, fits=are_short,
    ),
    Pattern(
        name="i-switched", says=rf"{I_DO}从(?P<old>[^，,]+?)(?:换成|换到|迁移到"
        r"|切换到|切到|改用|转到)了?(?P<value>.+)",
        text="用户用{value}", kind=Kind.ENVIRONMENT, fits=are_short,
    ),
    Pattern(
        name="replaced", says=rf"{_WE}(?:把|将)(?P<old>[^，,]+?)(?:换成|替换成|替换为|改成)了?"
        r"(?P<value>.+)",
        text="团队用{value}", kind=Kind.PROJECT, fits=are_short,
    ),
    Pattern(
        name="not-but", says=rf"{_WE}(?:不再(?:使)?用|不用)(?P<old>[^，,]+?)了?[，, ]+(?:而是"
        r"|现在|都|改|已经)*(?:改用|换成|换到|用|使用)了?(?P<value>.+)",
        text="团队用{value}", kind=Kind.PROJECT, fits=are_short,
    ),
    Pattern(
        name="switched-to", says=rf"{_WE}(?:改用|换成|换用|迁移到|切换到)了?(?P<value>.+?)"
        r"(?:[，,]?(?:不再用|不用)(?P<old>.+?)了?)?$",
        text="团队用{value}", kind=Kind.PROJECT, fits=are_short,
    ),
    Pattern(
        name="no-longer-uses", says=rf"{_WE}(?:不再(?:使)?用(?P<value>[^，,]+?)了?|不用 ?"
        r"(?P<dropped>[A-Za-z][^，,]*?) ?了)$",
        text="团队用{value}{dropped}", kind=Kind.PROJECT, ends=True, fits=are_short,
    ),
    Pattern(
        name="decided", says=r"(?P<who>我们|咱们|我)(?:团队|组)?(?:已经|最终|最后|昨天|今天)*"
        r"(?P<verb>决定|商定|一致同意)了?(?P<value>.+)",
        text="{who}{verb}{value}", kind=Kind.DECISION, dated=False, fits=_decided,
    ),
    Pattern(
        name="until", says=rf"我(?:现在|目前|要|会|一直)*(?:在)?(?P<value>休假|放假|请假|休产假"
        rf"|出差|住院|隔离|度假|在外地|在\w{{2,8}}(?:出差|度假|开会))(?:到|至|直到){_UNTIL}",
        text="用户{value}到{until}", kind=Kind.STATE, dated=False,
    ),
    Pattern(
        name="for-now", says=rf"我{_FOR_NOW}(?:都|一直)*(?P<value>(?:在[^，,]{{1,12}}|休假|请假"
        rf"|出差|不在[^，,]{{0,8}}))$",
        text="用户{value}", kind=Kind.STATE, dated=False, fits=is_concrete,
    ),
    Pattern(
        name="away", says=rf"{_FOR_NOW}[，, ]?我(?:都|一直|要)*(?P<value>(?:在[^，,]{{1,12}}|休假"
        rf"|请假|出差|不在[^，,]{{0,8}}))$",
        text="用户{value}", kind=Kind.STATE, dated=False, fits=is_concrete,
    ),
    Pattern(
        name="event", says=rf"(?P<whose>我们|我)的?(?P<what>\w{{0,6}}?{_EVENT})(?:定在|在|是"
        rf"|安排在){_DAY}",
        text="{whose}的{what}在{on}", kind=Kind.EVENT, dated=False,
    ),
    Pattern(
        name="has-event", says=rf"(?P<who>我们|我){_DAY}(?:上午|下午|晚上)?(?:要|有)(?P<what>"
        rf"(?:一?[场个次])?\w{{0,6}}?{_EVENT})",
        text="{who}{on}有{what}", kind=Kind.EVENT, dated=False,
    ),
)  # fmt: skip
