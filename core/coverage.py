"""What a control scope covers (§12.2): bearers of an id, what rests on it, what was merged from it, transitively."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from core.controls import Scope
from core.snapshot import ArchivedCopy, Snapshot
from core.sources import archive_names, archive_ref, embedded_archive_refs, norm_anchor, pieces, segment
from core.tokens import TokenFinder

_CONVENTIONAL = re.compile(r"(?<![A-Za-z0-9_])mem-\d{4}-\d{2}-\d{2}-\d+(?![A-Za-z0-9_]|-[A-Za-z0-9])")
_PLAIN_WORD = 8
"""A shorter id of letters and digits alone is taken for an id only where it is a whole piece of a Source."""


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
    """What one scope covers: item positions in the snapshot -> why, ids, and what is covered only in doubt."""

    items: dict[int, str] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)
    in_doubt: set[int] = field(default_factory=set)
    """Items with a Source wider than a covered segment, where nothing shows that they rest on the rest of it."""


class Coverage:
    """Answers for one snapshot; its indexes are made when first needed, each in one pass."""

    def __init__(self, snapshot: Snapshot, scopes: Iterable[Scope]) -> None:
        """`scopes` are all scopes that will be asked for."""
        self._snapshot = snapshot
        self._days = {day.file: day for day in snapshot.archive}
        self._scopes = tuple(scopes)

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
            for position in self._by_token.get(token, ()):
                self._cover(position, f"names {token} as its Source", result)
        return result

    def extend(self, positions: Iterable[int], why: str, result: Covered) -> None:
        """Cover the items at `positions`, and all that follows from them."""
        for position in positions:
            self._cover(position, why, result)

    def _cover_id(self, item_id: str, why: str, result: Covered) -> None:
        if item_id in result.ids:
            return
        result.ids.add(item_id)
        for position in self._bearers.get(item_id, ()):
            self._cover(position, why, result)
        for position in self._naming.get(item_id, ()):
            self._cover(position, f"names {item_id} as its Source", result)

    def _cover(self, position: int, why: str, result: Covered) -> None:
        work = [(position, why)]
        while work:
            here, because = work.pop()
            if here in result.items:
                continue
            result.items[here] = because
            item = self._snapshot.items[here]
            folded = f"was merged from {item.id or 'an excluded item'}"
            for item_id, said in ((item.id, f"bears {item.id}"), (item.merged_into, folded)):
                if item_id is None or item_id in result.ids:
                    continue
                result.ids.add(item_id)
                work += [(other, said) for other in self._bearers.get(item_id, ())]
                work += [(other, f"names {item_id} as its Source") for other in self._naming.get(item_id, ())]

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
                for position in resting.get(anchor, ()):
                    if not wide:
                        self._cover(position, f"rests on {name}", result)
                    elif not self._stands_elsewhere(position, covered.file, anchor, excluded):
                        if position not in result.items:
                            result.in_doubt.add(position)
                        self._cover(position, f"rests on {covered.file}, of which {name} is withdrawn", result)
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
        self, position: int, file: str, anchor: str | None, excluded: Mapping[str, Sequence[Segment]]
    ) -> bool:
        item_id = self._snapshot.items[position].id
        day = self._days.get(file)
        if item_id is None or day is None:
            return False
        lines = segment(day, anchor) if anchor is not None else None
        covered = excluded.get(file, ())
        if any(one.anchor is not None and one.lines is None for one in covered):
            return False  # a covered heading that is no longer there could have been anywhere
        return any(
            not any(one.holds(copy) for one in covered) and (lines is None or lines[0] <= copy.line <= lines[1])
            for file_, copy in self._copies.get(item_id, ())
            if file_ == file
        )

    def _only_within(self, item_id: str, excluded: Mapping[str, Sequence[Segment]]) -> bool:
        return all(
            any(one.holds(copy) for one in excluded.get(file, ())) for file, copy in self._copies.get(item_id, ())
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
    def _sources(self) -> dict[str, list[int]]:
        """Positions of the items with each Source text."""
        table: dict[str, list[int]] = {}
        for position, item in enumerate(self._snapshot.items):
            if item.source:
                table.setdefault(item.source, []).append(position)
        return table

    @cached_property
    def _bearers(self) -> dict[str, list[int]]:
        table: dict[str, list[int]] = {}
        for position, item in enumerate(self._snapshot.items):
            if item.id is not None:
                table.setdefault(item.id, []).append(position)
        return table

    @cached_property
    def _naming(self) -> dict[str, list[int]]:
        """Positions of the items whose Source names each id."""
        known = {*self._bearers, *(item_id for scope in self._scopes for item_id in scope.memory_item_ids)}
        odd = {item_id for item_id in known if not _CONVENTIONAL.fullmatch(item_id)}
        words = {item_id for item_id in odd if item_id.isalnum() and len(item_id) < _PLAIN_WORD}
        finder = TokenFinder(odd - words)
        table: dict[str, list[int]] = defaultdict(list)
        for source, positions in self._sources.items():
            named = set(_CONVENTIONAL.findall(source)) if "mem-" in source else set()
            if finder:
                named |= finder.find(source)
            if words:
                named |= words & set(pieces(source))
            for item_id in named:
                table[item_id] += positions
        return table

    @cached_property
    def _resting(self) -> dict[str, dict[str | None, list[int]]]:
        """Archive file -> anchor -> positions of the items whose Source names it; only for files that are asked for."""
        asked = {covered.file for scope in self._scopes for covered in self.segments(scope)}
        table: dict[str, dict[str | None, list[int]]] = {}
        if not asked:
            return table
        stems = {file.removeprefix("archive/").removesuffix(".md") for file in asked}
        for source, positions in self._sources.items():
            if source.isascii() and stems.isdisjoint(archive_names(source)):
                continue
            for file, anchor in set(embedded_archive_refs(source)):
                if file in asked:
                    anchors = table.setdefault(file, {})
                    anchors.setdefault(norm_anchor(anchor) if anchor is not None else None, []).extend(positions)
        return table

    @cached_property
    def _by_token(self) -> dict[str, list[int]]:
        finder = TokenFinder(token for scope in self._scopes for token in self._tokens(scope))
        table: dict[str, list[int]] = defaultdict(list)
        if finder:
            for source, positions in self._sources.items():
                for token in finder.find(source):
                    table[token] += positions
        return table

    @cached_property
    def _copies(self) -> dict[str, list[tuple[str, ArchivedCopy]]]:
        """Where the archived copies of each id stand."""
        table: dict[str, list[tuple[str, ArchivedCopy]]] = {}
        for day in self._snapshot.archive:
            for copy in day.copies:
                if copy.id is not None:
                    table.setdefault(copy.id, []).append((day.file, copy))
        return table

    @cached_property
    def _headings(self) -> dict[str, list[tuple[str, str]]]:
        """Normal anchor -> (file, anchor) of every archive heading."""
        table: dict[str, list[tuple[str, str]]] = {}
        for day in self._snapshot.archive:
            for anchor in day.anchors:
                table.setdefault(norm_anchor(anchor), []).append((day.file, anchor))
        return table


def item_ids_in(text: str) -> set[str]:
    """The ids of the conventional form (`mem-YYYY-MM-DD-NNN`) that stand in `text`."""
    return set(_CONVENTIONAL.findall(text))


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
