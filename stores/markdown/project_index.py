"""The engine-kept sections of index.md (§10): lines that are right stay byte for byte, all else is the user's."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from core.changes import KeepIndex, PutTriggers, RecentEntry
from core.controls import ControlRecord
from core.items import Record
from core.places import INDEX, TOPICS_FOLDER
from core.secrets import mask
from stores.markdown.blocks import NEWLINE
from stores.markdown.index_page import PENDING, RECENT, TOPIC_MAP, WITHDRAWN, Entry, IndexPage, parse_index
from stores.markdown.project_files import Files
from stores.markdown.project_page import Lead, Page

TITLE = b"# Memory Index\n"
WITHDRAWN_INTRO = b"Not to be read, used or quoted, wherever a copy stands:"
SHORT = 160
"""How much of an item's text a line of Pending Cleanup shows."""

_DATED = re.compile(r"\s*[-*+]\s+\[\d{4}-\d{2}-\d{2}\]")
_BULLET = re.compile(r"\s*[-*+]\s+")
_SUMMARY = re.compile(r"\s*[-*+]\s+\[[^\]]*\]\s*(?:\([^)]*\)\s*)?(.*?)(?:\s*→[^→]*)?\Z", re.DOTALL)
_ID = re.compile(r"(?<![\w-])mem-\d{4}-\d{2}-\d{2}-\d+(?![\w-])")
_MORE = re.compile(r"\s*- and \d+ more\b")


def keep_index(
    files: Files, change: KeepIndex, control: ControlRecord | None = None, triggers: Sequence[PutTriggers] = ()
) -> None:
    """Bring the kept sections up to date, in place.

    `control` is the record that the same change set writes, `triggers` are the topics whose triggers it sets. A missing
    section is made at the end, in the protocol's order, where there is something to put in it; so is the file. What is
    right already changes nothing.
    """
    kept = _open(files)
    _keep_recent(kept, change)
    _keep_topic_map(kept, change.topic_map, triggers)
    _keep_pending(kept, change)
    known = {value for record in files.snapshot.controls for _, value in record.scope.selectors()}
    if control is not None:
        known.update(value for _, value in control.scope.selectors())
    _keep_withdrawn(kept, change, known)


def keep_triggers(files: Files, triggers: Sequence[PutTriggers]) -> None:
    """Keep the Topic Map alone, for topics whose triggers are set."""
    if triggers:
        _keep_topic_map(_open(files), (), triggers)


def _open(files: Files) -> _Kept:
    own = {item.place.line for page in files.snapshot.pages if page.file == INDEX for item in page.items}
    return _Kept(files.page(INDEX), own)


class _Kept:
    """index.md while its sections are kept."""

    def __init__(self, page: Page, own: set[int]) -> None:
        """`own` are the lines of the memory items that stand in index.md itself."""
        self.page = page
        self.parsed: IndexPage | None = parse_index(page.document) if page.document is not None else None
        records = page.document.records if page.document is not None else ()
        self._items = [page.bounds(index) for index, record in enumerate(records) if record.place.line in own]

    def entries(self, name: str) -> tuple[Entry, ...]:
        """The entries of a section."""
        return self.parsed.entries.get(name, ()) if self.parsed is not None else ()

    def text(self, entry: Entry) -> str:
        """The entry's whole lines as text, without the last line end."""
        return self.page.data[entry.start : entry.end].decode("utf-8", "replace").rstrip("\r\n")

    def is_item(self, entry: Entry) -> bool:
        """Whether the entry is a memory item of its own, and so not the engine's to drop."""
        return any(start <= entry.start < end for start, end in self._items)

    def drop(self, entry: Entry) -> None:
        """Remove the entry's lines."""
        self.page.replace(entry.start, entry.end, b"")

    def say(self, entry: Entry, trigger: str) -> None:
        """Set when to read what the entry points at: behind its dash, or at the end of its line where it has none."""
        data = self.page.data
        line_end = NEWLINE.search(data, entry.start, entry.end)
        end = line_end.start() if line_end else entry.end
        old = (entry.line.trigger or "").encode()
        at = data.rfind(old, entry.start, end) if old else -1
        if at >= 0:
            self.page.replace(at, at + len(old), trigger.encode())
        else:
            self.page.replace(end, end, f" — {trigger}".encode())

    def add(self, name: str, lines: Sequence[str], *, on_top: bool = False, intro: bytes = b"") -> None:
        """Add lines to a section: on top of its entries, else behind the last one."""
        if not lines:
            return
        page = self.page
        eol = page.eol
        text = b"".join(line.encode("utf-8", "replace") + eol for line in lines)
        section = self.parsed.sections.get(name) if self.parsed is not None else None
        entries = self.entries(name)
        if section is None:
            if page.before is None and not page.inserts:
                page.insert(0, TITLE, bound=False)
            page.inserts = True
            page.add_to_new_section(name, intro + eol + eol + text if intro else text)
        elif entries:
            page.insert(entries[0].start if on_top else entries[-1].end, text, lead=Lead.LINE)
        else:
            page.append_to_bare_section(section, text)


