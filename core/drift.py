"""What the review finds (§16 steps 1 to 9): each detector takes values and returns findings, and never raises."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence, Set
from itertools import compress

from core.catalogue import make_finding
from core.conflicts import Conflict
from core.controls import Tombstone
from core.eligibility import Influence
from core.findings import Finding
from core.items import MemoryItem
from core.odd_records import odd_records
from core.pages import Items, worth_keeping
from core.places import HELD_FOLDER, HOT, INDEX, TOPICS_FOLDER
from core.recording import foreign_changes, logged_records
from core.secrets import find_secrets, mask, may_hold_secrets
from core.snapshot import Archive, IndexLine, Snapshot
from core.sources import SourceRef, parse_source, stands_in
from core.supersede import near_subjects
from core.texts import fold_text, print_of
from core.undistilled import undistilled
from core.vocabulary import Kind, Severity, Standing, Status

_CORRECTS = re.compile(r"\bcorrect(?:ion|s|ed|ing)?\b|更正|订正|勘误|修正|訂正", re.IGNORECASE)
_CHAIN_TYPES = frozenset(
    {
        "two-items-one-id",
        "dangling-pointer",
        "pointer-cycle",
        "superseded-without-pointer",
        "pointer-without-status",
    }
)
_LINE_LENGTH = 80


def find_drift(snapshot: Snapshot, influence: Influence, conflicts: Sequence[Conflict]) -> tuple[Finding, ...]:
    """Everything the review finds, errors first (control records that cannot be read before others), then by place.

    What reading found and what the control records give rise to stand among it. Nothing is found about excluded
    items except what a human has to do about their withdrawal, and no message repeats what they say.
    """
    found = dict.fromkeys(
        [
            *(one for one in snapshot.drift if not _excluded(one, influence)),
            *influence.findings,
            *_index(snapshot, influence),
            *_topics(snapshot),
            *undistilled(snapshot, influence),
            *_conflicts(snapshot, conflicts),
            *_subjects(snapshot, influence),
            *_items(snapshot, influence),
            *_boundaries(snapshot),
            *_folds(snapshot, influence),
            *_restated(snapshot, influence),
            *_owners(snapshot),
            *odd_records(snapshot),
        ]
    )
    return tuple(sorted(found, key=_order))


_SEVERITIES = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTICE: 2}


def _order(finding: Finding) -> tuple[int, bool, str, int, str, str]:
    return (
        _SEVERITIES[finding.severity],
        finding.code != "control-unreadable",
        finding.file or "",
        finding.line or 0,
        finding.code,
        finding.message,
    )


def _excluded(finding: Finding, influence: Influence) -> bool:
    if finding.item is not None:
        return finding.item in influence.verdicts
    return finding.id is not None and finding.id in influence.excluded_ids


def _index(snapshot: Snapshot, influence: Influence) -> Iterator[Finding]:
    index, limit = snapshot.index, snapshot.binding.limits.index_lines
    if not index.present or index.lines <= limit:
        return
    beyond = len(index.beyond_limit)
    entries = "1 entry stands" if beyond == 1 else f"{beyond} entries stand"
    yield make_finding(
        "index-too-long",
        f"index.md has {index.lines} lines; {entries} beyond line {limit}.",
        file=INDEX,
        line=limit + 1,
    )
    for line in index.beyond_limit:
        if influence.restates(line.text):
            continue
        corrects = _CORRECTS.search(line.text) is not None
        said = "A correction" if corrects else "An entry"
        yield make_finding(
            "index-beyond-limit",
            f"{said} stands beyond line {limit}: {_short(line.text)}",
            file=INDEX,
            line=line.line,
            severity=Severity.WARNING if corrects else None,
        )


def _topics(snapshot: Snapshot) -> Iterator[Finding]:
    mapped = {_topic_file(line) for line in snapshot.index.topic_map}
    files = {_nfc(topic.file) for topic in snapshot.topics}
    for topic in snapshot.topics:
        triggered = any(trigger.strip() for trigger in topic.triggers)
        if not triggered and _nfc(topic.file) not in mapped and (topic.layer or "").strip().lower() != "cold":
            yield make_finding(
                "missing-trigger", f"No trigger leads to {topic.file}, so no agent will read it.", file=topic.file
            )
    named = ((line, _topic_file(line)) for line in snapshot.index.topic_map)
    missing = [(line, target) for line, target in named if target is not None and target not in files]
    known = {_nfc(file) for file in snapshot.files} if missing else set()
    known |= {_nfc(one.file) for one in snapshot.drift if one.file}
    for line, target in missing:
        if target not in known:
            yield make_finding(
                "dangling-topic-map", f"The Topic Map names {target}, which is not there.", file=INDEX, line=line.line
            )


def _topic_file(line: IndexLine) -> str | None:
    target = (line.target or "").partition("#")[0].strip().removeprefix("./").removeprefix("memory/")
    if not target.endswith(".md") or "://" in target:
        return None
    return _nfc(target if "/" in target else f"{TOPICS_FOLDER}/{target}")


def _conflicts(snapshot: Snapshot, conflicts: Sequence[Conflict]) -> Iterator[Finding]:
    for conflict in conflicts:
        row = snapshot.by_key.get(conflict.rows[0]) if conflict.rows else None
        if conflict.type in _CHAIN_TYPES and row is not None:
            yield make_finding(conflict.type, conflict.message, place=row.place, item=row.key, id=row.id)


def _subjects(snapshot: Snapshot, influence: Influence) -> Iterator[Finding]:
    groups = near_subjects(snapshot, influence)
    wanted = {group[0] for group in groups}
    first: dict[str | None, MemoryItem] = {}
    for item in snapshot.gather(_with_subject) if wanted else ():
        if item.subject in wanted and influence.eligible(item.key):
            first.setdefault(item.subject, item)
    for group in groups:
        row = first[group[0]]
        names = ", ".join(f"“{subject}”" for subject in group)
        yield make_finding(
            "near-subjects", f"Subjects that hardly differ: {names}.", place=row.place, item=row.key, id=row.id
        )


def _with_subject(items: Items) -> Items:
    return tuple(item for item in items if item.subject is not None)


def _items(snapshot: Snapshot, influence: Influence) -> Iterator[Finding]:
    for finding in (
        *snapshot.gather(_records),
        *snapshot.gather(_unfounded, snapshot.days, snapshot.tombstones),
        *_unborne(snapshot),
    ):
        if finding.item not in influence.verdicts and finding.item not in snapshot.repeated:
            yield finding


@worth_keeping
def _records(items: Items) -> tuple[Finding, ...]:
    """What the records of a page show by themselves."""
    said = "\n".join(text for item in items for text in (item.text, item.subject, item.source) if text)
    secret = may_hold_secrets(said)
    return tuple(finding for item in items for finding in _record(item, secret))


def _record(item: MemoryItem, secret: bool) -> Iterator[Finding]:
    if item.standing is Standing.INDEX:
        yield _about(item, "index-only-item", f"{_name(item)} stands in the index alone.")
    if item.status is Status.SUPERSEDED and item.kind is Kind.KNOWLEDGE and item.merged_into is None:
        yield _about(item, "knowledge-superseded", f"{_name(item)} is knowledge, and marked superseded.")
    texts = (item.text, item.subject, item.source) if secret else ()
    if kinds := {kind for text in texts if text for _, _, kind in find_secrets(text)}:
        said = f"{_name(item)} holds what looks like a secret ({', '.join(sorted(kinds))})."
        yield _about(item, "secret-in-memory", said)
    if item.source and TOPICS_FOLDER in item.source:
        for ref in parse_source(item.source):
            if ref.kind == "topic":
                said = f"{_name(item)} rests on {ref.text}, which may be rewritten at any time."
                yield _about(item, "source-mutable", said)


def _unfounded(items: Items, archive: Archive, tombstones: tuple[Tombstone, ...]) -> tuple[Finding, ...]:
    """References into the archive that lead nowhere."""
    erased = {ref for tombstone in tombstones for ref in tombstone.scope_refs}
    missing: dict[str | None, list[SourceRef]] = {}
    for source in {item.source for item in items if item.source}:
        refs = [ref for ref in parse_source(source) if ref.kind == "archive"]
        nowhere = [ref for ref in refs if not stands_in(archive, ref)]
        nowhere = [ref for ref in nowhere if erased.isdisjoint({ref.text, ref.file, f"{ref.file}#{ref.anchor}"})]
        if nowhere:
            missing[source] = nowhere
    found = ((item, ref) for item in items if item.source in missing for ref in missing[item.source])
    return tuple(_not_there(item, ref) for item, ref in found)


def _unborne(snapshot: Snapshot) -> Iterator[Finding]:
    """References to items that nothing bears."""
    erased = {ref for tombstone in snapshot.tombstones for ref in tombstone.scope_refs}
    for item, ref in snapshot.gather(_item_refs):
        if not (ref.text in snapshot.by_id or ref.text in snapshot.days.ids or ref.text in erased):
            yield _not_there(item, ref)


@worth_keeping
def _item_refs(items: Items) -> tuple[tuple[MemoryItem, SourceRef], ...]:
    naming = (item for item in items if item.source and "mem-" in item.source)
    return tuple((item, ref) for item in naming for ref in parse_source(item.source or "") if ref.kind == "item")


def _not_there(item: MemoryItem, ref: SourceRef) -> Finding:
    return _about(item, "source-not-found", f"{_name(item)} rests on {ref.text}, which is not there.")


def _name(item: MemoryItem) -> str:
    return item.id or str(item.place)


def _about(item: MemoryItem, code: str, message: str) -> Finding:
    return make_finding(code, mask(message), place=item.place, item=item.key, id=item.id)


def _boundaries(snapshot: Snapshot) -> Iterator[Finding]:
    """Conventions or a hot entry that are not as the last recorded decision left them (§16 step 4, §17)."""
    decided: dict[str, str] = {}
    for event in snapshot.events:
        for name, value in event.detail.items():
            if name.startswith(HOT) and isinstance(value, str):
                decided[name.removeprefix(HOT)] = value
    for file, digest in decided.items():
        state = snapshot.files.get(file)
        if state is None:
            yield make_finding("boundary-violation", f"{file} is gone, and no decision says so.", file=file)
        elif state.digest != digest:
            yield make_finding("boundary-violation", f"{file} changed without a recorded decision.", file=file)


def _folds(snapshot: Snapshot, influence: Influence) -> Iterator[Finding]:
    """Items that are not as the log's events left them."""
    archived = snapshot.days.ids
    erased = {ref for tombstone in snapshot.tombstones for ref in tombstone.scope_refs}
    for id, record in logged_records(snapshot).items():
        bearers = [item for item in snapshot.by_id.get(id, ()) if item.standing is not Standing.INDEX]
        if id in influence.excluded_ids or len(bearers) > 1:
            continue
        if bearers:
            steps = foreign_changes(bearers[0], record)
            if steps:
                names = ", ".join(step.name for step in steps)
                yield _about(
                    bearers[0], "fold-mismatch", f"{id} was changed elsewhere since the log named it: {names}."
                )
        elif id not in archived and id not in erased:
            place = str(record.get("place", "")).partition("#")[0]
            if place.startswith((f"{HELD_FOLDER}/", TOPICS_FOLDER)):
                yield make_finding(
                    "fold-mismatch", f"{id} is gone from {place}, and no event says so.", file=place, id=id
                )


