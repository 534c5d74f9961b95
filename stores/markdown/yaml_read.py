"""YAML that people and agents wrote, every scalar as text (§11, §12.2, §12.3, §23.5).

A plain subset, which is what nearly all frontmatter and control records are, is read here, with the place of each
value; whatever is not that goes to PyYAML's `BaseLoader`, imported only then. Both give the same values. What most
topic pages have, keys with one plain value or a list of them, is read at a glance, several times as fast.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

_KEY = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*):(?:[ ]+|\Z)")
_PLAIN = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`=~](?:[^\n]*\S)?")
_QUOTED = re.compile(r'"((?:[^"\\]|\\(?:[\\"nrt0/]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}))*)"')
_SINGLE = re.compile(r"'((?:[^']|'')*)'")
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|.)")
_BRACKET = re.compile(r"[\[\]{}]")
_LONGEST = 200_000
_DEEPEST = 50
_SHORT = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "/": "/", "\\": "\\", '"': '"'}
_NOT_SIMPLE = re.compile(
    "[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]|\r(?!\n)|(?:\\A|\n)(?:---|\\.\\.\\.)"
)
_BARE = r"[^\W_][^:#\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]*+(?<!\s)"
_PAIR = re.compile(rf"([A-Za-z_][A-Za-z0-9_-]*+):(?: ({_BARE})|((?:\n  - {_BARE})++))\n")
_ENTRY = "\n  - "
_IN_FLOW = re.compile(r"[^,\[\]{}?'\"#&*!|>%@`\s:\-=~](?:[^,\[\]{}?'\"#:\n]|(?<=\S)#)*")


class YamlError(Exception):
    """The text is no YAML. `index` is the offset in it of what cannot be read, `reason` one sentence without a stop."""

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(reason)
        self.index = index
        self.reason = reason


class Node(NamedTuple):
    """A value and where it stands: `value` is a text, a list of nodes, or a mapping of nodes; `[start, end)` in text.

    `flow` is True for `[…]` and `{…}`. `repeated` are the keys that a mapping has twice; the last one counts.
    """

    value: str | list[Node] | dict[str, Node]
    start: int
    end: int
    flow: bool = False
    repeated: tuple[str, ...] = ()

    def text(self) -> str:
        """The scalar's text; '' where it is none."""
        return self.value if isinstance(self.value, str) else ""

    def texts(self) -> tuple[str, ...]:
        """The texts of a list, or the one text of a scalar (none where it is empty)."""
        if isinstance(self.value, list):
            return tuple(node.text() for node in self.value if node.text())
        return (self.value,) if isinstance(self.value, str) and self.value else ()

    def get(self, name: str) -> Node | None:
        """The value of a key of a mapping; None where there is none."""
        return self.value.get(name) if isinstance(self.value, dict) else None

    def plain(self) -> object:
        """The value as nested lists, dicts and texts."""
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        if isinstance(self.value, dict):
            return {name: node.plain() for name, node in self.value.items()}
        return self.value


def read_yaml(text: str) -> Node:
    """The one document that `text` is. Raises `YamlError`. An empty text is an empty scalar."""
    return read_at_a_glance(text) or read_simple(text) or read_with_pyyaml(text)


def read_at_a_glance(text: str) -> Node | None:
    """The same as `read_simple` where `text` is lines of keys with a bare value, or with an indented list of them."""
    values: dict[str, Node] = {}
    end = -1
    while end + 1 < len(text):
        match = _PAIR.match(text, end + 1)
        if match is None or match[1] in values:
            return None
        name, value, listed = match.groups()
        end = match.end() - 1
        if value is not None:
            values[name] = Node(value, end - len(value), end)
            continue
        at = first = end - len(listed) + len(_ENTRY)
        entries = []
        for entry in listed.split(_ENTRY)[1:]:
            entries.append(Node(entry, at, at + len(entry)))
            at += len(entry) + len(_ENTRY)
        values[name] = Node(entries, first - len("- "), end)
    return Node(values, 0, end) if values else None


class _NotSimpleError(Exception):
    pass


@dataclass(slots=True)
class _Line:
    indent: int
    start: int
    text: str


def read_simple(text: str) -> Node | None:
    """`text` where it is of the plain subset, None where it is not."""
    if _NOT_SIMPLE.search(text):
        return None
    lines = []
    at = 0
    for raw in text.split("\n"):
        content = raw.rstrip(" \r")
        bare = content.lstrip(" ")
        if bare and not bare.startswith("#"):
            indent = len(content) - len(bare)
            lines.append(_Line(indent, at + indent, bare))
        at += len(raw) + 1
    if not lines:
        return None
    try:
        node, stop = _block(lines, 0, lines[0].indent)
        return node if stop == len(lines) else None
    except (_NotSimpleError, RecursionError):
        return None


def _block(lines: list[_Line], at: int, indent: int) -> tuple[Node, int]:
    if lines[at].text.startswith("- "):
        return _sequence(lines, at, indent)
    return _mapping(lines, at, indent)


