"""YAML as the engine writes it: text in, the same text out of any reader (§12.2, §12.3).

Only what the log needs is here: a mapping of scalars, of lists of scalars, and of lists of such mappings. A scalar is
plain only where no reader of YAML 1.1 or 1.2 could take it for anything but that text; everything else is quoted on
one line, with escapes for what a reader, a terminal or a line splitter could change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

Scalar = str
Value = str | Sequence[str] | Sequence[Mapping[str, str]] | Mapping[str, Sequence[str]]

FLOW_WIDTH = 100
"""A list stands in flow style where its line is no longer than this."""

_WORD = r"[\w./+-]+(?:[:#@][\w./+-]+)*"
_PLAIN = re.compile(rf"(?=[^\W\d_]){_WORD}(?: {_WORD})*")
_PLAIN_IN_FLOW = re.compile(r"(?=[^\W\d_])[\w./+-]+(?:#[\w./+-]+)*(?: [\w./+-]+(?:#[\w./+-]+)*)*")
_TYPED = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n", "inf", "nan"})
_SHORT = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
_ESCAPED = re.compile(
    r'[\\"\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff0-\uffff\ud800-\udfff]'
)


def scalar(text: str, *, flow: bool = False) -> str:
    """`text` as one YAML scalar on one line; `flow` where it stands inside `[…]`."""
    pattern = _PLAIN_IN_FLOW if flow else _PLAIN
    if pattern.fullmatch(text) and text.lower() not in _TYPED:
        return text
    return f'"{_ESCAPED.sub(_escape, text)}"'


def flow_list(values: Sequence[str]) -> str:
    """`values` as `[a, b]`."""
    return f"[{', '.join(scalar(value, flow=True) for value in values)}]"


def mapping(fields: Mapping[str, Value], *, indent: str = "", flow_width: int = FLOW_WIDTH) -> tuple[str, ...]:
    """`fields` in their order as lines without line ends, each led by `indent`.

    Values: a text; a sequence of texts (flow where no longer than `flow_width`, else one a line); a mapping of such
    sequences (nested by two blanks); a sequence of mappings of texts.
    """
    lines: list[str] = []
    for name, value in fields.items():
        lines.extend(f"{indent}{line}" for line in _field(name, value, flow_width))
    return tuple(lines)


def fence(lines: Sequence[str]) -> str:
    """A run of backticks longer than any inside `lines`, at least three."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    return "`" * max(3, longest + 1)


def _field(name: str, value: Value, flow_width: int) -> tuple[str, ...]:
    if isinstance(value, str):
        return (f"{name}: {scalar(value)}",)
    if isinstance(value, Mapping):
        return (f"{name}:", *mapping(value, indent="  ", flow_width=flow_width))
    if all(isinstance(entry, str) for entry in value):
        texts = [entry for entry in value if isinstance(entry, str)]
        line = f"{name}: {flow_list(texts)}"
        return (
            (line,)
            if len(line) <= flow_width or not texts
            else (f"{name}:", *(f"  - {scalar(text)}" for text in texts))
        )
    lines = [f"{name}:"]
    for entry in value:
        if isinstance(entry, Mapping):
            first, *rest = mapping(entry)
            lines.extend([f"  - {first}", *(f"    {line}" for line in rest)])
    return tuple(lines)


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if character in _SHORT:
        return _SHORT[character]
    code = ord(character)
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"
