"""The words of a text in any script, and what kind of word each is: what differences and duplicates are told by."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from typing import NamedTuple

CJK = (
    "\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003fffd"
)
"""Characters (for a class in a regular expression) of scripts that do not part words: each is a token."""

# Marks belong to their letters, though `\w` leaves them out; of the Indic and South-East Asian scripts all is taken.
_MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u109f\u1780-\u17d3\u17e0-\u17ff"
)

WORD = rf"[^\W{CJK}]+(?:[{_MARKS}]+[^\W{CJK}]*)*"
"""A run of word characters (a regular expression) of the scripts that do part words."""

# Units by what they are counted as; those of the last line as themselves.
_UNITS = {
    "ms": "ms millisecond milliseconds 毫秒",
    "s": "s sec secs second seconds 秒",
    "min": "min mins minute minutes 分钟",
    "h": "h hr hrs hour hours 小时",
    "d": "d day days 天",
    "week": "week weeks 周",
    "month": "month months 个月",
    "year": "year years 年",
    "times": "times 次",
    "x": "x 倍",
    "byte": "byte bytes 字节",
    "": "m w k b kb mb gb tb kib mib gib tib mbit gbit px hz khz mhz ghz percent "
    "月 日 号 个 条 行 台 人 元 页 级 层 步 遍 轮 份",
}
_UNIT = {word: unit or word for unit, words in _UNITS.items() for word in words.split()}
_MANY = (
    "zero two three four five six seven eight nine ten eleven twelve twenty thirty fifty hundred thousand million twice"
)
_NUMERALS = "零〇一二两三四五六七八九十百千万亿"
_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve",
    "零 一 二 三 四 五 六 七 八 九 十",
    "〇 一 两",
)
_AMOUNT = {word: str(number) for words in _COUNTED for number, word in enumerate(words.split())}
_NEGATIONS = (
    "not never no none nor neither nothing nobody nowhere without cannot unless except avoid avoids avoided avoiding "
    "forbid forbids forbidden prohibit prohibits prohibited deny denies denied cant dont doesnt didnt isnt arent wasnt "
    "werent wont wouldnt shouldnt couldnt mustnt hasnt havent"
)
_NOT = frozenset(_NEGATIONS.split())
_BU = (
    "不可以 不可 不能 不要 不得 不许 不准 不应该 不应 不该 不会 不是 不用 不必 不再 不 没有 没 沒有 沒 "
    "无法 無法 无需 无须 无 無 未曾 未 切勿 请勿 勿 禁止 严禁 禁用 杜绝 避免 拒绝 除非 并非 非 莫 "
    "ません なかった なく ない"
)
_NO_NEGATION = "不论 不仅 不但 无论 無論 未来 非常(?!规)"


def _any(words: str) -> str:
    return "|".join(sorted(words.split(), key=len, reverse=True))


@cache
def _lexer() -> re.Pattern[str]:
    """Compiled at the first use: it takes longer than a screen should wait for."""
    latin = _any(" ".join(filter(str.isascii, _UNIT)))
    cjk = _any(" ".join(unit for unit in _UNIT if not unit.isascii()))
    many = rf"(?=[e-hmnstzE-HMNSTZ])(?i:{_any(_MANY)})"
    # "one" and a lone 一 are articles more often than numbers; what number the other text has instead is seen there.
    return re.compile(
        rf"""
        (?P<plain>(?<![\w.])(?!{many}\b)[A-Za-z]+(?=[\s,;:!?)]|$))                 # most words, and quickly
      | (?P<symbol>
            [^\W\d_{CJK}][^\W{CJK}]*(?:\+\+\d*|\#(?!\w))                         # C++, C++17, C#
          | (?<![\w.])\.[^\W\d_{CJK}][^\W{CJK}]*                                  # .NET, .env
          | (?:(?<=\S\s)(?=\S{{1,2}}\s)|(?=[<>=!]+\s?\d))(?:[<>]=?|[!=]=)|[≤≥≠]     # a > b, >= 3
        )
      | (?P<number>
            (?:(?<![^\s(\[{{=:,<>~])[-−+])?\d+(?:[.,:/_\-–~]\d+)*
                (?:\s{{0,3}}(?:(?i:{latin})(?!{WORD})|{cjk}|[%‰°])|[^\W{CJK}]+)?(?:\+(?!\w))?
          | (?<!\w){many}(?:[\s-]{{0,3}}(?i:{latin}))?(?!\w)
          | (?!一(?![{_NUMERALS}]))[{_NUMERALS}]+(?:{cjk})|第[{_NUMERALS}]+
        )
      | (?P<negation>
            (?<!\w)(?i:non(?=-)|[a-z]+n['’]t)(?!\w)
          | (?!{_any(_NO_NEGATION)})(?:{_any(_BU)})
          | (?:(?<=[请再])|(?<=千万)|(?<!\w))别(?![名的人处])
        )
      | (?P<word>[{CJK}]|{WORD}(?:['’.]{WORD})*)
      | (?P<punctuation>\S)
        """,
        re.VERBOSE,
    )


_DIGIT = re.compile(r"\d")
_PARTS = re.compile(rf"([-+]?\d+(?:[.,:/_\-–~]\d+)*|{_any(_MANY)}|[{_NUMERALS}]+)[\s-]*(.*)", re.DOTALL)
_THOUSANDS = re.compile(r",(?=\d{3}(?!\d))")


class WordKind(StrEnum):
    """Kinds of words. Negations, numbers and symbols change what is said more than other words do."""

    NEGATION = "negation"
    NUMBER = "number"
    SYMBOL = "symbol"
    """A name or an operator that its signs make: C++, C#, .NET, >=."""
    WORD = "word"
    PUNCTUATION = "punctuation"


class Token(NamedTuple):
    """A word of a text, at `[start:end]`. Tokens of equal `key` are one word: folded, `5 s` and `5 seconds` alike."""

    start: int
    end: int
    text: str
    key: str
    kind: WordKind


def tokens(text: str) -> tuple[Token, ...]:
    """The words of `text`, in order, without punctuation.

    Each CJK character is one. Names such as `C++`, numbers with their units, and negations (`don't`, `不可以`) stay
    whole.
    """
    return tuple(token for token in lex(text) if token.kind is not WordKind.PUNCTUATION)


def lex(text: str) -> Iterator[Token]:
    """The words of `text` (see `tokens`) and each sign of its punctuation: all of it but blanks, in order."""
    for match in _lexer().finditer(text):
        found = match.group()
        group = match.lastgroup
        if group == "plain":
            key = found.lower()
            yield Token(match.start(), match.end(), found, key, WordKind.NEGATION if key in _NOT else WordKind.WORD)
            continue
        kind = WordKind(group or "word")
        key = found.casefold() if found.isascii() else unicodedata.normalize("NFKC", found).casefold().replace("’", "'")
        if kind is WordKind.NUMBER:
            key = _value(key)
        elif kind is WordKind.WORD:
            if key in _NOT:
                kind = WordKind.NEGATION
            elif _DIGIT.search(found):
                kind = WordKind.NUMBER  # HTTP2 and HTTP3, k3s and k8s
        yield Token(match.start(), match.end(), found, key, kind)


def _value(number: str) -> str:
    """One spelling for numbers of one value, as far as that is plain: `1,000`, `5 s`, `two`, `三次`."""
    parts = _PARTS.fullmatch(number.replace("−", "-"))
    if parts is None:
        return number
    amount, unit = parts.groups()
    return _AMOUNT.get(amount, _THOUSANDS.sub("", amount)) + _UNIT.get(unit, unit)
