"""The validation checklist (§21): 21 checks, each with its level, its evidence and its remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.conflicts import own_items
from core.eligibility import Influence, Verdict
from core.events import Event
from core.findings import Finding
from core.items import MemoryItem
from core.pages import Items, Page, PagedItems
from core.places import INBOX, INDEX
from core.retrieval import retrieve
from core.snapshot import Snapshot
from core.supersede import iso_date
from core.vocabulary import CheckResult, ControlAction, EventType, Kind, Level, Standing

_PASS, _FAIL = CheckResult.PASS, CheckResult.FAIL
_UNEVALUATED, _NOT_APPLICABLE = CheckResult.UNEVALUATED, CheckResult.NOT_APPLICABLE

_HOLDER_RESULTS = frozenset({"completed", "partially-completed", "unevaluated"})
_LEVELS = tuple(Level)


@dataclass(frozen=True, slots=True)
class Check:
    """One check of §21. `evidence` says what the result rests on, `remedy` what a human can do ('' where nothing)."""

    number: int
    level: Level
    title: str
    result: CheckResult
    evidence: str
    remedy: str


@dataclass(frozen=True, slots=True)
class _Root:
    """What the checks look at."""

    snapshot: Snapshot
    influence: Influence
    findings: Sequence[Finding]

    def of_code(self, *codes: str) -> list[Finding]:
        return [finding for finding in self.findings if finding.code in codes]

    def events(self, *types: EventType) -> list[Event]:
        return [event for event in self.snapshot.events if event.type in types]

    def logged(self, *types: EventType) -> bool:
        """Whether the readable timeline or the replay records hold an event of one of the types."""
        return bool(self.events(*types)) or any(entry.type in types for entry in self.snapshot.log)


Answer = tuple[CheckResult, str, str]
"""Result, evidence, remedy."""


def validate(snapshot: Snapshot, influence: Influence, findings: Sequence[Finding]) -> tuple[Check, ...]:
    """The 21 checks in order. What was not exercised is `unevaluated`, never `pass`.

    A check above the level that the binding claims is `not-applicable`.
    """
    root = _Root(snapshot, influence, findings)
    claimed = _LEVELS.index(snapshot.binding.level)
    checks = []
    for number, (level, title, look) in enumerate(_CHECKS, start=1):
        if _LEVELS.index(level) > claimed:
            said = f"The binding claims {snapshot.binding.level}."
            checks.append(Check(number, level, title, _NOT_APPLICABLE, said, ""))
        else:
            checks.append(Check(number, level, title, *look(root)))
    return tuple(checks)


def _by_hand(evidence: str, remedy: str) -> Callable[[_Root], Answer]:
    """A check that only use can answer: files alone do not show it."""
    return lambda _: (_UNEVALUATED, evidence, remedy)


def _places(findings: Iterable[Finding]) -> str:
    places = list(dict.fromkeys(f"{one.file}:{one.line}" if one.line else one.file or "" for one in findings))
    return ", ".join(places[:3]) + (f" and {len(places) - 3} more" if len(places) > 3 else "")


def _names(items: Sequence[MemoryItem]) -> str:
    names = [str(item.place) for item in items[:3]]
    return ", ".join(names) + (f" and {len(items) - 3} more" if len(items) > 3 else "")


def _captured(items: Items) -> Items:
    return tuple(item for item in items if item.standing is Standing.INBOX)


def _captures(root: _Root) -> Answer:
    state = root.snapshot.files.get(INBOX)
    if state is not None and state.unwritable:
        return _FAIL, f"{INBOX} is not written: {state.unwritable}", "Mend the file."
    inbox = len(root.snapshot.gather(_captured))
    archived = sum(len(day.copies) for day in root.snapshot.archive)
    captured = len(root.events(EventType.CAPTURE))
    if inbox or archived or captured:
        return _PASS, f"{inbox} items stand in {INBOX}, {archived} archived copies came from it.", ""
    return _UNEVALUATED, f"Nothing has been captured in {INBOX} yet.", "Have the agent remember something."


def _archives_first(root: _Root) -> Answer:
    if not root.logged(EventType.AUTODREAM):
        return _UNEVALUATED, "The log has no distillation.", "Run one, then look again."
    types = [entry.type for entry in root.snapshot.log]
    if EventType.AUTODREAM not in types:
        types = [event.type for event in root.snapshot.events]
    if EventType.ARCHIVE not in types[: types.index(EventType.AUTODREAM)]:
        return _FAIL, "A distillation stands in the log before any archive.", "Archive before each distillation."
    ids = root.snapshot.days.ids
    dreamed = [
        change.id
        for event in root.events(EventType.AUTODREAM)
        for change in event.items
        if change.record == {} and change.id in root.snapshot.by_id
    ]
    unfounded = [id for id in dreamed if id not in ids and not root.snapshot.by_id[id][0].source]
    if unfounded:
        return (
            _FAIL,
            f"Distilled without an archived copy or a Source: {', '.join(unfounded[:3])}.",
            "Find the archive.",
        )
    return _PASS, f"The log has an archive before its first distillation; {len(ids)} ids have archived copies.", ""


def _keeps_knowledge(root: _Root) -> Answer:
    if not root.logged(EventType.AUTODREAM):
        return _UNEVALUATED, "The log has no distillation.", "Run one, then look again."
    gone = [one for one in root.of_code("fold-mismatch") if one.item is None]
    if gone:
        return (
            _FAIL,
            f"Items that the log names are gone: {', '.join(one.id or '' for one in gone[:3])}.",
            "Restore them.",
        )
    named = {change.id for event in root.events(EventType.AUTODREAM) for change in event.items}
    if not named:
        return _UNEVALUATED, "No replay record says what a distillation touched.", "Distill with the engine."
    return _PASS, f"Each of the {len(named)} items that distillations touched is still there or archived.", ""


def _index_leads(root: _Root) -> Answer:
    snapshot = root.snapshot
    if not snapshot.topics:
        return _UNEVALUATED, "There are no topics yet.", "Distill something into a topic."
    if not snapshot.index.present:
        return _FAIL, f"There is no {INDEX}.", "Add it, with a Topic Map."
    broken = root.of_code("missing-trigger", "dangling-topic-map", "index-too-long")
    if broken:
        return _FAIL, f"Without trigger, leading nowhere, or beyond the limit: {_places(broken)}.", broken[0].remedy
    return _PASS, f"A trigger leads to each of {len(snapshot.topics)} topics.", ""


def _undated(items: Items) -> Items:
    return tuple(item for item in items if iso_date(item.date) is None)


def _topics_dated(root: _Root) -> Answer:
    snapshot = root.snapshot
    filled = {page.file for page in snapshot.pages}
    pages = [page for page in snapshot.topics if page.file in filled]
    if not pages:
        return _UNEVALUATED, "No topic holds an item yet.", "Distill something into a topic."
    undated = {item.place.file for item in snapshot.gather(_undated)}
    without = [page.file for page in pages if not page.source_dates and page.file in undated]
    if without:
        return _FAIL, f"Neither source_dates nor a date on each item: {', '.join(without[:3])}.", "Date the items."
    return _PASS, f"Each of {len(pages)} topics has source dates, its own or its items'.", ""


def _plans_first(root: _Root) -> Answer:
    destructive = root.events(EventType.CLEANUP, EventType.ERASE)
    undecided = [event.id for event in destructive if event.decision is None or not event.decision.plan]
    if undecided:
        return _FAIL, f"Cleaned up without a plan that was shown: {', '.join(undecided[:3])}.", "Review before cleanup."
    if destructive:
        return _PASS, f"A plan was shown and decided before each of {len(destructive)} cleanups.", ""
    return _UNEVALUATED, "Nothing was ever cleaned up.", "Run the review; `assay plan` prints its plan."


def _lacking(items: Items) -> Items:
    """The items that lack what every item has (§9)."""
    return tuple(
        item
        for item in items
        if item.id is None
        or item.kind is None
        or not item.source
        or (item.kind is Kind.STATE and not item.subject)
        or iso_date(item.date) is None
    )


def _schema(root: _Root) -> Answer:
    items = own_items(root.snapshot)
    if not items:
        return _UNEVALUATED, "There are no items.", "Capture something."
    lacking = [item for item in root.snapshot.gather(_lacking) if item.key not in root.snapshot.repeated]
    if lacking:
        said = f"{len(lacking)} of {len(items)} items lack a date, id, kind, Source or subject: {_names(lacking)}."
        return _FAIL, said, "Repair them; Review lists each."
    return _PASS, f"All {len(items)} items have date, id, kind and Source, and each state its subject.", ""


def _boundaries(root: _Root) -> Answer:
    broken = root.of_code("boundary-violation")
    if broken:
        return _FAIL, f"Changed without a recorded decision: {_places(broken)}.", broken[0].remedy
    promoted = root.events(EventType.PROMOTE)
    undecided = [event.id for event in promoted if event.decision is None]
    if undecided:
        return _FAIL, f"Promoted without a recorded decision: {', '.join(undecided[:3])}.", "Record who decided."
    if promoted:
        return _PASS, f"Each of {len(promoted)} promotions has a recorded decision.", ""
    return _UNEVALUATED, "Nothing was ever promoted.", "Propose a rule, and let an owner decide."


def _proposals(root: _Root) -> Answer:
    proposals = root.snapshot.proposals
    if not proposals:
        return _UNEVALUATED, "There are no proposals.", "Let the agent propose a change of policy."
    bare = [one.proposal_id or str(one.place) for one in proposals if not one.supporting_refs or not one.target]
    if bare:
        return _FAIL, f"Proposals without target or supporting references: {', '.join(bare[:3])}.", "Complete them."
    return _PASS, f"Each of {len(proposals)} proposals names its target and its supporting references.", ""


def _withheld(items: Items, excluded: Mapping[str, Verdict]) -> tuple[Page, ...]:
    """The excluded items of a page, as a page."""
    those = tuple(item for item in items if item.key in excluded)
    return (Page(those, file=those[0].place.file),) if those else ()


def _excludes(root: _Root) -> Answer:
    influence = root.influence
    withdrawn = [chain for chain in influence.chains if any(view.excludes for view in chain.views)]
    controls = [view for view in influence.controls if view.record.action == ControlAction.WITHDRAW]
    if not controls and not influence.verdicts:
        return _UNEVALUATED, "Nothing was ever withdrawn.", "Withdraw a scope, then look again."
    restated = root.of_code("restates-withdrawn")
    if restated:
        return _FAIL, f"Said again in ordinary places: {_places(restated)}.", restated[0].remedy
    withheld = PagedItems.of(root.snapshot.gather(_withheld, influence.verdicts))
    served = retrieve(replace(root.snapshot, items=withheld), influence, None, conflicts=()).served
    leaked = {one.item for one in served}
    if leaked:
        return _FAIL, f"Served although excluded: {', '.join(sorted(leaked)[:3])}.", "Do not use this root."
    if not withdrawn and not influence.verdicts:
        return _UNEVALUATED, "No withdrawal covers an item now.", "Withdraw a scope that holds items."
    open_ = sum(chain.unresolved for chain in influence.chains)
    waits = f"; {open_} scopes wait for a settlement, excluded meanwhile" if open_ else ""
    count = len(influence.verdicts)
    excluded = "1 item is excluded" if count == 1 else f"{count} items are excluded"
    return _PASS, f"{excluded}, and no ordinary read serves any{waits}.", ""


def _erasures(root: _Root) -> Answer:
    tombstones = root.snapshot.tombstones
    if not tombstones:
        return _UNEVALUATED, "Nothing was ever erased.", ""
    vague = [
        stone.erasure_id
        for stone in tombstones
        if not stone.scope_refs
        or not stone.holders
        or any(result not in _HOLDER_RESULTS for _, result, _ in stone.holders)
    ]
    if vague:
        return _FAIL, f"Receipts without scope, or with a holder of no known result: {', '.join(vague[:3])}.", "Verify."
    borne = {ref for stone in tombstones for ref in stone.scope_refs if ref in root.snapshot.by_id}
    if borne:
        return _FAIL, f"Erased, and borne by an item all the same: {', '.join(sorted(borne)[:3])}.", "Erase the copy."
    return _PASS, f"Each of {len(tombstones)} receipts says what became of every holder.", ""


_FRESH = "Only a fresh session of the agent shows it."
_USE = "Only the agent's own conduct shows it."

_CHECKS: tuple[tuple[Level, str, Callable[[_Root], Answer]], ...] = (
    (
        Level.L0,
        "A fresh session finds the memory root.",
        _by_hand(_FRESH, "Open one, and ask where its memory is."),
    ),
    (
        Level.L1,
        "The agent knows when to read index.md.",
        _by_hand(_FRESH, "Ask it something that a Topic Map trigger names."),
    ),
    (Level.L0, "The agent can write a distilled note to the inbox.", _captures),
    (Level.L3, "The inbox is archived before it is distilled.", _archives_first),
    (Level.L3, "Distillation deletes no knowledge.", _keeps_knowledge),
    (Level.L1, "The index leads to each topic by a clear trigger.", _index_leads),
    (Level.L1, "Topic pages have source dates.", _topics_dated),
    (
        Level.L1,
        "The raw archive is not loaded by default.",
        _by_hand(_FRESH, "Open one, and look at what it loads."),
    ),
    (Level.L4, "A review makes a plan before anything is deleted.", _plans_first),
    (
        Level.L4,
        "A known high-risk rule still works in a fresh session.",
        _by_hand(_FRESH, "Open one, and ask for what the rule forbids."),
    ),
    (Level.L0, "Every item has date, id, kind and Source; every state item its subject.", _schema),
    (Level.L0, "Conventions and steering change only by a recorded decision.", _boundaries),
    (
        Level.L5,
        "The outcome of a retrieved item can be recorded without touching its Source.",
        _by_hand("No feedback event was recorded here.", "Record the outcome of an item that was used."),
    ),
    (
        Level.L5,
        "One outcome alone changes no policy.",
        _by_hand("No feedback event was recorded here.", "Record one, and see that nothing changes by itself."),
    ),
    (Level.L5, "Policy changes are proposals with supporting references.", _proposals),
    (
        Level.L5,
        "Transient traces of other protocols are not kept wholesale.",
        _by_hand(_USE, "Look through what was captured last."),
    ),
    (
        Level.L0,
        "A request to forget is answered surface by surface.",
        _by_hand(_USE, "Ask it to forget a bounded exploration, and read the receipt."),
    ),
    (
        Level.L0,
        "What never entered memory is not captured to be withdrawn.",
        _by_hand(_USE, "Abandon an exploration, ask to forget it, and see that nothing was captured."),
    ),
    (Level.L1, "A withdrawal excludes its scope everywhere until it is reinstated.", _excludes),
    (
        Level.L1,
        "Copies of a root carry its control records with it.",
        _by_hand("No backup or export was looked at.", "Copy the root, log.md and log/ included, and open the copy."),
    ),
    (Level.L0, "An erasure says what became of every holder.", _erasures),
)
"""Level, title and how to look, in the order of §21."""
