"""Control records (§12.2) and erasure tombstones (§12.3) as YAML that a person or the engine wrote, cut or whole.

What cannot be read whole is never dropped: its scope keeps every identifier that can be recovered from the raw text,
and `unreadable` says why, so that whoever resolves influence can fail closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from core.controls import ControlRecord, Scope, Tombstone
from core.items import Place
from stores.markdown.yaml_read import Node, YamlError, read_yaml

CATEGORIES = ("memory_item_ids", "archive_refs", "source_or_run_refs")
ITEM_ID = re.compile(r"(?<![\w-])mem-\d{4}-\d\d-\d\d-\d+")
WITHDRAWAL_ID = re.compile(r"(?<![\w-])memwd-\d{4}-\d\d-\d\d-\d+")
_ARCHIVE_REF = re.compile(r"(?<![\w/-])archive/[^\s,\[\]\"'#]+(?:#[^\s,\[\]\"']+)?")
_CONTROL = re.compile(r"(?m)[\"']?\b(?:withdrawal_id[\"']?\s*:|record_type[\"']?\s*:\s*[\"']?withdrawal-control)")
_TOMBSTONE = re.compile(r"(?m)[\"']?\b(?:erasure_id[\"']?\s*:|record_type[\"']?\s*:\s*[\"']?erasure-tombstone)")
_LINE = re.compile(r"^(?P<indent>\s*)(?:-\s+)?(?:(?P<key>[A-Za-z_]+)\s*:)?\s*(?P<rest>.*?)\s*$")
_TOKEN = re.compile(r"[^\s,\[\]\"']+")
_NOTHING = frozenset({"", "~", "null", "none"})
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_NEEDED = ("action", "decided_by", "decided_at", "effect")


def is_control(text: str) -> bool:
    """Whether a fenced text is meant as a WithdrawalRecord."""
    return _CONTROL.search(text) is not None


def is_tombstone(text: str) -> bool:
    """Whether a fenced text is meant as an erasure tombstone."""
    return _TOMBSTONE.search(text) is not None


def read_control(text: str, place: Place, *, cut: str | None = None, named: str = "") -> ControlRecord:
    """The control record that `text` is. Never raises.

    `cut` says why the text is known to be incomplete; `named` is the withdrawal id that the log line above it names.
    """
    try:
        root = read_yaml(text)
    except YamlError as error:
        return _salvaged(text, place, f"its YAML does not parse: {error.reason}", named)
    if not isinstance(root.value, dict):
        return _salvaged(text, place, "it is no mapping of keys to values", named)
    reasons = [cut] if cut else []
    reasons.extend(f"{name} stands in it twice" for name in root.repeated)
    values = {name: _scalar(root, name) for name in ("withdrawal_id", "reason", "record_type", *_NEEDED)}
    if not values["withdrawal_id"]:
        reasons.append("it has no withdrawal_id")
    scope, trouble = _scope(root.get("scope"))
    reasons.extend(trouble)
    missing = [name for name in _NEEDED if not values[name]]
    if missing:
        reasons.append(f"it has no {', '.join(missing)}")
    if trouble or reasons:
        scope = _union(scope, _recovered(text))
    supersedes = root.get("supersedes")
    prior = tuple(one for one in (supersedes.texts() if supersedes else ()) if one.lower() not in _NOTHING)
    return ControlRecord(
        withdrawal_id=values["withdrawal_id"] or named or _first(WITHDRAWAL_ID, text),
        action=values["action"],
        scope=scope,
        reason=values["reason"],
        decided_by=values["decided_by"],
        decided_at=values["decided_at"],
        effect=values["effect"],
        supersedes=prior,
        record_type=values["record_type"] or "withdrawal-control-v1",
        unreadable="; ".join(reasons) or None,
        places=(place,),
    )


def bare_control(summary: str, action: str, place: Place) -> ControlRecord:
    """What is left of a control record whose log line stands without its record: what the line itself names."""
    return ControlRecord(
        withdrawal_id=_first(WITHDRAWAL_ID, summary),
        action=action,
        scope=_recovered(summary),
        reason="",
        decided_by="",
        decided_at="",
        effect="",
        unreadable="the log line has no record beneath it",
        places=(place,),
    )


def read_tombstone(text: str, place: Place, *, cut: str | None = None) -> tuple[Tombstone | None, str | None]:
    """The tombstone that `text` is (None: not even its id can be read), and why it could not be read whole."""
    try:
        root = read_yaml(text)
    except YamlError as error:
        return None, f"its YAML does not parse: {error.reason}"
    if not _scalar(root, "erasure_id"):
        return None, "it has no erasure_id"
    holders = []
    listed = root.get("holders")
    for holder in listed.value if listed is not None and isinstance(listed.value, list) else ():
        limitation = _scalar(holder, "limitation_ref")
        holders.append((_scalar(holder, "holder_ref"), _scalar(holder, "result"), limitation or None))
    replacements = root.get("sanitized_replacement_refs")
    scope = root.get("scope_refs")
    tombstone = Tombstone(
        erasure_id=_scalar(root, "erasure_id"),
        scope_refs=scope.texts() if scope else (),
        authority_ref=_scalar(root, "authority_ref"),
        decided_at=_scalar(root, "decided_at"),
        executed_at=_scalar(root, "executed_at"),
        holders=tuple(holders),
        sanitized_replacement_refs=replacements.texts() if replacements else (),
        place=place,
    )
    return tombstone, cut


def _scalar(root: Node, name: str) -> str:
    node = root.get(name)
    return node.text() if node is not None else ""


def _scope(node: Node | None) -> tuple[Scope, list[str]]:
    """The scope in normal form, and what could not be understood of it."""
    if node is None:
        return Scope(), ["it has no scope"]
    if not isinstance(node.value, dict):
        return Scope(), ["its scope is no mapping of selectors"]
    trouble = [f"the selector {name} is not known" for name in node.value if name not in CATEGORIES]
    trouble.extend(f"{name} stands in its scope twice" for name in node.repeated)
    sets: dict[str, frozenset[str]] = {}
    for name in CATEGORIES:
        selector = node.get(name)
        if selector is None:
            continue
        entries = selector.value if isinstance(selector.value, list) else [selector]
        if any(not isinstance(entry.value, str) for entry in entries):
            trouble.append(f"{name} is no list of identifiers")
        sets[name] = frozenset(part for one in selector.texts() for part in _identifiers(name, one))
    return Scope(**sets), trouble


def _identifiers(category: str, text: str) -> list[str]:
    """The identifiers that one entry of a selector array stands for: in doubt more of them, so that more is excluded.

    Ids and archive references hold no commas and no blanks at their ends; a source or run is taken as it is written.
    """
    parts = [text] if category == "source_or_run_refs" else text.split(",")
    cleaned = (part if category == "source_or_run_refs" else _INVISIBLE.sub("", part).strip() for part in parts)
    return [part for part in cleaned if part.lower() not in _NOTHING]


def _salvaged(text: str, place: Place, why: str, named: str) -> ControlRecord:
    """A record whose YAML does not parse: every line that still says something is taken at its word."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is not None and match["key"] and match["rest"]:
            values.setdefault(match["key"], match["rest"].strip("\"'"))
    supersedes = values.get("supersedes", "")
    return ControlRecord(
        withdrawal_id=values.get("withdrawal_id", "") or named or _first(WITHDRAWAL_ID, text),
        action=values.get("action", ""),
        scope=_recovered(text),
        reason=values.get("reason", ""),
        decided_by=values.get("decided_by", ""),
        decided_at=values.get("decided_at", ""),
        effect=values.get("effect", ""),
        supersedes=tuple(WITHDRAWAL_ID.findall(supersedes)),
        unreadable=why,
        places=(place,),
    )


