"""How items are named on the command line: by id, by key, or by `file:line`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.errors import ItemNotFound, Refused
from core.items import MemoryItem
from core.snapshot import Snapshot
from tui.cli.parser import nearest

_PLACE = re.compile(r"(?P<file>.+):(?P<line>[0-9]+)\Z")


def keys_of(snapshot: Snapshot, names: Iterable[str]) -> tuple[str, ...]:
    """The keys of the items named, in order, each once. Raises `ItemNotFound`.

    An id of two items stays an id: the plan leaves it out, and says why, without stopping the rest.
    """
    found = ((name, bearers_of(snapshot, name)) for name in names)
    return tuple(dict.fromkeys(bearers[0].key if len(bearers) == 1 else name for name, bearers in found))


def item_of(snapshot: Snapshot, name: str) -> MemoryItem:
    """The item named. Raises `ItemNotFound`, and `Refused` where the id has two bearers."""
    bearers = bearers_of(snapshot, name)
    if len(bearers) > 1:
        places = ", ".join(str(item.place) for item in bearers)
        raise Refused(
            f"{len(bearers)} items bear this id: {places}.",
            where=name,
            remedy=f"Name one by its place, and give it a new id: `assay repair {bearers[-1].place} --new-id`.",
        )
    return bearers[0]


def bearers_of(snapshot: Snapshot, name: str) -> tuple[MemoryItem, ...]:
    """Every item that `name` names: at least one. Raises `ItemNotFound`."""
    if (item := snapshot.by_key.get(name)) is not None:
        return (item,)
    if bearers := snapshot.by_id.get(name):
        return bearers
    if place := _PLACE.match(name):
        return (_at(snapshot, place["file"], int(place["line"]), name),)
    raise ItemNotFound(_why_unknown(snapshot, name), where=name, remedy="`assay items` lists what there is.")


def _at(snapshot: Snapshot, file: str, line: int, name: str) -> MemoryItem:
    file = file.removeprefix("./")
    there = [item for item in snapshot.items if item.place.file == file]
    for item in there:
        if item.place.line == line:
            return item
    if not there:
        raise ItemNotFound("No item stands in that file.", where=name, remedy="`assay items` lists what there is.")
    near = min(there, key=lambda item: abs(item.place.line - line))
    raise ItemNotFound("No item begins there.", where=name, remedy=f"The nearest begins at {near.place}.")


def _why_unknown(snapshot: Snapshot, name: str) -> str:
    if any(name in tombstone.scope_refs for tombstone in snapshot.tombstones):
        return "This was erased."
    if any(copy.id == name for day in snapshot.archive for copy in day.copies):
        return "This stands in the archive alone; no item bears it."
    near = nearest(name, snapshot.by_id)
    return f"No such item; did you mean {near}?" if near else "No such item."
