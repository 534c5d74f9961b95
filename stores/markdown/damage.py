"""What is wrong with a file as a whole: bytes that are no text, NUL runs, merge markers, lost rewrites."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from core.findings import Finding
from core.vocabulary import Severity
from stores.markdown.blocks import NEWLINE
from stores.markdown.spans import Span

_REST = (
    r"rest|remainder|remaining|other|existing|previous|original|earlier|above|below|content|sections?|entries|items?"
    r"|facts|lessons|everything|file|page|topic|history"
)
_SAME = r"unchanged|the same|same as (?:before|above)|as before|as[- ]is|omitted|truncated|not shown|for brevity"
_KEPT = rf"{_SAME}|untouched|preserved|kept|continues?|intact"
_BARE = re.compile(
    r"(?:the )?(?:rest|remainder) of (?:the |this )?(?:existing |original |previous )?"
    r"(?:file|content|contents|page|document|section|sections|entries|items|topic|notes)"
    r"(?: (?:remains?|is|are|stays?|was|were|kept|left))? (?:unchanged|the same|as[- ]is|as before|omitted)\W*\Z",
    re.IGNORECASE,
)
_SAYS_SO = re.compile(rf"\b(?:{_REST})\b.{{0,80}}\b(?:{_SAME})\b|\A\W*unchanged\W*\Z", re.IGNORECASE)
_HINTS = re.compile(
    rf"\b(?:{_REST})\b.{{0,80}}\b(?:{_KEPT})\b|\b(?:unchanged|omitted|truncated)\b"
    rf"|\b(?:existing|previous|remaining|original) (?:content|contents|items?|entries|sections?|text|notes)\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?:其余|其他|其它|剩余|余下|以下|以上|原有|现有|已有|后续|此处|前面|后面|上面|下面|其馀|原來|內容|内容|部分)"
    r".{0,24}(?:不变|不變|未变|未改|同上|同前|相同|一致|省略|保留|从略|略)|保持不变|保持原样|(?:此处|以下|下文|内容)省略"
)
_DECORATED = re.compile(r"(?:[-*+#>]+\s*)?(?:<!--\s*|//\s*|\*{1,2}|_{1,2}|`)?(?:\[|\(|（|【|\{|<|\.{3}|…)")
_ELLIPSIS = re.compile(r"\.{3}|…")
_ITEM = re.compile(rb"[ \t]*[-*+][ \t]+\[\d{4}-\d\d-\d\d\]")
_WORDS = tuple(
    word.encode()
    for word in (
        *(
            "unchanged",
            "the same",
            "same as",
            "as before",
            "as is",
            "as-is",
            "omitted",
            "truncated",
            "not shown",
            "brevity",
        ),
        *("untouched", "preserved", "kept", "continue", "intact", "existing", "previous", "remaining", "original"),
        *("变", "變", "未改", "同上", "同前", "相同", "一致", "省略", "保留", "略", "原样"),
    )
)
_PLAIN_START = re.compile(rb"[ \t]*(?!the rest|rest |the remainder|remainder )[a-z0-9]", re.IGNORECASE)
_LESS, _MORE = b"<>"
"""One byte, which most files have none of, is looked for several times as fast as seven."""
_MERGE = re.compile(rb"(?:\A|(?<=[\r\n]))(<{7}(?= |\r|\n|\Z)|={7}(?=\r|\n|\Z)|>{7}(?= |\r|\n|\Z))")
_LINK = re.compile(r"(?:[-*+]\s*)?(?:\[[^\]]*\]\(|\[\[)")
_CLOSERS = (")", "）", "]", "】", "-->", "}", ">")
_PLACEHOLDER_LINE = 300


def is_placeholder(line: bytes) -> bool:
    """Whether a line stands for text that somebody left out: '[... rest of the content unchanged ...]'.

    A line of prose about something that stays the same is none: it takes brackets, an ellipsis or a comment around the
    words, or a sentence about the rest of the file and nothing else. A memory item never is.
    """
    if not 6 <= len(line) <= _PLACEHOLDER_LINE or _PLAIN_START.match(line) or _ITEM.match(line):
        return False
    lower = line.lower()
    if not any(word in lower for word in _WORDS):
        return False
    text = line.decode("utf-8", "replace").strip()
    if _BARE.match(text.lstrip("-*+#>([ ")):
        return True
    if _LINK.match(text):
        return False
    if _CHINESE.search(text) and (_DECORATED.match(text) or _ELLIPSIS.search(text)):
        return True
    if _ELLIPSIS.search(text):
        return _DECORATED.match(text) is not None and _HINTS.search(text) is not None
    return _DECORATED.match(text) is not None and text.endswith(_CLOSERS) and _SAYS_SO.search(text) is not None


def lost_rewrite(path: str, line: int) -> Finding:
    """The finding for a line that `is_placeholder`."""
    return Finding(
        "lost-rewrite",
        Severity.ERROR,
        "A sentence stands here in place of text that was left out: the file was rewritten without its rest.",
        file=path,
        line=line,
        remedy="Bring the earlier text back from version control or a backup, then remove the sentence.",
    )


def byte_damage(path: str, data: bytes) -> tuple[str, tuple[Finding, ...]]:
    """Why the bytes must not be written to ('' where they may), and the findings: undecodable, nul-run."""
    unwritable = ""
    findings: list[Finding] = []
    if b"\0" in data:
        first = data.index(b"\0")
        count = data.count(b"\0")
        line = line_of(data, first)
        unwritable = f"damaged: {count} NUL bytes from line {line} on"
        findings.append(
            Finding(
                "nul-run",
                Severity.ERROR,
                f"The file is damaged: it holds {count} NUL bytes, as a crash or a failed sync leaves them.",
                file=path,
                line=line,
                remedy="Restore the file from version control or a backup; until then it is not written to.",
            )
        )
    if data.isascii():
        return unwritable, tuple(findings)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = line_of(data, error.start)
        unwritable = unwritable or f"line {line} holds bytes that are no UTF-8"
        findings.append(
            Finding(
                "undecodable",
                Severity.ERROR,
                f"The file holds bytes that are no UTF-8 text, first 0x{data[error.start]:02x} in line {line}.",
                file=path,
                line=line,
                remedy="Repair the line in an editor, or save the file as UTF-8; until then it is not written to.",
            )
        )
    return unwritable, tuple(findings)


def merge_markers(path: str, data: bytes, hidden: Iterable[Span]) -> Iterator[Finding]:
    """A finding where a merge was never finished: its markers stand outside fenced code."""
    if not ((_LESS in data and b"<<<<<<<" in data) or (_MORE in data and b">>>>>>>" in data)):
        return
    spans = tuple(hidden)
    marks = [m for m in _MERGE.finditer(data) if not any(a <= m.start() < b for a, b in spans)]
    openers = [mark for mark in marks if mark[1][:1] in b"<>"]
    if openers and len({mark[1] for mark in marks}) > 1:
        yield Finding(
            "merge-markers",
            Severity.ERROR,
            "Merge markers stand in the file: two versions of it were never brought together.",
            file=path,
            line=line_of(data, openers[0].start()),
            remedy="Settle the two versions in an editor and remove the markers.",
        )


def line_of(data: bytes, offset: int) -> int:
    """The 1-based number of the line that `offset` stands in; lines break at `\\n`, `\\r\\n` and `\\r`."""
    return 1 + len(NEWLINE.findall(data, 0, offset))