def _restated(snapshot: Snapshot, influence: Influence) -> Iterator[Finding]:
    """Lines of the index, and items under another id, that say again what is withdrawn (§12.2, §16 step 5)."""
    if not influence.excluded_texts:
        return
    index = snapshot.index
    lines = {line.line: line for line in (*index.recent, *index.topic_map, *index.pending, *index.beyond_limit)}
    for number in sorted(lines):
        if influence.restates(lines[number].text) or _clipped(lines[number].text, influence):
            message = "A line of index.md says again what is withdrawn."
            yield make_finding("restates-withdrawn", message, file=INDEX, line=number)
    for item in _saying(snapshot, influence.excluded_texts.prints):
        ordinary = influence.eligible(item.key) and item.key not in snapshot.repeated
        if ordinary and fold_text(item.text) in influence.excluded_texts:
            message = f"{_name(item)} says again what is withdrawn under another id."
            yield make_finding("restates-withdrawn", message, place=item.place, item=item.key, id=item.id)


def _saying(snapshot: Snapshot, prints: Set[str]) -> Iterator[MemoryItem]:
    """The items whose texts have one of `prints`."""
    for page in snapshot.pages:
        said = page.ask(_prints)
        if not prints.isdisjoint(said):
            yield from compress(page.items, map(prints.__contains__, said))


@worth_keeping
def _prints(items: Items) -> tuple[str, ...]:
    """What tells the texts of a page, folded, from other texts: short, and the same at every time."""
    return tuple(print_of(fold_text(item.text)) for item in items)


def _clipped(text: str, influence: Influence) -> bool:
    """Whether a line shows the beginning of an excluded text, cut with an ellipsis."""
    if "…" not in text:
        return False
    shown = text.partition("…")[0]
    shown = re.sub(r"^[\s*+-]*(?:\[[^\]]*\]\s*)*(?:\([^)]*\)\s*)?", "", shown)
    return influence.begins_excluded(shown)


def _owners(snapshot: Snapshot) -> Iterator[Finding]:
    for state in ("unconfirmed", "changed"):
        if snapshot.binding.owners_state == state:
            yield make_finding(f"owners-{state}", file="assay.toml")


def _short(text: str) -> str:
    line = " ".join(mask(text).split())
    return line if len(line) <= _LINE_LENGTH else line[: _LINE_LENGTH - 1] + "…"


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)
