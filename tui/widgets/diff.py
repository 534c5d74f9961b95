"""What a plan would write: a unified diff with line numbers, legible without colour, secrets masked, excluded text
withheld, and the words that differ within a line emphasised."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence

from core.changes import FileDiff
from core.differences import OPPOSING, compare
from core.differences import Span as Stretch
from tui import display
from tui.lines import EMPTY, Line, Span, cells, clip, line, wrap_spans

CONTEXT = 2
_NUMBER = 5
_LEAD = 2
"""A row begins with its number and its sign, a span each."""
_CONTINUED = 2
"""So far the further lines of a wrapped row are indented."""
_SPARED = 3
"""A cut that would spare no more lines than these is not made."""
_ALIKE = 0.5
"""From this share of words in common on, one line is read as another one changed."""
_PAIRED = 900
"""So many old times new lines are set against each other."""

Clean = Callable[[str], str]
"""Stored text to text that may be shown here: excluded text withheld, secrets masked. `visible` comes after it."""

_line_ends = re.compile(rb"\r\n|\r|\n")
_words = re.compile(r"\w+|[^\w\s]")
_runs = re.compile(r"\s+|\S+")

Opcode = tuple[str, int, int, int, int]


def diff_lines(
    diff: FileDiff, clean: Clean, *, limit: int | None = None, wrap: int | None = None, longest: int | None = None
) -> list[Line]:
    """One file's diff under a heading; at most `limit` lines of it, then how many more there are.

    What comes and goes is wrapped to `wrap` cells, the first `longest` cells of each; otherwise a line is one line.
    """
    before, after = split(diff.before), split(diff.after)
    body = list(_body(before, after, clean))
    added, removed = _counts(before, after)
    more = len(body) - limit if limit is not None and len(body) > limit + _SPARED else 0
    lines = [heading(diff, added, removed)]
    for row in body[: len(body) - more]:
        lines.extend((row,) if wrap is None else _wrapped(row, wrap, longest))
    if more:
        lines.append(line("  ", (f"… {more} more lines", "dim")))
    return lines


def _wrapped(row: Line, width: int, longest: int | None) -> Iterator[Line]:
    """A row that comes or goes, whole: its further lines are indented, and marked where its sign would stand."""
    if cells(row) <= width or len(row) < _LEAD or row[1].text.isspace():
        yield row
        return
    number, sign, *body = row
    room = max(width - cells(row[:_LEAD]) - _CONTINUED, 8)
    spans = tuple(body) if longest is None else clip(tuple(body), longest)
    for at, part in enumerate(wrap_spans(spans, room)):
        if at == 0:
            yield (number, sign, *part)
        else:
            yield (Span(" " * cells((number,))), Span("│ ", sign.role), Span(" " * _CONTINUED), *part)


def text_room(width: int) -> int:
    """Cells of a line of the file that stand beside its number and its sign."""
    return width - _NUMBER - 3


def overlong(diff: FileDiff, clean: Clean, longest: int) -> bool:
    """Whether a line that comes or goes is longer than `longest` cells."""
    rows = _body(split(diff.before), split(diff.after), clean)
    return any(cells(row[_LEAD:]) > longest for row in rows if len(row) > _LEAD and not row[1].text.isspace())


def heading(diff: FileDiff, added: int, removed: int) -> Line:
    """The file's name, whether it is new or goes, and how many lines come and go."""
    state = " new" if diff.before is None else " removed" if diff.after is None else ""
    counts = " ".join(
        part for part in (f"+{added}" if added else "", f"−{removed}" if removed else "") if part
    )  # a proper minus sign lines up with the plus
    return line((display.one_line(diff.path), "head"), (state, "dim"), "  ", (counts, "dim"))


def clipped(diff: FileDiff, clean: Clean, limit: int) -> int:
    """How many lines `diff_lines` leaves out at this `limit`."""
    count = sum(1 for _ in _body(split(diff.before), split(diff.after), clean))
    return count - limit if count > limit + _SPARED else 0


def summary(diffs: Sequence[FileDiff]) -> str:
    """`2 more files, 6 lines`: what is not shown line by line."""
    count = sum(sum(_counts(split(diff.before), split(diff.after))) for diff in diffs)
    files = f"{len(diffs)} more file{'' if len(diffs) == 1 else 's'}"
    return f"{files}, {count} line{'' if count == 1 else 's'}"


def split(data: bytes | None) -> list[str]:
    """The lines of a file, each with its line end; bytes that are no UTF-8 are kept as they are."""
    if not data:
        return []
    lines: list[str] = []
    at = 0
    for match in _line_ends.finditer(data):
        lines.append(data[at : match.end()].decode("utf-8", "surrogateescape"))
        at = match.end()
    if at < len(data):
        lines.append(data[at:].decode("utf-8", "surrogateescape"))
    return lines


