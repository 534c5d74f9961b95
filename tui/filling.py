"""Reading a root beside the screen, part by part, so that screens fill as answers come."""

from __future__ import annotations

import time
from collections.abc import Callable

from core.engine import Engine
from core.pages import Pages
from core.reading import Reading
from core.snapshot import Snapshot
from tui.desk import PARTS, Facts
from tui.sight import Census, References, Sight

LET_SHOW_SECONDS = 0.03
"""What has changed is shown before its consequences are worked out."""

Publish = Callable[[Facts, frozenset[str], tuple[str, ...]], bool]
"""`publish(facts, parts, changed)`: these parts are known now; `changed` files differ from before. False to stop."""


def fill(engine: Engine, before: Facts | None, publish: Publish) -> None:
    """Read the root and publish what is known of it after each part. Nothing is published where nothing changed."""
    reading = engine.reading()
    if before is not None and same(before.reading, reading):
        return
    _ = reading.influence
    sight = Sight(reading, before.sight if before is not None else None)
    facts = Facts(reading, sight, References(Pages.of(())), Census(reading), frozenset(PARTS[:1]))
    changed = changes(before.reading.snapshot, reading.snapshot) if before is not None else ()
    if not publish(facts, frozenset(PARTS[:1]), changed):
        return
    if before is not None:
        time.sleep(LET_SHOW_SECONDS)
    references = References(reading.snapshot.pages, reading.snapshot.proposals)
    for count, part in enumerate(PARTS[1:], start=2):
        getattr(reading, part)
        facts = Facts(reading, facts.sight, references, facts.census, frozenset(PARTS[:count]))
        if not publish(facts, frozenset({part}), ()):
            return
    engine.store.keep(reading.influence.excluded_by_file)


def same(one: Reading, other: Reading) -> bool:
    """Whether two readings are of the same bytes on the same day."""
    if one.today != other.today:
        return False
    ours, theirs = one.snapshot, other.snapshot
    return ours is theirs or (
        bool(ours.files)
        and ours.files == theirs.files
        and ours.binding == theirs.binding
        and ours.drift == theirs.drift
    )


def changes(before: Snapshot, after: Snapshot) -> tuple[str, ...]:
    """The files that differ between two snapshots, sorted; those of the items where files are not known."""
    if before.files or after.files:
        known = dict(before.files)
        pairs = ((path, known.pop(path, None), state) for path, state in after.files.items())
        differ = [path for path, last, state in pairs if last is not state and last != state]
        return tuple(sorted((*differ, *known)))
    old = {item.key: item for item in before.items}
    new = {item.key: item for item in after.items}
    keys = {key for key in {*old, *new} if old.get(key) != new.get(key)}
    return tuple(sorted({(new.get(key) or old[key]).place.file for key in keys}))
