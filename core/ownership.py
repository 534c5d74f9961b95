"""Who owns a scope (§12.2 `decided_by`, §17 authority): the binding's owners and their selectors."""

from __future__ import annotations

import re
import unicodedata

from core.binding import Binding, Owner
from core.controls import Scope
from core.items import MemoryItem
from core.places import HELD_FOLDER, TOPICS_FOLDER
from core.snapshot import Snapshot
from core.sources import archive_ref

EVERYTHING = "*"

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def owner_named(binding: Binding, decided_by: str) -> Owner | None:
    """The owner that `decided_by` names (`owner:ana` or `ana`); None for anybody else, other roles included.

    An owner that the binding lists twice has the selectors of both entries.
    """
    name = decided_by.strip()
    name = name.removeprefix("owner:").strip()
    if not name:
        return None
    named = [owner for owner in binding.owners if owner.name == name]
    if not named:
        return None
    scopes = tuple(dict.fromkeys(scope for owner in named for scope in owner.scopes))
    return Owner(name, named[0].user, scopes)


def owns(binding: Binding, owner: Owner, snapshot: Snapshot, scope: Scope) -> bool:
    """Whether `owner`'s selectors hold the whole of `scope`.

    `*` holds everything. An item id is held where every bearer of it is, by `topic:`, `subject:` or `scope:`; an
    archive reference by `archive:` with its day in the range. Ids without a bearer, runs, other sources and a scope
    without selectors are held by `*` alone: nothing shows whose they are.
    """
    if all(known.name != owner.name for known in binding.owners):
        return False
    if EVERYTHING in owner.scopes:
        return True
    if scope.empty or scope.source_or_run_refs:
        return False
    return all(_holds_item(owner, snapshot, item_id) for item_id in scope.memory_item_ids) and all(
        _holds_archive(owner, ref) for ref in scope.archive_refs
    )


def owners_of(binding: Binding, snapshot: Snapshot, scope: Scope) -> tuple[Owner, ...]:
    """The owners of the whole of `scope`, in the binding's order."""
    return tuple(owner for owner in binding.owners if owns(binding, owner, snapshot, scope))


def _holds_item(owner: Owner, snapshot: Snapshot, item_id: str) -> bool:
    bearers = snapshot.by_id.get(item_id, ())
    return bool(bearers) and all(
        any(_selects(selector, item, snapshot) for selector in owner.scopes) for item in bearers
    )


def _selects(selector: str, item: MemoryItem, snapshot: Snapshot) -> bool:
    kind, _, value = selector.partition(":")
    if not value:
        return False
    if kind == "subject":
        return item.subject is not None and item.subject.startswith(value)
    if kind == "scope":
        return item.scope is not None and item.scope == value
    if kind == "topic":
        file = _home(item, snapshot)
        name = file.removeprefix(f"{TOPICS_FOLDER}/").removesuffix(".md")
        return file.startswith(f"{TOPICS_FOLDER}/") and _nfc(name) == _nfc(value.removesuffix(".md"))
    return False


def _home(item: MemoryItem, snapshot: Snapshot) -> str:
    """The file the item stands in; for a held one, the file it was taken from, as the log says."""
    if not item.held:
        return item.place.file
    for event in reversed(snapshot.events):
        for change in event.items:
            if change.id != item.id:
                continue
            for step in (*change.fields, *change.corrections):
                before = step.before
                if step.name == "place" and isinstance(before, str) and not before.startswith(f"{HELD_FOLDER}/"):
                    return before.partition("#")[0]
    return item.place.file


def _holds_archive(owner: Owner, ref: str) -> bool:
    place = archive_ref(ref)
    day = place[0].removeprefix("archive/").removesuffix(".md") if place is not None else ""
    if not _DATE.fullmatch(day):
        return False
    for selector in owner.scopes:
        kind, _, value = selector.partition(":")
        first, dots, last = value.partition("..")
        if kind == "archive" and first and first <= day <= ((last or "9999-99-99") if dots else first):
            return True
    return False


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def role_of(who: str) -> str:
    """The role that an actor's name begins with, however it is written."""
    plain = "".join(part for part in unicodedata.normalize("NFKC", who) if unicodedata.category(part) != "Cf")
    return plain.strip().casefold().partition(":")[0].strip()
