"""Who may influence anything, and why not (§12.2): the answer of `core.influence`, and what can be asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from core.controls import ControlRecord, Scope
from core.coverage import Segment, lines_touch
from core.findings import Finding
from core.reach import Reach
from core.snapshot import ArchiveDay, ArchivedCopy, Snapshot
from core.sources import norm_anchor, segment
from core.texts import fold_text, print_of
from core.vocabulary import ControlAction, ControlState

_SHORTEST_TEXT = 8
"""Shorter texts say nothing by themselves and stand within others by chance."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an item may influence anything. `by` are the withdrawal ids that exclude it, sorted; `why` a sentence.

    `by` is empty where an item is excluded for want of a readable record.
    """

    eligible: bool
    by: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class ControlView:
    """A control record and what it does now.

    `reason` is a sentence that says why it is in that `state`. `excludes` are the keys of the items that it excludes
    now, in reading order; `scope_ids` the identifiers of its scope, sorted.
    """

    record: ControlRecord
    state: ControlState
    reason: str
    excludes: tuple[str, ...]
    scope_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """The control records of one exact scope, priors first where there is a causal order.

    A record that controls nothing stands with what it names. `head` is the id of the one event that decides, None
    where there is not one. `heads` are the ids that a new event for this scope has to supersede. `reinstatable` is
    False where a reinstatement that names them would re-admit nothing: because nothing is excluded, or because one of
    them cannot be relied on, and a withdrawal has to supersede it first.
    """

    scope: Scope
    views: tuple[ControlView, ...]
    unresolved: bool
    head: str | None
    heads: tuple[str, ...] = ()
    reinstatable: bool = False


class ExcludedTexts(frozenset[str]):
    """Folded texts that are excluded, and what finds them fast. Shared by all answers that exclude the same."""

    @cached_property
    def prints(self) -> frozenset[str]:
        """The prints of them (`core.texts`)."""
        return frozenset(map(print_of, self))

    @cached_property
    def by_start(self) -> Mapping[str, list[str]]:
        """Those that are long enough to tell, by their beginning."""
        table: dict[str, list[str]] = {}
        for text in self:
            if len(text) >= _SHORTEST_TEXT:
                table.setdefault(text[:_SHORTEST_TEXT], []).append(text)
        return table


@dataclass(frozen=True)
class Influence:
    """The answer of all control records of a snapshot. Made by `resolve_influence`."""

    controls: tuple[ControlView, ...] = ()
    """Every record, in the order of the chains."""
    chains: tuple[Chain, ...] = ()
    """Unresolved chains first (those with an unreadable record before the others), then what is excluded."""
    findings: tuple[Finding, ...] = ()
    excluded_archive: frozenset[str] = frozenset()
    """The archive references that are excluded now, in normal form (`archive/2026-05-20.md#run-7`)."""
    excluded_ids: frozenset[str] = frozenset()
    """Every item id that is excluded now, borne or not."""
    verdicts: Mapping[str, Verdict] = field(default_factory=lambda: _NONE)
    """The verdicts of the excluded items, by key."""
    segments: Mapping[str, tuple[Segment, ...]] = field(default_factory=dict, repr=False)
    reach: Reach = field(default=Reach(), repr=False, compare=False)
    texts: ExcludedTexts | None = field(default=None, repr=False, compare=False)
    """`excluded_texts` where they are known already."""
    copies: tuple[ArchivedCopy, ...] | None = field(default=None, repr=False, compare=False)
    """`excluded_copies`, likewise."""
    snapshot: Snapshot = field(default=Snapshot(""), repr=False, compare=False)

    def verdict(self, key: str) -> Verdict:
        """The verdict on the bearer `key`. A key that the snapshot does not have is not eligible."""
        known = self.verdicts.get(key)
        if known is not None:
            return known
        return _ELIGIBLE if key in self.snapshot.by_key else _UNKNOWN

    def eligible(self, key: str) -> bool:
        """Whether the bearer `key` may influence anything."""
        return key not in self.verdicts and key in self.snapshot.by_key

    def archive_excluded(self, file: str, anchor: str | None = None) -> bool:
        """Whether the archive file, or its segment `anchor`, is excluded as a whole."""
        covered = self.segments.get(file, ())
        if any(one.anchor is None for one in covered):
            return True
        if anchor is None or not covered:
            return False
        if any(one.anchor == norm_anchor(anchor) for one in covered):
            return True
        day = self.snapshot.days.by_file.get(file)
        lines = segment(day, anchor) if day is not None else None
        return lines is not None and any(
            one.lines is not None and one.lines[0] <= lines[0] and lines[1] <= one.lines[1] for one in covered
        )

    def copy_excluded(self, day: ArchiveDay, copy: ArchivedCopy) -> bool:
        """Whether an archived copy is excluded: by where it stands, by its id, or because it says the same."""
        return (
            copy.id in self.excluded_ids
            or any(one.holds(copy) for one in self.segments.get(day.file, ()))
            or (bool(self.verdicts) and fold_text(copy.text) in self.excluded_texts)
        )

    @cached_property
    def excluded_copies(self) -> tuple[ArchivedCopy, ...]:
        """The archived copies that are excluded, in reading order."""
        if self.copies is not None:
            return self.copies
        if not (self.verdicts or self.excluded_ids or self.segments):
            return ()
        prints = self.excluded_texts.prints
        return tuple(
            copy
            for day in self.snapshot.archive
            if self.segments.get(day.file)
            or not self.excluded_ids.isdisjoint(day.copy_ids)
            or not prints.isdisjoint(day.copy_prints)
            for copy in day.copies
            if self.copy_excluded(day, copy)
        )

    @property
    def excluded_by_file(self) -> Mapping[str, frozenset[str]]:
        """The keys of the excluded items of each page; beside them the archive days that hold excluded copies."""
        found: dict[str, set[str]] = {}
        for key in self.verdicts:
            found.setdefault(self.snapshot.by_key[key].place.file, set()).add(key)
        prints = self.excluded_texts.prints
        for day in self.snapshot.archive:
            if (
                self.segments.get(day.file)
                or not self.excluded_ids.isdisjoint(day.copy_ids)
                or not prints.isdisjoint(day.copy_prints)
            ):
                found.setdefault(day.file, set())
        return {file: frozenset(keys) for file, keys in found.items()}

    def lines_excluded(self, day: ArchiveDay, first: int, last: int) -> bool:
        """Whether the lines `first` to `last` of an archive file hold anything that is excluded."""
        if lines_touch(self.segments.get(day.file, ()), first, last):
            return True
        if any(first <= copy.line <= last and self.copy_excluded(day, copy) for copy in day.copies):
            return True
        return self.restates("\n".join(day.lines[first - 1 : last]))

    def restates(self, text: str) -> bool:
        """Whether `text` holds the whole text of something that is excluded."""
        if not self.excluded_texts:
            return False
        folded = fold_text(text)
        return folded in self.excluded_texts or any(
            folded.startswith(known, at)
            for at in range(len(folded) - _SHORTEST_TEXT + 1)
            for known in self.excluded_texts.by_start.get(folded[at : at + _SHORTEST_TEXT], ())
        )

    def begins_excluded(self, text: str) -> bool:
        """Whether something that is excluded begins with `text`, where that is long enough to tell."""
        begun = fold_text(text)
        return any(known.startswith(begun) for known in self.excluded_texts.by_start.get(begun[:_SHORTEST_TEXT], ()))

    @cached_property
    def excluded_texts(self) -> ExcludedTexts:
        """What excluded items and their archived copies say, folded: no ordinary read may say it again."""
        if self.texts is not None:
            return self.texts
        texts = {self.snapshot.by_key[key].text for key in self.verdicts}
        if self.excluded_ids or self.segments:
            for day in self.snapshot.archive:
                covered = self.segments.get(day.file, ())
                if not covered and self.excluded_ids.isdisjoint(day.copy_ids):
                    continue
                texts.update(
                    copy.text
                    for copy in day.copies
                    if copy.id in self.excluded_ids or any(one.holds(copy) for one in covered)
                )
        return ExcludedTexts({fold_text(text) for text in texts} - {""})

    def chain(self, scope: Scope) -> Chain | None:
        """The chain of this exact scope."""
        return next((chain for chain in self.chains if chain.scope == scope and not scope.empty), None)

    def controlling(self, scope: Scope) -> str | None:
        """The id of the withdrawal that controls this exact scope now; None where none does, or no single one."""
        chain = self.chain(scope)
        views = chain.views if chain is not None else ()
        return next(
            (
                view.record.withdrawal_id
                for view in views
                if view.state is ControlState.CONTROLS and view.record.action == ControlAction.WITHDRAW
            ),
            None,
        )


_NONE: Mapping[str, Verdict] = MappingProxyType({})
_ELIGIBLE = Verdict(True)
_UNKNOWN = Verdict(False, (), "There is no such item.")
