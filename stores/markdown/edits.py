"""Edits of a file as byte spans, and re-placing them on bytes that somebody else changed meanwhile."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SpanEdit:
    """Bytes `[start, end)` become `replacement`; `start == end` inserts. Offsets are into the file before any edit."""

    start: int
    end: int
    replacement: bytes


@dataclass(frozen=True, slots=True)
class FileEdit:
    """What becomes of one file.

    `path` is root-relative with `/`. `before` is what was read (None: the file must not exist yet, and the edits are
    offsets into `b""`). `edits` are in the order of the bytes and do not overlap. `mode` sets the permission bits;
    None keeps those of the file, or takes 0o644 less the umask for a new one.
    """

    path: str
    before: bytes | None
    edits: tuple[SpanEdit, ...]
    mode: int | None = None

    @property
    def after(self) -> bytes:
        """The file with its edits applied. Raises ValueError where they overlap or leave the file."""
        return apply_edits(self.before or b"", self.edits)


def apply_edits(before: bytes, edits: Sequence[SpanEdit]) -> bytes:
    """`before` with `edits` carried out. Raises ValueError where they are out of order, overlap or leave the bytes."""
    parts: list[bytes] = []
    at = 0
    for edit in edits:
        if not at <= edit.start <= edit.end <= len(before):
            raise ValueError(f"edit {edit.start}..{edit.end} overlaps another or leaves the {len(before)} bytes")
        parts += (before[at : edit.start], edit.replacement)
        at = edit.end
    parts.append(before[at:])
    return b"".join(parts)


def inverse(before: bytes, edits: Sequence[SpanEdit]) -> tuple[SpanEdit, ...]:
    """The edits that turn `apply_edits(before, edits)` back into `before`, in the order of the bytes."""
    back: list[SpanEdit] = []
    shift = 0
    for edit in edits:
        start = edit.start + shift
        back.append(SpanEdit(start, start + len(edit.replacement), before[edit.start : edit.end]))
        shift += len(edit.replacement) - (edit.end - edit.start)
    return tuple(back)


def difference(before: bytes, after: bytes) -> tuple[SpanEdit, ...]:
    """At most one edit that turns `before` into `after`: all but their common beginning and common end.

    Pure growth at the end is an insertion at the end of `before`.
    """
    if before == after:
        return ()
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    return (SpanEdit(head, len(before) - tail, after[head : len(after) - tail]),)


def rebase(before: bytes, edits: Sequence[SpanEdit], now: bytes) -> tuple[SpanEdit, ...] | None:
    """The same edits, placed on `now`, which somebody else made of `before`; None where a place is touched or unsure.

    The place of an edit is the lines it touches; of an insertion between two lines, both of them. It is widened line
    by line on both sides until it stands only once in `before`; it must then stand exactly once in `now`, whole, and
    in the same order as the other places. So a repeated region is never guessed at, and every byte that an edit
    replaces is the byte that was read.

    An insertion at the very end is an append: it goes to the new end, if the file only grew or its old last line
    still stands, and if the old and new ends agree on whether a line is open. (An edit that must stay with a section
    should replace the section's last line with itself and more, rather than append: what follows the section may be
    a stranger's.)
    """
    if now == before:
        return tuple(edits)
    starts = _line_starts(before)
    placed: list[SpanEdit] = []
    at = 0  # in `now`: edits keep their order
    last_line, last_shift = -1, 0
    for edit in edits:
        if edit.start == len(before):
            if not _appendable(before, starts, now):
                return None
            placed.append(SpanEdit(len(now), len(now), edit.replacement))
            at = len(now)
            continue
        place = _place(before, starts, edit, now)
        if place is None:
            return None
        first, last, shift = place
        # Two places that share a line must have moved together, or that line was torn apart.
        if edit.start + shift < at or (first <= last_line and shift != last_shift):
            return None
        placed.append(SpanEdit(edit.start + shift, edit.end + shift, edit.replacement))
        at = edit.end + shift
        last_line, last_shift = last, shift
    return tuple(placed)


def _place(before: bytes, starts: list[int], edit: SpanEdit, now: bytes) -> tuple[int, int, int] | None:
    """First and last line of the edit's widened place, and how far it moved; None where it is not certain."""
    lines = len(starts) - 1
    first = bisect_right(starts, edit.start) - 1
    last = first
    if edit.end > edit.start:
        last = bisect_right(starts, edit.end - 1) - 1
    elif starts[first] == edit.start:
        first = max(first - 1, 0)
    wider = 0
    while True:
        low, high = max(first - wider, 0), min(last + wider, lines - 1)
        block = before[starts[low] : starts[high + 1]]
        if _only(before, block) is not None:
            break
        wider += 1 if wider < 16 else wider
    where = _only(now, block)
    if where is None or (edit.end == 0 and where != 0):
        return None  # an insertion before the first line has the file's beginning for its other neighbour
    return low, high, where - starts[low]


def _only(text: bytes, block: bytes) -> int | None:
    """Where `block` stands as whole lines in `text`, if in exactly one place."""
    found = None
    at = text.find(block)
    while at >= 0:
        if _line_begins(text, at) and _line_begins(text, at + len(block)):
            if found is not None:
                return None
            found = at
        at = text.find(block, at + 1)
    return found


def _line_begins(text: bytes, at: int) -> bool:
    """True where a line begins at `at`, or the text ends there. `\\r\\n` is one line end."""
    if at in (0, len(text)):
        return True
    return text[at - 1] == 0x0A or (text[at - 1] == 0x0D and text[at] != 0x0A)


def _line_starts(text: bytes) -> list[int]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def _appendable(before: bytes, starts: list[int], now: bytes) -> bool:
    if _open(before) != _open(now):
        return False
    if now.startswith(before):
        return True
    last = before[starts[-2] :]
    return _only(before, last) is not None and _only(now, last) is not None


def _open(text: bytes) -> bool:
    return bool(text) and text[-1] not in b"\r\n"


def _common(one: bytes, two: bytes) -> int:
    """Length of the common beginning."""
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == two[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
