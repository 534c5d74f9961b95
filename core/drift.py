"""What the review finds (§16 steps 1 to 9): each detector takes values and returns findings, and never raises."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

from core.catalogue import make_finding
from core.conflicts import Conflict, own_items
from core.findings import Finding
from core.influence import Influence
from core.items import MemoryItem
from core.places import HELD_FOLDER, INDEX, TOPICS_FOLDER
from core.recording import foreign_changes, logged_records
from core.secrets import find_secrets, mask
from core.snapshot import ArchiveDay, IndexLine, Snapshot
from core.sources import SourceRef, fold_text, parse_source, segment
from core.supersede import near_subjects
from core.undistilled import undistilled
from core.vocabulary import Kind, Severity, Standing, Status

HOT = "hot:"
"""An event's detail key `hot:FILE` holds the digest of a conventions or hot-entry file as a decision left it."""

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
    known = files | {_nfc(file) for file in snapshot.files} | {_nfc(one.file) for one in snapshot.drift if one.file}
    for line in snapshot.index.topic_map:
        target = _topic_file(line)
        if target is not None and target not in known:
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
    for group in near_subjects(snapshot, influence):
        row = next(item for item in snapshot.items if item.subject == group[0] and influence.eligible(item.key))
        names = ", ".join(f"“{subject}”" for subject in group)
        yield make_finding(
            "near-subjects", f"Subjects that hardly differ: {names}.", place=row.place, item=row.key, id=row.id
        )


def _items(snapshot: Snapshot, influence: Influence) -> Iterator[Finding]:
    found = _lookup(snapshot)
    for item in own_items(snapshot):
        if not influence.eligible(item.key):
            continue
        name = item.id or str(item.place)
        if item.standing is Standing.INDEX:
            yield _about(item, "index-only-item", f"{name} stands in the index alone.")
        if item.kind is Kind.KNOWLEDGE and item.status is Status.SUPERSEDED and item.merged_into is None:
            yield _about(item, "knowledge-superseded", f"{name} is knowledge, and marked superseded.")
        kinds = {kind for text in (item.text, item.subject, item.source) if text for _, _, kind in find_secrets(text)}
        if kinds:
            yield _about(
                item, "secret-in-memory", f"{name} holds what looks like a secret ({', '.join(sorted(kinds))})."
            )
        for ref in parse_source(item.source) if item.source else ():
            if ref.kind == "topic":
                yield _about(item, "source-mutable", f"{name} rests on {ref.text}, which may be rewritten at any time.")
            if not found(ref):
                yield _about(item, "source-not-found", f"{name} rests on {ref.text}, which is not there.")


def _about(item: MemoryItem, code: str, message: str) -> Finding:
    return make_finding(code, mask(message), place=item.place, item=item.key, id=item.id)


def _lookup(snapshot: Snapshot) -> Callable[[SourceRef], bool]:
    """Whether what a reference names is there, or was erased on authority; statements and topics are not asked."""
    days: dict[str, ArchiveDay] = {day.file: day for day in snapshot.archive}
    archived = {copy.id for day in snapshot.archive for copy in day.copies}
    erased = {ref for tombstone in snapshot.tombstones for ref in tombstone.scope_refs}
    known: dict[SourceRef, bool] = {}

    def look(ref: SourceRef) -> bool:
        if ref.kind == "item":
            return ref.text in snapshot.by_id or ref.text in archived or ref.text in erased
        day = days.get(ref.file or "")
        if day is not None and (ref.anchor is None or segment(day, ref.anchor) is not None):
            return True
        return bool(erased & {ref.text, ref.file, f"{ref.file}#{ref.anchor}"})

    def found(ref: SourceRef) -> bool:
        if ref.kind not in ("archive", "item"):
            return True
        if ref not in known:
            known[ref] = look(ref)
        return known[ref]

    return found


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
    archived = {copy.id for day in snapshot.archive for copy in day.copies}
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
        if influence.restates(lines[number].text) or _clipped(lines[number].text, influence.excluded_texts):
            message = "A line of index.md says again what is withdrawn."
            yield make_finding("restates-withdrawn", message, file=INDEX, line=number)
    for item in own_items(snapshot):
        if influence.eligible(item.key) and fold_text(item.text) in influence.excluded_texts:
            message = f"{item.id or item.place} says again what is withdrawn under another id."
            yield make_finding("restates-withdrawn", message, place=item.place, item=item.key, id=item.id)


def _clipped(text: str, excluded: frozenset[str]) -> bool:
    """Whether a line shows the beginning of an excluded text, cut with an ellipsis."""
    if "…" not in text:
        return False
    shown = text.partition("…")[0]
    shown = re.sub(r"^[\s*+-]*(?:\[[^\]]*\]\s*)*(?:\([^)]*\)\s*)?", "", shown)
    begun = fold_text(shown)
    return len(begun) >= 8 and any(known.startswith(begun) for known in excluded)


def _owners(snapshot: Snapshot) -> Iterator[Finding]:
    for state in ("unconfirmed", "changed"):
        if snapshot.binding.owners_state == state:
            yield make_finding(f"owners-{state}", file="assay.toml")


def _short(text: str) -> str:
    line = " ".join(mask(text).split())
    return line if len(line) <= _LINE_LENGTH else line[: _LINE_LENGTH - 1] + "…"


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)
