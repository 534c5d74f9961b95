"""Archived copies that never became an item (§16 step 6). A withdrawn segment is no missing work (§12.2)."""

from __future__ import annotations

from collections.abc import Iterator

from core.catalogue import make_finding
from core.eligibility import Influence
from core.findings import Finding
from core.pages import Items, worth_keeping
from core.reach import item_ids_in
from core.snapshot import ArchiveDay, ArchivedCopy, Snapshot
from core.sources import embedded_archive_refs, norm_anchor
from core.vocabulary import Standing

_DISTILLED = frozenset({Standing.TOPIC, Standing.HISTORICAL, Standing.HELD})


def undistilled(snapshot: Snapshot, influence: Influence) -> Iterator[Finding]:
    """One finding for each archive day that holds eligible copies which were never distilled, oldest first.

    A copy is distilled where a topic or held item bears its id, or where a Source names its id or its segment. A
    Source that names the whole day names those copies alone that bear no id.
    """
    if not any(day.copy_ids for day in snapshot.archive):
        return
    there = {item_id for item_id in snapshot.gather(_elsewhere) if not _is_distilled(snapshot, item_id)}
    missing = (snapshot.unborne | there).difference(snapshot.gather(_ids_named))
    segments: set[tuple[str, str | None]] | None = None
    for day in sorted(snapshot.archive, key=lambda day: day.file):
        if None not in day.copy_ids and missing.isdisjoint(day.copy_ids):
            continue
        left = [copy for copy in day.copies if copy.id is None or copy.id in missing]
        if left and segments is None:
            segments = set(snapshot.gather(_segments_named))
        left = [copy for copy in left if not _named(copy, day.file, segments or set())]
        left = [copy for copy in left if not influence.copy_excluded(day, copy)]
        if left:
            yield _finding(day, left)


def _elsewhere(items: Items) -> tuple[str, ...]:
    """The ids of items that stand where nothing distilled does."""
    return tuple(item.id for item in items if item.id is not None and item.standing not in _DISTILLED)


def _is_distilled(snapshot: Snapshot, item_id: str) -> bool:
    return any(item.standing in _DISTILLED for item in snapshot.by_id[item_id])


@worth_keeping
def _ids_named(items: Items) -> tuple[str, ...]:
    """The ids that Sources name."""
    sources = {item.source for item in items if item.source and "mem-" in item.source}
    return tuple({item_id for source in sources for item_id in item_ids_in(source)})


def _segments_named(items: Items) -> tuple[tuple[str, str | None], ...]:
    """The archive files that Sources name, each with the segment in normal form; None for the whole day."""
    refs = {ref for source in {item.source for item in items if item.source} for ref in embedded_archive_refs(source)}
    return tuple((file, norm_anchor(anchor) if anchor is not None else None) for file, anchor in refs)


def _named(copy: ArchivedCopy, file: str, segments: set[tuple[str, str | None]]) -> bool:
    if copy.id is None and (file, None) in segments:
        return True
    return copy.anchor is not None and (file, norm_anchor(copy.anchor)) in segments


def _finding(day: ArchiveDay, left: list[ArchivedCopy]) -> Finding:
    count = f"{len(left)} archived items" if len(left) > 1 else "1 archived item"
    ids = [copy.id for copy in left if copy.id is not None]
    named = f" ({', '.join(ids[:3])}{', …' if len(ids) > 3 else ''})" if ids else ""
    return make_finding(
        "undistilled-archive", f"{count} of {day.file} never distilled{named}.", file=day.file, line=left[0].line
    )
