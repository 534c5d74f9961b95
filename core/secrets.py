"""Strings shaped like credentials (§3, §18): found with high precision, masked before anything is shown or logged."""

from __future__ import annotations

import re
from collections.abc import Sequence

MASK = "•••"

_QUOTES = "\"'`“”‘’"

_SHAPES: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = tuple(
    (kind, hints, re.compile(pattern))
    for kind, hints, pattern in (
        (
            "private-key",
            ("PRIVATE KEY",),
            r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:[^-]{0,20000}-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----)?",
        ),
        ("aws-access-key", ("AKIA", "ASIA", "AGPA", "AIDA", "AROA"), r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b"),
        ("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"\bgh[pousr]_[A-Za-z0-9]{20,255}"),
        ("github-token", ("github_pat_",), r"\bgithub_pat_[A-Za-z0-9_]{20,255}"),
        ("gitlab-token", ("glpat-", "glrt-", "gldt-", "glptt-"), r"\bgl(?:pat|rt|dt|ptt)-[A-Za-z0-9_-]{16,255}"),
        ("slack-token", ("xox", "xapp-"), r"\b(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,255}"),
        ("slack-webhook", ("hooks.slack.com",), r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/+]{20,255}"),
        ("anthropic-key", ("sk-ant-",), r"\bsk-ant-[A-Za-z0-9_-]{16,255}"),
        ("openai-key", ("sk-",), r"\bsk-(?!ant-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,255}"),
        ("google-key", ("AIza",), r"\bAIza[A-Za-z0-9_-]{35}"),
        ("google-token", ("ya29.", "GOCSPX-"), r"\b(?:ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,})"),
        ("stripe-key", ("k_live_", "k_test_"), r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}"),
        ("npm-token", ("npm_",), r"\bnpm_[A-Za-z0-9]{30,255}"),
        ("pypi-token", ("pypi-",), r"\bpypi-[A-Za-z0-9_-]{40,}"),
        ("hugging-face-token", ("hf_",), r"\bhf_[A-Za-z0-9]{30,255}"),
        ("sendgrid-key", ("SG.",), r"\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}"),
        ("jwt", ("eyJ",), r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
        (
            "connection-password",
            ("://",),
            r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@]{0,100}:(?P<secret>[^\s/@]{3,200})@[^\s/]",
        ),
        ("bearer-token", ("earer",), r"\b[Bb]earer\s+(?P<secret>[A-Za-z0-9_~+/=.-]{20,2000})"),
    )
)

_HINTS = tuple(hint for _, hints, _ in _SHAPES for hint in hints)
_NAME = re.compile("pass|pwd|secret|token|key|密码|口令|密钥|令牌")
_MARKS = ":=：＝"
_ASSIGNED = re.compile(
    r"(?P<name>pass(?:word|wd|phrase)|(?<![a-z])(?:pass|pwd|token)|secret|"
    r"(?:api|access|auth|secret|private|signing|encryption|account)[_-]?key|密码|口令|密钥|令牌)"
    r"[\"'`]?\s{0,4}(?P<mark>:=|=>|[:=：＝])\s{0,4}"
    r"(?:(?P<quote>[\"'`])(?P<quoted>[^\"'`\r\n]{4,400})(?P=quote)|(?P<plain>[^\s\"'`“”,;，；。、]{4,400}))",
    re.IGNORECASE,
)
_NO_VALUE = re.compile(
    r"(?:none|null|nil|true|false|yes|no|unset|empty|required|optional|missing|redacted|masked|hidden|removed|changeme|"
    r"example|placeholder|see|stored|kept|in|from|env|vault|str|string|bytes|int|bool)(?![A-Za-z0-9])|"
    r"(?:your|my)[_ -]|(?:os|process|env|config|settings)\.|[$%<{*•\[(]|x{3,}|\.{3}|…",
    re.IGNORECASE,
)
_CODE = re.compile(r"[A-Za-z_][\w.]*(?:[._(]|$)[\w.()\[\]]*")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


_TOKENS = (re.compile("_[A-Za-z0-9_-]{10}"), re.compile("-[A-Za-z0-9_-]{10}"), re.compile(r"\.[A-Za-z0-9_-]{16}"))
_UPPER = re.compile("A(?:KIA|SIA|GPA|IDA|ROA|Iza)")
_RARE = ("PRIVATE KEY", "hooks.slack.com", "://", "earer", "SG.", "eyJ")


def may_hold_secrets(text: str) -> bool:
    """A fast look that overlooks nothing: where it says False, `find_secrets` finds nothing, nor in any part of `text`.

    Each shape has a mark that is rare in prose: a long run of token characters behind `_`, `-` or `.`, a word of its
    own, or an assignment beside a name.
    """
    there = text.__contains__
    return (
        any(map(there, _RARE))
        or any(pattern.search(text) for pattern in _TOKENS)
        or _UPPER.search(text) is not None
        or _may_assign(text)
    )


def _may_assign(text: str) -> bool:
    return any(map(text.__contains__, _MARKS)) and _NAME.search(text.casefold()) is not None


def find_secrets(text: str) -> tuple[tuple[int, int, str], ...]:
    """Spans `(start, end, kind)` of what looks like a credential in `text`, in order, never overlapping.

    Precision comes first: known token shapes, private keys, passwords in connection strings, and values assigned to a
    name that means a secret. Placeholders (`<token>`, `${TOKEN}`, `xxx`, `none`) are none.
    """
    if not may_hold_secrets(text):
        return ()
    found: list[tuple[int, int, str]] = []
    there = text.__contains__
    for kind, hints, pattern in _SHAPES if any(map(there, _HINTS)) else ():
        if any(map(there, hints)):
            group = "secret" if "secret" in pattern.groupindex else 0
            for match in pattern.finditer(text):
                if group == 0 or not _NO_VALUE.match(match[group]):
                    found.append((*match.span(group), kind))
    if _may_assign(text):
        found += _assigned(text)
    return _disjoint(found)


def mask(text: str, secrets: Sequence[tuple[int, int, str]] | None = None) -> str:
    """`text` with each secret cut to its first 2 to 4 characters and `•••`; `secrets` as `find_secrets` gives them."""
    spans = find_secrets(text) if secrets is None else _disjoint(secrets)
    parts: list[str] = []
    at = 0
    for start, end, _ in spans:
        kept = max(2, min(4, (end - start) // 4))
        parts += [text[at : start + kept], MASK]
        at = end
    return "".join([*parts, text[at:]]) if spans else text


def _assigned(text: str) -> list[tuple[int, int, str]]:
    found = []
    for match in _ASSIGNED.finditer(text):
        group = "plain" if match["quote"] is None else "quoted"
        start = match.start(group)
        value = match[group] if group == "quoted" else match[group].rstrip(".:!?)]}>")
        name = match["name"].lower()
        kind = (
            "token" if "token" in name or name == "令牌" else "key" if "key" in name or name == "密钥" else "password"
        )
        if len(value) < 4 or _NO_VALUE.match(value) or (kind != "password" and len(value) < 8):
            continue
        if kind == "token" and value.isdigit():
            continue  # a number of tokens
        assigned = match["mark"] in ("=", ":=", "＝")
        # What stands without quotes may be prose after a colon (`token: required`), or code after an equals sign.
        plain_word = assigned and kind == "password" and not _CODE.fullmatch(value)
        plain_word = plain_word or (assigned and kind == "password" and value.isalpha())
        if group == "quoted" or plain_word or _mixed(value):
            found.append((start, start + len(value), kind))
    return found


def _mixed(value: str) -> bool:
    return any(char.isdigit() for char in value) and "(" not in value and not _DATE.fullmatch(value)


def _disjoint(spans: Sequence[tuple[int, int, str]]) -> tuple[tuple[int, int, str], ...]:
    """The spans in order; of overlapping ones the first and longest, stretched over the others."""
    kept: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if kept and start < kept[-1][1]:
            first = kept[-1]
            kept[-1] = (first[0], max(first[1], end), first[2])
        else:
            kept.append((start, end, kind))
    return tuple(kept)