def _mapping(lines: list[_Line], at: int, indent: int) -> tuple[Node, int]:
    values: dict[str, Node] = {}
    start = lines[at].start
    end = start
    while at < len(lines) and lines[at].indent == indent and not lines[at].text.startswith("- "):
        line = lines[at]
        key = _KEY.match(line.text)
        if key is None or key[1] in values:
            raise _NotSimpleError
        at += 1
        rest = line.text[key.end() :]
        place = line.start + key.end()
        following = lines[at] if at < len(lines) else None
        nested = following is not None and (
            following.indent > indent or (following.indent == indent and following.text.startswith("- "))
        )
        if rest:
            if nested:
                raise _NotSimpleError
            node = _value(rest, place)
        elif nested and following is not None:
            node, at = _block(lines, at, following.indent)
        else:
            place = line.start + len(line.text)
            node = Node("", place, place)
        values[key[1]] = node
        end = node.end
    if at < len(lines) and lines[at].indent > indent:
        raise _NotSimpleError
    return Node(values, start, end), at


def _sequence(lines: list[_Line], at: int, indent: int) -> tuple[Node, int]:
    entries: list[Node] = []
    start = lines[at].start
    while at < len(lines) and lines[at].indent == indent and lines[at].text.startswith("- "):
        line = lines[at]
        rest = line.text[1:].lstrip(" ")
        inner = line.indent + len(line.text) - len(rest)
        if _KEY.match(rest):
            lines[at] = _Line(inner, line.start + len(line.text) - len(rest), rest)
            node, at = _mapping(lines, at, inner)
        else:
            at += 1
            if at < len(lines) and lines[at].indent > indent:
                raise _NotSimpleError
            node = _value(rest, line.start + len(line.text) - len(rest))
        entries.append(node)
    if at < len(lines) and lines[at].indent > indent:
        raise _NotSimpleError
    return Node(entries, start, entries[-1].end), at


def _value(text: str, start: int) -> Node:
    """A scalar or a flow list that is the whole of `text`."""
    end = start + len(text)
    if text.startswith("["):
        return Node(list(_flow(text, start)), start, end, flow=True)
    if text[0] in "\"'":
        value, stop = _quoted(text, 0)
        if stop != len(text):
            raise _NotSimpleError
        return Node(value, start, end)
    if not _PLAIN.fullmatch(text) or ": " in text or " #" in text or text.endswith(":"):
        raise _NotSimpleError
    return Node(text, start, end)


def _flow(text: str, start: int) -> Iterator[Node]:
    if text.endswith("]") and not text[1:-1].strip(" "):
        return
    pos = 1
    while True:
        while text[pos : pos + 1] == " ":
            pos += 1
        if text[pos : pos + 1] in ('"', "'"):
            value, stop = _quoted(text, pos)
        else:
            match = _IN_FLOW.match(text, pos)
            if match is None:
                raise _NotSimpleError
            value = match[0].rstrip(" ")
            stop = pos + len(value)
        yield Node(value, start + pos, start + stop)
        pos = stop
        while text[pos : pos + 1] == " ":
            pos += 1
        closing = text[pos : pos + 1]
        pos += 1
        if closing == "]" and pos == len(text):
            return
        if closing != ",":
            raise _NotSimpleError


def _quoted(text: str, pos: int) -> tuple[str, int]:
    if match := _QUOTED.match(text, pos):
        return _ESCAPE.sub(_unescaped, match[1]), match.end()
    if match := _SINGLE.match(text, pos):
        return match[1].replace("''", "'"), match.end()
    raise _NotSimpleError


def _unescaped(match: re.Match[str]) -> str:
    escape = match[1]
    return _SHORT[escape] if len(escape) == 1 else chr(int(escape[1:], 16))


def read_with_pyyaml(text: str) -> Node:
    """`text` by PyYAML, every scalar as text. Raises `YamlError`, also for what would take PyYAML minutes."""
    import yaml

    if len(text) > _LONGEST:
        raise YamlError(0, "it is too long to be understood")
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > _DEEPEST:
            raise YamlError(bracket.start(), "it is nested too deeply")

    try:
        root = yaml.compose(text, Loader=yaml.BaseLoader)
        return _node(root, {}, 0) if root is not None else Node("", 0, 0)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlError(mark.index if mark else 0, str(error.problem or "it does not parse")) from error
    except yaml.reader.ReaderError as error:
        raise YamlError(int(error.position), "a character that YAML does not allow") from error
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        raise YamlError(0, "it does not parse") from error


def _node(node: object, known: dict[int, Node], depth: int) -> Node:
    """A composed node as ours. Aliases are shared, so that a small text cannot unfold into a large one."""
    import yaml

    if id(node) in known:
        return known[id(node)]
    if depth > _DEEPEST:
        raise ValueError("nested too deeply")
    value: str | list[Node] | dict[str, Node]
    flow = False
    repeated: tuple[str, ...] = ()
    if isinstance(node, yaml.MappingNode):
        pairs = [(_node(key, known, depth + 1).text(), _node(item, known, depth + 1)) for key, item in node.value]
        value = dict(pairs)
        names = [name for name, _ in pairs]
        repeated = tuple(name for name in value if names.count(name) > 1) if len(value) < len(pairs) else ()
        flow = bool(node.flow_style)
    elif isinstance(node, yaml.SequenceNode):
        value = [_node(entry, known, depth + 1) for entry in node.value]
        flow = bool(node.flow_style)
    else:
        assert isinstance(node, yaml.ScalarNode)
        value = str(node.value)
    known[id(node)] = Node(value, node.start_mark.index, node.end_mark.index, flow, repeated)
    return known[id(node)]