def _keep_recent(kept: _Kept, change: KeepIndex) -> None:
    entries = kept.entries(RECENT)
    there = {kept.text(entry).rstrip() for entry in entries}
    lines = [line for line in map(_recent_line, change.recent_add) if line not in there][: change.recent_limit]
    dropped = [
        entry for entry in entries if not kept.is_item(entry) and _restates(kept.text(entry), change.recent_drop)
    ]
    left = [entry for entry in entries if entry not in dropped]
    over = len(lines) + len(left) - change.recent_limit
    if lines and over > 0:
        dated = [entry for entry in left if _DATED.match(kept.text(entry)) and not kept.is_item(entry)]
        dropped += dated[-over:]
    for entry in dropped:
        kept.drop(entry)
    kept.add(RECENT, lines, on_top=True)


def _recent_line(entry: RecentEntry) -> str:
    return f"- [{entry.date}] ({entry.kind}) {mask(_one_line(entry.summary))} → {entry.target}"


def _restates(line: str, texts: Iterable[str]) -> bool:
    """Whether a line of Recent Activity says one of `texts`, whole or cut short."""
    said = _one_line(line)
    match = _SUMMARY.fullmatch(said)
    summary = match[1] if match else said
    head = summary.removesuffix("…").rstrip()
    for text in map(_one_line, texts):
        for shown in {text, mask(text)}:
            if shown and (shown in said or (summary != head and head and shown.startswith(head))):
                return True
    return False


def _keep_topic_map(kept: _Kept, topics: Sequence[tuple[str, str]], triggers: Sequence[PutTriggers]) -> None:
    entries = {_normal((entry.line.target or "").partition("#")[0]): entry for entry in kept.entries(TOPIC_MAP)}
    wanted = dict(topics)
    for change in triggers:
        said = f"Read when {', '.join(map(_one_line, change.triggers))}."
        entry = entries.get(_normal(change.file))
        if entry is None:
            wanted[change.file] = said
        else:
            kept.say(entry, said)
    lines = []
    for file, trigger in wanted.items():
        if _normal(file) not in entries:
            short = file.removeprefix(TOPICS_FOLDER + "/")
            lines.append(f"- {short} — {_one_line(trigger)}" if trigger else f"- {short}")
    kept.add(TOPIC_MAP, lines)


def _keep_pending(kept: _Kept, change: KeepIndex) -> None:
    wanted = [record for record in change.pending if not str(record.get("place", "")).startswith(INDEX)]
    missing = list(wanted)
    for entry in kept.entries(PENDING):
        text = kept.text(entry)
        if _MORE.match(text):
            continue
        record = next((record for record in wanted if _names(text, record)), None)
        if record is not None and record in missing and _says(text, record):
            missing.remove(record)
        elif (record is not None or _ID.search(text)) and not kept.is_item(entry):
            kept.drop(entry)
    lines = [_pending_line(record) for record in missing]
    _keep_more(kept, PENDING, lines, change.pending_more, "each says `Status: pending-cleanup` in its topic")