def _counts(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    codes = [code for group in groups(before, after) for code in group if code[0] != "equal"]
    return sum(code[4] - code[3] for code in codes), sum(code[2] - code[1] for code in codes)


def groups(before: Sequence[str], after: Sequence[str]) -> Iterator[list[Opcode]]:
    """Changes with the lines around them. What both ends have in common is not compared line by line."""
    if before == after:
        return
    bound = min(len(before), len(after))
    head = 0
    while head < bound and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < bound - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    head, tail = max(head - CONTEXT, 0), max(tail - CONTEXT, 0)
    middle = difflib.SequenceMatcher(
        None, before[head : len(before) - tail], after[head : len(after) - tail], autojunk=len(before) > 2000
    )
    for group in middle.get_grouped_opcodes(CONTEXT):
        yield [(tag, i1 + head, i2 + head, j1 + head, j2 + head) for tag, i1, i2, j1, j2 in group]


def _body(before: Sequence[str], after: Sequence[str], clean: Clean) -> Iterator[Line]:
    for number, group in enumerate(groups(before, after)):
        if number:
            yield line((f"{'⋯':>{_NUMBER}}", "dim"))
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                for offset in range(i2 - i1):
                    yield _row(j1 + offset, " ", (Span(_shown(after[j1 + offset], clean)),), "")
                continue
            olds = [_shown(text, clean) for text in before[i1:i2]]
            news = [_shown(text, clean) for text in after[j1:j2]]
            if olds == news:  # nothing but line ends differs, so show those
                olds = [old + _end(text) for old, text in zip(olds, before[i1:i2], strict=True)]
                news = [new + _end(text) for new, text in zip(news, after[j1:j2], strict=True)]
            pairs = _pairs(olds, news)
            for offset, spans in enumerate(pairs[0]):
                yield _row(i1 + offset, "-", spans, "del")
            for offset, spans in enumerate(pairs[1]):
                yield _row(j1 + offset, "+", spans, "add")


def _row(index: int, sign: str, spans: Line, role: str) -> Line:
    number = Span(f"{index + 1:>{_NUMBER}} ", "dim")
    body = tuple(Span(span.text, f"{role} {span.role}".strip()) for span in spans) if role else spans
    return (number, Span(f"{sign} ", role), *body)


def _shown(text: str, clean: Clean) -> str:
    return display.visible(clean(text.rstrip("\r\n")))


def _end(text: str) -> str:
    if text.endswith("\r\n"):
        return "␍␊"
    return "␊" if text.endswith("\n") else "␍" if text.endswith("\r") else "⟨no line end⟩"


def _pairs(olds: Sequence[str], news: Sequence[str]) -> tuple[list[Line], list[Line]]:
    """Old and new lines, with what differs between lines that answer each other standing out."""
    left = [line(old) for old in olds]
    right = [line(new) for new in news]
    for at, other in _answering(olds, news):
        left[at], right[other] = word_differences(olds[at], news[other])
    return left, right


def _answering(olds: Sequence[str], news: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Which new line stands for which old one: one for one where they are as many, else the likest, in their order."""
    if len(olds) == len(news):
        yield from ((at, at) for at in range(len(olds)))
        return
    if len(olds) * len(news) > _PAIRED:
        return
    words = [_words.findall(text) for text in news]
    best: list[list[tuple[float, tuple[tuple[int, int], ...]]]] = [[(0.0, ())] * (len(news) + 1)]
    for at, old in enumerate(olds):
        matcher = difflib.SequenceMatcher(None, b=_words.findall(old), autojunk=False)
        row = [best[0][0]]
        for other, theirs in enumerate(words):
            matcher.set_seq1(theirs)
            choices = [best[at][other + 1], row[other]]
            if (likeness := matcher.ratio()) >= _ALIKE:
                score, pairs = best[at][other]
                choices.append((score + likeness, (*pairs, (at, other))))
            row.append(max(choices, key=lambda choice: choice[0]))
        best.append(row)
    yield from best[-1][-1][1]


def word_differences(old: str, new: str) -> tuple[Line, Line]:
    """Two texts as they are shown, with what differs standing out, also without colour: words in the role `word`, and
    negations, numbers and names such as C++, which turn what is said into something else, in the role `turn`."""
    if not old or not new:
        return line(old) if old else EMPTY, line(new) if new else EMPTY
    found = compare(old, new)
    if not found.changes and old != new:
        return _blanks(old, new)
    same = sum(span.end - span.start for span in found.a if span.kind is None)
    if same < _ALIKE * min(len(old), len(new)) / 2:
        return line(old), line(new)
    return _marked(old, found.a), _marked(new, found.b)


def turning_notes(old: str, new: str) -> tuple[str, ...]:
    """The differences that turn what is said, as sentences: `differs by a number: 8080 / 9090`."""
    found = compare(old, new)
    return found.notes[: len({(change.a, change.b) for change in found.changes if change.kind in OPPOSING})]


def _marked(text: str, spans: Sequence[Stretch]) -> Line:
    return tuple(
        Span(text[start:end], "" if kind is None else "turn" if kind in OPPOSING else "word")
        for start, end, kind in spans
        if end > start
    )


def _blanks(old: str, new: str) -> tuple[Line, Line]:
    """Two texts that differ by nothing but blanks."""
    ours, theirs = _runs.findall(old), _runs.findall(new)
    left: list[Span] = []
    right: list[Span] = []
    matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        role = "" if tag == "equal" else "word"
        left.extend([Span("".join(ours[i1:i2]), role)] if i2 > i1 else [])
        right.extend([Span("".join(theirs[j1:j2]), role)] if j2 > j1 else [])
    return tuple(left), tuple(right)
