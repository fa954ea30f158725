"""Parts of Chinese sentences that many patterns begin with."""

from __future__ import annotations

PAST = (
    r"(?:从|自)?(?:(?:今年|去年|前年|\d{4}年)?(?:(?:十[一二]?|[一二三四五六七八九]"
    r"|\d{1,2})月)?(?:\d{1,2}[日号])?(?<=[年月日号])|上个?(?:周|星期|礼拜)[一二三四五六日天]|上周"
    r"|上个月|上星期|昨天|前天|今天|(?:\d{1,3}"
    r"|[一二两三四五六七八九十]{1,2})个?(?:天|周|星期|月|年)[之以]?前)(?:开始|起|以来|的时候)?"
)
"""A time that lies behind: since when something is so."""
WHEN = rf"(?P<when>{PAST})?"
SOFT = (
    r"(?:现在|目前|已经|刚刚|刚|最近|也|其实|一直|真的|终于|就|都|特别|非常|很|超|最|比较|还|平时"
    r"|一般|通常)*+"
)
"""What may stand before a verb without changing what is said."""
I_DO = rf"我{SOFT}{WHEN}{SOFT}"