def _pending_line(record: Record) -> str:
    """One line with the metadata of a §9 item; behind the arrow, the item that it points at and where that stands."""
    text = mask(_one_line(str(record.get("text", ""))))
    short = text if len(text) <= SHORT else text[: SHORT - 1].rstrip() + "…"
    item_id = str(record.get("id", ""))
    named = _ID.fullmatch(item_id) is not None
    head = f"[{record['date']}] " if "date" in record else ""
    head += f"[{item_id}] " if item_id and not named else ""
    head += f"({record['kind']}) " if "kind" in record else ""
    stop = "" if short.endswith((".", "!", "?", "。", "！", "？", "…")) else "."
    parts = [f"- {head}{short}{stop} Status: pending-cleanup."]
    if "superseded_by" in record:
        parts.append(f"superseded_by: {record['superseded_by']}.")
    if "Source" in record:
        parts.append(f"Source: {mask(_one_line(str(record['Source'])))}.")
    file = str(record.get("place", "")).partition("#")[0]
    return f"{' '.join(parts)} → {item_id} in {file}" if named else f"{' '.join(parts)} → {file}"


def _names(text: str, record: Record) -> bool:
    """Whether an entry is about the record: by its id, else by its line."""
    item_id = record.get("id")
    if isinstance(item_id, str):
        return re.search(rf"(?<![\w-]){re.escape(item_id)}(?![\w-])", _before_successor(text)) is not None
    return _one_line(text) == _pending_line(record)


def _before_successor(text: str) -> str:
    """The entry without its pointer to the successor, which is not what it is about."""
    return re.sub(r"superseded_by:?\s*\S+", "", text)


def _says(text: str, record: Record) -> bool:
    """Whether an entry carries the metadata of the record as it is now."""
    said = _one_line(text)
    needed = [str(record.get("kind", "")), "pending-cleanup", str(record.get("superseded_by", ""))]
    source = _one_line(str(record.get("Source", "")))
    return all(part in said for part in needed) and (source in said or mask(source) in said)


def _keep_withdrawn(kept: _Kept, change: KeepIndex, known: set[str]) -> None:
    wanted = [_one_line(selector) for selector in change.withdrawn]
    stale = {_one_line(selector) for selector in known} - set(wanted)
    there = set()
    for entry in kept.entries(WITHDRAWN):
        selector = _BULLET.sub("", _one_line(kept.text(entry)), count=1).strip("`")
        if selector in wanted and selector not in there:
            there.add(selector)
        elif selector in stale or selector in there:
            # A selector that no record names stays: what stands here excludes, and nobody reinstated it.
            kept.drop(entry)
    lines = [f"- {selector}" for selector in wanted if selector not in there]
    _keep_more(kept, WITHDRAWN, lines, change.withdrawn_more, "see log.md", intro=WITHDRAWN_INTRO)


def _keep_more(kept: _Kept, name: str, lines: list[str], more: int, where: str, *, intro: bytes = b"") -> None:
    """Add `lines`, and keep the line that says how many are left out as the last one."""
    wanted = f"- and {more} more: {where}" if more else ""
    standing = [entry for entry in kept.entries(name) if _MORE.match(kept.text(entry))]
    right = len(standing) == 1 and kept.text(standing[0]).rstrip() == wanted and not lines
    if not right:
        for entry in standing:
            kept.drop(entry)
        lines = [*lines, wanted] if wanted else lines
    kept.add(name, lines, intro=intro)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _normal(path: str) -> str:
    return unicodedata.normalize("NFC", path.removeprefix("./").removeprefix(TOPICS_FOLDER + "/"))