def _recovered(text: str) -> Scope:
    """Every identifier that a broken record may be about: what stands under a selector, and what looks like an id."""
    found: dict[str, set[str]] = {name: set() for name in CATEGORIES}
    current: str | None = None
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is None or not line.strip():
            continue
        if match["key"]:
            current = match["key"] if match["key"] in CATEGORIES else None
        if current is not None:
            found[current].update(_TOKEN.findall(match["rest"]))
    found["memory_item_ids"].update(ITEM_ID.findall(text))
    found["archive_refs"].update(ref.rstrip(".;") for ref in _ARCHIVE_REF.findall(text))
    return Scope(**{name: frozenset(values) for name, values in found.items()})


def _union(one: Scope, other: Scope) -> Scope:
    return Scope(
        one.memory_item_ids | other.memory_item_ids,
        one.archive_refs | other.archive_refs,
        one.source_or_run_refs | other.source_or_run_refs,
    )


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[0] if match else ""


def unite(records: Iterable[ControlRecord]) -> tuple[ControlRecord, ...]:
    """One record for each content, with every place it stands at; an id with two contents keeps both, in order."""
    united: dict[ControlRecord, ControlRecord] = {}
    for record in records:
        known = united.get(record)
        places = dict.fromkeys((*known.places, *record.places) if known else record.places)
        united[record] = replace(record, places=tuple(places))
    return tuple(united.values())
