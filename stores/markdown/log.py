"""log.md and its rotated segments (§7.1 capability 5, §8): the readable timeline, and the records fenced beneath it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from core.controls import ControlRecord, Tombstone
from core.events import LogEntry
from core.findings import Finding
from core.items import Place
from core.vocabulary import EventType, Severity
from stores.markdown.blocks import Block, Kind, LineNumbers, Scanner, title_of
from stores.markdown.damage import byte_damage, merge_markers
from stores.markdown.document import BOM
from stores.markdown.records import bare_control, is_control, is_tombstone, read_control, read_tombstone

_ENTRY = re.compile(
    r"\[(?P<at>\d{4}-\d\d-\d\d[^\]]*)\]\s+(?P<type>[a-z][a-z-]*)(?:\s+\((?P<id>[^()\s]+)\))?(?:\s+by\s+(?P<actor>.+?))?"
    r"(?:\s+[—–]\s+(?P<summary>.*)|\s*:\s+(?P<rest>.*))?"
)
_BULLET = re.compile(rb"[-*+][ \t]+")
_CUTS = re.compile(rb" {0,3}[-*+][ \t]+\[?\d{4}-\d\d-\d\d")
_DATED = re.compile(r"\d{4}-\d\d-\d\d")
_TYPES = frozenset(EventType)
_CONTROL_TYPES = (EventType.WITHDRAW, EventType.REINSTATE)
_CUT = "its fence is never closed, so it may be cut"


@dataclass(frozen=True, slots=True)
class LogPage:
    """One segment of the log.

    `bare` are records that a line speaks of and that do not stand beneath it; they count where no other place has them.
    `unwritable` says why the file must not be written to, as of a `Document`; `open_fence` as there.
    """

    path: str
    entries: tuple[LogEntry, ...] = ()
    controls: tuple[ControlRecord, ...] = ()
    tombstones: tuple[Tombstone, ...] = ()
    bare: tuple[ControlRecord, ...] = ()
    findings: tuple[Finding, ...] = ()
    unwritable: str = ""
    open_fence: int | None = None


@dataclass(slots=True)
class _Fence:
    start: int
    indent: int
    lines: list[bytes] = field(default_factory=list)

    def text(self) -> str:
        leads = (len(line) - len(line.lstrip(b" \t")) for line in self.lines if line.strip(b" \t"))
        common = min((*leads, self.indent))
        return b"\n".join(line[common:] for line in self.lines).decode("utf-8", "replace")


@dataclass(slots=True)
class _Draft:
    """An entry while it is read."""

    entry: LogEntry
    indent: int
    fences: list[tuple[str, bool, int]] = field(default_factory=list)


def parse_log(path: str, data: bytes) -> LogPage:
    """Read one segment of the log. Never raises; lines of no known format are entries of type ''.

    A log that something saved as UTF-16, or filled with NULs, still excludes what its records name; it re-admits
    nothing, for none of them can be trusted to be whole.
    """
    page = _Reader(path, data).page()
    if b"\0" not in data:
        return page
    plain = _Reader(path, data.replace(b"\0", b"").replace(b"\xff\xfe", b"").replace(b"\xfe\xff", b"")).page()
    damaged = [replace(one, unreadable="the log is damaged around it") for one in (*plain.controls, *plain.bare)]
    return replace(page, controls=(*page.controls, *damaged))


class _Reader:
    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.data = data
        self.numbers = LineNumbers(data)
        self.section: str | None = None
        self.drafts: list[_Draft] = []
        self.loose: list[tuple[str, bool, int]] = []
        self.current: _Draft | None = None
        self.findings: list[Finding] = []
        self.unknown: list[int] = []

    def page(self) -> LogPage:
        unwritable, damage = byte_damage(self.path, self.data)
        scanner = Scanner(self.data, len(BOM) if self.data.startswith(BOM) else 0, cuts=_CUTS)
        self._walk(scanner)
        self.findings.extend(damage)
        self.findings.extend(merge_markers(self.path, self.data, scanner.hidden))
        controls: list[ControlRecord] = []
        tombstones: list[Tombstone] = []
        bare: list[ControlRecord] = []
        for text, whole, line in self.loose:
            self._read_record(text, whole, Place(self.path, line, self.section), "", controls, tombstones)
        for draft in self.drafts:
            known = len(controls)
            named = bare_control(draft.entry.summary, draft.entry.type, draft.entry.place)
            for text, whole, line in draft.fences:
                place = Place(self.path, line, draft.entry.place.section)
                self._read_record(text, whole, place, named.withdrawal_id, controls, tombstones)
            if len(controls) == known and draft.entry.type in _CONTROL_TYPES:
                bare.append(named)
        if self.unknown:
            self.findings.append(
                Finding(
                    "log-line-unknown",
                    Severity.NOTICE,
                    f"{len(self.unknown)} log lines are of no known format; they are kept and shown as they are.",
                    file=self.path,
                    line=self.unknown[0],
                )
            )
        self.findings.sort(key=lambda finding: finding.line or 0)
        return LogPage(
            path=self.path,
            entries=tuple(draft.entry for draft in self.drafts),
            controls=tuple(controls),
            tombstones=tuple(tombstones),
            bare=tuple(bare),
            findings=tuple(self.findings),
            unwritable=unwritable,
            open_fence=scanner.open_at,
        )

    def _walk(self, scanner: Scanner) -> None:
        fence: _Fence | None = None
        while (block := scanner.read()) is not None:
            opens = scanner.open_at == block.start and not self.data.startswith(b"<!--", block.body)
            if fence is not None:
                if block.kind is Kind.CODE and not opens:
                    if scanner.open_at is None:
                        self._close(fence, whole=True)
                        fence = None
                    else:
                        fence.lines.append(self.data[block.start : block.end])
                    continue
                self._close(fence, whole=False)
                fence = None
            if block.kind is Kind.HEADING:
                self.section = title_of(self.data, block)
                self.current = None
            elif block.kind in (Kind.BULLET, Kind.TEXT) and not self._nested(block):
                self._enter(block)
            if opens:
                fence = _Fence(block.start, block.body - block.start)
        if fence is not None:
            self._close(fence, whole=False)

    def _nested(self, block: Block) -> bool:
        return self.current is not None and block.indent >= self.current.indent + 2

    def _enter(self, block: Block) -> None:
        line = self.numbers.at(block.start)
        content = self.data[block.body : block.end]
        bullet = _BULLET.match(content) if block.kind is Kind.BULLET else None
        text = content[bullet.end() if bullet else 0 :].decode("utf-8", "replace").strip(" \t")
        place = Place(self.path, line, self.section)
        match = _ENTRY.fullmatch(text) if bullet else None
        if match is not None and (match["type"] in _TYPES or (match["id"] and match["actor"])):
            summary = match["summary"] or match["rest"] or ""
            entry = LogEntry(match["id"], match["type"], match["at"], match["actor"] or "", summary, place)
        else:
            entry = LogEntry(None, "", "", "", text, place)
            if bullet or _DATED.search(text):
                self.unknown.append(line)
        self.current = _Draft(entry, block.indent)
        self.drafts.append(self.current)

    def _close(self, fence: _Fence, *, whole: bool) -> None:
        text = fence.text()
        line = self.numbers.at(fence.start)
        current = self.current
        if current is None or fence.indent < current.indent + 2:
            self.loose.append((text, whole, line))
        else:
            current.fences.append((text, whole, line))
            if current.entry.record is None:
                entry = current.entry
                current.entry = LogEntry(
                    entry.id, entry.type, entry.at, entry.actor, entry.summary, entry.place, record=text
                )
        if not whole and not (is_control(text) or is_tombstone(text)):
            self.findings.append(
                Finding(
                    "open-fence",
                    Severity.WARNING,
                    "The fence that opens here is never closed.",
                    file=self.path,
                    line=line,
                    remedy="Close the fence where it should end.",
                )
            )

    def _read_record(
        self,
        text: str,
        whole: bool,
        place: Place,
        named: str,
        controls: list[ControlRecord],
        tombstones: list[Tombstone],
    ) -> None:
        """Read one fenced text where it is a record of the protocol."""
        cut = None if whole else _CUT
        why: str | None = None
        what = ""
        if is_control(text):
            control = read_control(text, place, cut=cut, named=named)
            controls.append(control)
            why, what = control.unreadable, control.withdrawal_id or "without an id"
        elif is_tombstone(text):
            tombstone, why = read_tombstone(text, place, cut=cut)
            if tombstone is not None:
                tombstones.append(tombstone)
            what = tombstone.erasure_id if tombstone else "of an erasure"
        if why is not None:
            self.findings.append(unreadable_record(what, why, place))


def unreadable_record(what: str, why: str, place: Place) -> Finding:
    """The finding for a record that cannot be read whole. `what` names it."""
    return Finding(
        "control-unreadable",
        Severity.ERROR,
        f"The record {what} cannot be read whole: {why}. What it names stays excluded.",
        file=place.file,
        line=place.line,
        id=what if what.startswith("mem") else None,
        remedy="Restore the record, or settle it with a new control event.",
    )
