"""Sentences as agents write them down, English and Chinese, made from templates, with near-duplicates among them.

    texts, planted = sentences(2400)

`planted` says which texts were made from which: (number of the text, number of its original, how it was changed). The
same `seed` gives the same sentences.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

SAME = ("reordered", "retyped", "one word more")
"""Changes that leave what is said as it was."""

OPPOSED = ("negated", "other number", "other language")
"""Changes of a word or two that make it something else."""

_PARTS = """
the billing service
the upload worker
the search index
the staging cluster
the vendor API
the mobile client
the nightly export
the login page
the message queue
the audit log
the image resizer
the feature flag store
the payment gateway
the release pipeline
the metrics collector
the session cache
the invoice renderer
the schema registry
the backup job
the edge proxy
the translation files
the rate limiter
the test database
the webhook receiver
the permissions table
the font loader
the report generator
the device registry
the mail relay
the ticket importer
""".strip().splitlines()
_FACTS = """
drops connections after {n} seconds of silence
returns dates in local time although the docs say UTC
counts pages from {n}
retries {n} times before it gives up
keeps a copy of each request for {n} days
was written in {lang} by a contractor
needs a restart when its certificate changes
reads its settings once at start
ignores header names in upper case
truncates names longer than {n} characters
sorts accented letters after z
locks the whole table while it migrates
sends the same event twice under load
trusts the order in which files arrive
answers with status 200 even when it failed
is generated from {lang} sources
holds at most {n} open handles
treats an empty list as everything
rounds half amounts down
must be warmed up before traffic
loses its cursor when the leader moves
depends on the clock of the host
accepts comments in its JSON
caches failures for {n} minutes
escapes quotes only in the first column
prefers IPv6 even where it is broken
writes temporary files next to the originals
strips trailing blanks from keys
cannot be rolled back once the new column is in use
""".strip().splitlines()
_ADVICE = """
ask the platform team before changing it
check the dashboard after each deploy
run the smoke tests by hand
keep the old column until the next release
pin the version in the lock file
compare the row counts of both sides
warn the support desk a day ahead
read the runbook first
take a snapshot of the volume
use the read replica for reports
turn the cache off while debugging
set the timeout to {n} seconds
prefer a dry run
write the reason into the ticket
wait for the second approval
test with a long Chinese name
raise the limit to {n} only for the import
export the table before touching it
look at the slow query log
rotate the token after {n} days
""".strip().splitlines()
_TEMPLATES = (
    "{part} {fact}; {advice}",
    "when {part} {fact}, {advice}",
    "{part} {fact}",
    "{advice} because {part} {fact}",
)

_ZH_PARTS = """
计费服务
上传进程
搜索索引
预发集群
供应商接口
移动客户端
夜间导出任务
登录页面
消息队列
审计日志
图片缩放服务
支付网关
发布流水线
指标采集器
会话缓存
模式注册中心
备份脚本
边缘代理
限流组件
权限表
""".strip().splitlines()
_ZH_FACTS = """
空闲{n}秒后会断开连接
返回的日期是本地时间
分页从{n}开始计数
失败后会重试{n}次
会把请求保留{n}天
最早是用{lang}写的
换证书以后需要重启
只在启动时读取配置
迁移期间会锁住整张表
高负载时会重复发送事件
出错时也返回成功状态码
最多允许{n}个打开的句柄
把空列表当作全部处理
金额按四舍五入取整
依赖主机的系统时钟
会缓存失败结果{n}分钟
临时文件写在原文件旁边
会去掉键名末尾的空格
按文件到达的顺序处理数据
可以直接修改线上配置
""".strip().splitlines()
_ZH_ADVICE = """
修改之前先问平台组
每次部署后检查监控面板
手工跑一遍冒烟测试
下个版本之前保留旧字段
在锁文件里固定版本
核对两边的行数
提前一天通知客服
先读操作手册
给磁盘做一次快照
报表走只读副本
调试时关闭缓存
把超时设为{n}秒
先演练再执行
把原因写进工单
等待第二个人审批
用很长的中文名字测试
""".strip().splitlines()
_ZH_TEMPLATES = (
    "{part}{fact}，{advice}。",
    "因为{part}{fact}，所以要{advice}。",
    "{part}{fact}。",
    "{advice}：{part}{fact}。",
)

_LANGUAGES = ("C++", "C#", "F#", "Go", ".NET")


def _sentence(rng: random.Random) -> str:
    parts, facts, advice, templates = (
        (_PARTS, _FACTS, _ADVICE, _TEMPLATES)
        if rng.random() < 0.65
        else (_ZH_PARTS, _ZH_FACTS, _ZH_ADVICE, _ZH_TEMPLATES)
    )
    text = rng.choice(templates).format(
        part=rng.choice(parts).strip(), fact=rng.choice(facts).strip(), advice=rng.choice(advice).strip()
    )
    while "{n}" in text:
        text = text.replace("{n}", str(rng.choice((2, 3, 5, 8, 10, 15, 30, 45, 60, 90, 120, 255, 500))), 1)
    text = text.replace("{lang}", rng.choice(_LANGUAGES))
    return text[0].upper() + text[1:] + ("" if text.endswith("。") else ".")


def _reordered(text: str, rng: random.Random) -> str:
    stop = text[-1]
    clauses = re.split("[,;，：] ?", text[:-1])
    if len(clauses) == 1:
        clauses = text[:-1].split(" because ") if stop == "." else [text[:-1]]
    return ("，" if stop == "。" else ", ").join(reversed(clauses)) + stop


def _retyped(text: str, rng: random.Random) -> str:
    return rng.choice((text.lower(), text[:-1], f"“{text}”", text.replace(" ", "  "), text + "!!", f"- {text}"))


def _longer(text: str, rng: random.Random) -> str:
    if text.endswith("。"):
        return rng.choice(("注意", "目前")) + text
    return f"{text[:-1]} {rng.choice(('again', 'today', 'here'))}."


def _negated(text: str, rng: random.Random) -> str:
    for plain, negated in ((" the ", " not the "), (" a ", " no "), ("会", "不会"), ("可以", "不可以"), ("先", "不先")):
        if plain in text:
            return text.replace(plain, negated, 1)
    return f"不要{text}" if text.endswith("。") else f"Never: {text}"


def _recounted(text: str, rng: random.Random) -> str:
    digits = "".join(filter(str.isdigit, text))
    return text.replace(digits[0], str((int(digits[0]) + 1) % 10), 1) if digits else f"{text[:-1]} 7{text[-1]}"


def _translated(text: str, rng: random.Random) -> str:
    for language in _LANGUAGES[:2]:
        if language in text:
            return text.replace(language, _LANGUAGES[1 - _LANGUAGES.index(language)])
    return f"{text[:-1]} C++{text[-1]}"


_CHANGES: dict[str, Callable[[str, random.Random], str]] = dict(
    zip(SAME + OPPOSED, (_reordered, _retyped, _longer, _negated, _recounted, _translated), strict=True)
)


def sentences(count: int, *, seed: int = 1, planted: float = 0.15) -> tuple[list[str], list[tuple[int, int, str]]]:
    """`count` sentences, of which about a share of `planted` are changed copies of earlier ones (see the module)."""
    rng = random.Random(seed)
    texts: list[str] = []
    copies: list[tuple[int, int, str]] = []
    while len(texts) < count:
        if texts and rng.random() < planted:
            how = rng.choice(SAME + OPPOSED)
            original = rng.randrange(len(texts))
            copies.append((len(texts), original, how))
            texts.append(_CHANGES[how](texts[original], rng))
        else:
            texts.append(_sentence(rng))
    return texts, copies
