"""What a control scope covers (§12.2): bearers of an id, what rests on it, what was merged from it, transitively."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter

from core.controls import Scope
from core.items import MemoryItem
from core.pages import Items, worth_keeping
from core.reach import IdFinder, Reach, is_conventional
from core.snapshot import ArchiveDay, ArchivedCopy, Snapshot
from core.sources import archive_names, archive_ref, embedded_archive_refs, norm_anchor, segment
from core.tokens import TokenFinder

_SOURCE = attrgetter("source")


@dataclass(frozen=True, slots=True)
class Segment:
    """A covered part of an archive file: `anchor` None is the whole file; `lines` where it stands, if known."""

    file: str
    anchor: str | None
    lines: tuple[int, int] | None

    @property
    def name(self) -> str:
        """The reference in normal form."""
        return self.file if self.anchor is None else f"{self.file}#{self.anchor}"

    def holds(self, copy: ArchivedCopy) -> bool:
        """Whether an archived copy of the same file stands in it."""
        if self.anchor is None:
            return True
        if self.lines is not None:
            return self.lines[0] <= copy.line <= self.lines[1]
        return copy.anchor is not None and norm_anchor(copy.anchor) == self.anchor


@dataclass(slots=True)
class Covered:
    """What one scope covers: keys of items -> why, ids, and the keys of what is covered only in doubt."""

    items: dict[str, str] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)
    in_doubt: set[str] = field(default_factory=set)
    """Items with a Source wider than a covered segment, where nothing shows that they rest on the rest of it."""


class Coverage:
    """Answers for one snapshot; its indexes are made when first needed, each in one pass."""

    def __init__(self, snapshot: Snapshot, scopes: Iterable[Scope]) -> None:
        """`scopes` are all scopes that will be asked for."""
        self._snapshot = snapshot
        self._days = snapshot.days.by_file
        self._scopes = tuple(scopes)
        self._by_day: dict[str, dict[str, list[ArchivedCopy]]] = {}

    def segments(self, scope: Scope) -> tuple[Segment, ...]:
        """The archive segments that a scope names, also by a run that is an archive heading."""
        found = dict.fromkeys(
            self._segment(*place) for ref in scope.archive_refs if (place := archive_ref(ref)) is not None
        )
        for token in scope.source_or_run_refs:
            wanted = norm_anchor(token)
            for file, anchor in self._headings.get(wanted, ()):
                found[self._segment(file, anchor)] = None
        return tuple(found)

    def covered(self, scope: Scope, excluded: Mapping[str, Sequence[Segment]]) -> Covered:
        """What `scope` covers. `excluded` are all segments excluded now, by file, those of `scope` among them."""
        result = Covered()
        for item_id in sorted(scope.memory_item_ids):
            self._cover_id(item_id, f"bears {item_id}", result)
        self._cover_segments(self.segments(scope), excluded, result)
        for token in self._tokens(scope):
            for item in self._with_sources(self._by_token.get(token, ())):
                self._cover(item, f"names {token} as its Source", result)
        return result

    def extend(self, keys: Iterable[str], why: str, result: Covered) -> None:
        """Cover the items with these `keys`, and all that follows from them."""
        for key in keys:
            self._cover(self._snapshot.by_key[key], why, result)

    def reach(self, covered: Iterable[Covered], ids: Iterable[str]) -> Reach:
        """What a change has to touch to matter to any scope: they cover `covered` now; `ids` are asked for besides."""
        ids = {*ids, *(item_id for scope in self._scopes for item_id in scope.memory_item_ids)}
        files = {one.file for scope in self._scopes for one in self.segments(scope)}
        tokens = {token for scope in self._scopes for token in self._tokens(scope)}
        return Reach(frozenset(ids.union(*(one.ids for one in covered))), frozenset(files), frozenset(tokens))

    def _cover_id(self, item_id: str, why: str, result: Covered) -> None:
        if item_id in result.ids:
            return
        result.ids.add(item_id)
        for item, why in self._following(item_id, f"bears {item_id}"):
            self._cover(item, why, result)

    def _following(self, item_id: str, said: str) -> list[tuple[MemoryItem, str]]:
        """What is covered where `item_id` is, and why: what bears it (`said`), and what names it as its Source."""
        bearing = [(item, said) for item in self._snapshot.by_id.get(item_id, ())]
        naming = self._with_sources(self._naming.get(item_id, ()))
        return [*bearing, *((item, f"names {item_id} as its Source") for item in naming)]

    def _cover(self, item: MemoryItem, why: str, result: Covered) -> None:
        work = [(item, why)]
        while work:
            here, because = work.pop()
            if here.key in result.items:
                continue
            result.items[here.key] = because
            folded = f"was merged from {here.id or 'an excluded item'}"
            for item_id, said in ((here.id, f"bears {here.id}"), (here.merged_into, folded)):
                if item_id is not None and item_id not in result.ids:
                    result.ids.add(item_id)
                    work += self._following(item_id, said)

    def _cover_segments(
        self, segments: Sequence[Segment], excluded: Mapping[str, Sequence[Segment]], result: Covered
    ) -> None:
        for covered in segments:
            name = covered.name
            resting = self._resting.get(covered.file, {})
            # Without lines nothing but the name can tell: look the two names up instead of all.
            by_name = covered.anchor is not None and covered.lines is None
            for anchor in (covered.anchor, None) if by_name else tuple(resting):
                wide = self._wider(covered, anchor)
                if wide is None:
                    continue
                for item in self._with_sources(resting.get(anchor, ())):
                    if not wide:
                        self._cover(item, f"rests on {name}", result)
                    elif not self._stands_elsewhere(item.id, covered.file, anchor, excluded):
                        if item.key not in result.items:
                            result.in_doubt.add(item.key)
                        self._cover(item, f"rests on {covered.file}, of which {name} is withdrawn", result)
            for copy in self._copies_of_day(covered.file):
                if copy.id is not None and covered.holds(copy) and self._only_within(copy.id, excluded):
                    self._cover_id(copy.id, f"stands archived only in {name}", result)

    def _wider(self, covered: Segment, anchor: str | None) -> bool | None:
        """How a Source into the file of `covered` stands to it: False within it, True wider, None beside it."""
        if covered.anchor is None or anchor == covered.anchor:
            return False
        if anchor is None:
            return True
        day = self._days.get(covered.file)
        lines = segment(day, anchor) if day is not None else None
        if lines is None or covered.lines is None:
            return None
        if covered.lines[0] <= lines[0] and lines[1] <= covered.lines[1]:
            return False
        return True if lines[0] <= covered.lines[1] and covered.lines[0] <= lines[1] else None

    def _stands_elsewhere(
        self, item_id: str | None, file: str, anchor: str | None, excluded: Mapping[str, Sequence[Segment]]
    ) -> bool:
        day = self._days.get(file)
        if item_id is None or day is None:
            return False
        lines = segment(day, anchor) if anchor is not None else None
        covered = excluded.get(file, ())
        if any(one.anchor is not None and one.lines is None for one in covered):
            return False  # a covered heading that is no longer there could have been anywhere
        return any(
            not any(one.holds(copy) for one in covered) and (lines is None or lines[0] <= copy.line <= lines[1])
            for copy in (self._copies(item_id, day) if item_id in day.copy_ids else ())
        )

    def _only_within(self, item_id: str, excluded: Mapping[str, Sequence[Segment]]) -> bool:
        return all(
            any(one.holds(copy) for one in excluded.get(day.file, ()))
            for day in self._days_with.get(item_id, ())
            for copy in self._copies(item_id, day)
        )

    def _segment(self, file: str, anchor: str | None) -> Segment:
        day = self._days.get(file)
        if anchor is None:
            return Segment(file, None, None)
        return Segment(file, norm_anchor(anchor), segment(day, anchor) if day is not None else None)

    def _copies_of_day(self, file: str) -> tuple[ArchivedCopy, ...]:
        day = self._days.get(file)
        return day.copies if day is not None else ()

    def _tokens(self, scope: Scope) -> list[str]:
        """What matches as a whole token of a Source: runs, and archive references that cannot be read as such."""
        unread = (ref for ref in scope.archive_refs if archive_ref(ref) is None)
        return sorted({token.strip() for token in (*scope.source_or_run_refs, *unread)} - {""})

    @cached_property
    def _sources(self) -> tuple[str, ...]:
        """The Source texts, in reading order, each once."""
        return tuple(dict.fromkeys(self._snapshot.gather(_page_sources)))

    def _with_sources(self, sources: Sequence[str]) -> list[MemoryItem]:
        """The items with any of these Source texts; one after the other, in reading order."""
        return [item for source in sources for item in self._by_source[source]] if sources else []

    @cached_property
    def _by_source(self) -> dict[str | None, list[MemoryItem]]:
        """The items with each Source text that names anything asked for."""
        named = [*self._naming.values(), *self._by_token.values()]
        named += [sources for anchors in self._resting.values() for sources in anchors.values()]
        table: dict[str | None, list[MemoryItem]] = {source: [] for sources in named for source in sources}
        for page in self._snapshot.pages if table else ():
            if not table.keys().isdisjoint(page.ask(_page_sources)):
                for item in page.items:
                    if item.source in table:
                        table[item.source].append(item)
        return table

    @cached_property
    def _naming(self) -> dict[str, list[str]]:
        """The Source texts that name each id."""
        named = {item_id for scope in self._scopes for item_id in scope.memory_item_ids}
        finder = IdFinder((*self._snapshot.gather(_odd_ids), *named))
        table: dict[str, list[str]] = defaultdict(list)
        for source in self._sources:
            for item_id in finder.find(source):
                table[item_id].append(source)
        return table

    @cached_property
    def _resting(self) -> dict[str, dict[str | None, list[str]]]:
        """Archive file -> anchor -> the Source texts that name it; only for files that are asked for."""
        asked = {covered.file for scope in self._scopes for covered in self.segments(scope)}
        table: dict[str, dict[str | None, list[str]]] = {}
        if not asked:
            return table
        stems = {file.removeprefix("archive/").removesuffix(".md") for file in asked}
        for source in self._sources:
            if source.isascii() and stems.isdisjoint(archive_names(source)):
                continue
            for file, anchor in set(embedded_archive_refs(source)):
                if file in asked:
                    anchors = table.setdefault(file, {})
                    anchors.setdefault(norm_anchor(anchor) if anchor is not None else None, []).append(source)
        return table

    @cached_property
    def _by_token(self) -> dict[str, list[str]]:
        finder = TokenFinder(token for scope in self._scopes for token in self._tokens(scope))
        table: dict[str, list[str]] = defaultdict(list)
        for source in self._sources if finder else ():
            for token in finder.find(source):
                table[token].append(source)
        return table

    @cached_property
    def _days_with(self) -> dict[str, list[ArchiveDay]]:
        """The days on which copies of each id stand."""
        table: dict[str, list[ArchiveDay]] = {}
        for day in self._snapshot.archive:
            for item_id in day.copy_ids:
                if item_id is not None:
                    table.setdefault(item_id, []).append(day)
        return table

    def _copies(self, item_id: str, day: ArchiveDay) -> Sequence[ArchivedCopy]:
        """The copies of an id on a day."""
        known = self._by_day.get(day.file)
        if known is None:
            known = self._by_day[day.file] = {}
            for copy in day.copies:
                if copy.id is not None:
                    known.setdefault(copy.id, []).append(copy)
        return known.get(item_id, ())

    @cached_property
    def _headings(self) -> dict[str, list[tuple[str, str]]]:
        """Normal anchor -> (file, anchor) of every archive heading."""
        table: dict[str, list[tuple[str, str]]] = {}
        for day in self._snapshot.archive:
            for anchor in day.anchors:
                table.setdefault(norm_anchor(anchor), []).append((day.file, anchor))
        return table


def _page_sources(items: Items) -> tuple[str, ...]:
    """The Source texts of a page, each once."""
    return tuple(source for source in dict.fromkeys(map(_SOURCE, items)) if source)


@worth_keeping
def _odd_ids(items: Items) -> tuple[str, ...]:
    return tuple(item.id for item in items if item.id is not None and not is_conventional(item.id))


def excluded_by_file(segments: Iterable[Segment]) -> dict[str, tuple[Segment, ...]]:
    """Segments by file, in a stable order."""
    table: dict[str, list[Segment]] = {}
    for one in sorted(set(segments), key=lambda one: (one.file, one.anchor or "")):
        table.setdefault(one.file, []).append(one)
    return {file: tuple(those) for file, those in table.items()}


def lines_touch(covered: Iterable[Segment], first: int, last: int) -> bool:
    """Whether any covered segment of the file reaches into the lines `first` to `last`, or might."""
    return any(
        one.anchor is None or one.lines is None or (one.lines[0] <= last and first <= one.lines[1]) for one in covered
    )
