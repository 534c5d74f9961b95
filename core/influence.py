"""Withdrawal and reinstatement (§12.2): who is eligible, who is excluded, and by which chain of control records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.catalogue import make_finding
from core.chains import JudgedChain, judge
from core.controls import Scope
from core.coverage import Coverage, Covered, Segment, excluded_by_file
from core.eligibility import Chain, ControlView, Influence, Verdict
from core.findings import Finding
from core.items import MemoryItem
from core.pages import Items
from core.reach import item_ids_in, unchanged
from core.snapshot import IndexLine, Snapshot
from core.sources import archive_ref, embedded_archive_refs, norm_anchor, parse_source
from core.vocabulary import Standing


def resolve_influence(snapshot: Snapshot, before: Influence | None = None) -> Influence:
    """Apply every control record of `snapshot` (§12.2). Never raises; what is in doubt is excluded.

    `before` is the answer for another snapshot: where what has changed since is beyond the reach of all records, it is
    given again.
    """
    if before is not None and unchanged(before.snapshot, snapshot, before):
        return replace(before, snapshot=snapshot, texts=before.excluded_texts, copies=before.excluded_copies)
    held = list(snapshot.gather(_held))
    if not snapshot.controls and not held and not snapshot.index.withdrawn:
        return Influence(snapshot=snapshot)
    chains = judge(snapshot)
    listed = _listed(snapshot, chains)
    coverage = Coverage(snapshot, [*(chain.scope for chain in chains), *listed.values()])
    out = [chain for chain in chains if chain.excluded]
    segments = excluded_by_file(
        one for scope in (*(chain.scope for chain in out), *listed.values()) for one in coverage.segments(scope)
    )
    by_chain = {id(chain): coverage.covered(chain.scope, segments) for chain in out}
    explained = {key for covered in by_chain.values() for key in covered.items}
    once = _once_covered(coverage, chains) if held or listed else []
    explained.update(key for covered in once for key in covered.items)
    unexplained, findings = _unexplained(snapshot, coverage, listed, held, explained, segments)
    everything: list[tuple[tuple[str, ...], Covered]] = [(chain.by, by_chain[id(chain)]) for chain in out]
    everything.append(((), unexplained))
    verdicts = _verdicts(everything)
    excluded = [item for item in snapshot.items if item.key in verdicts]
    order = {item.key: number for number, item in enumerate(excluded)}
    public = tuple(_public(chain, by_chain.get(id(chain)), order) for chain in chains)
    targets = frozenset(line.target for line in snapshot.index.withdrawn if line.target is not None)
    influence = Influence(
        controls=tuple(view for chain in public for view in chain.views),
        chains=public,
        excluded_archive=frozenset(one.name for those in segments.values() for one in those),
        excluded_ids=frozenset(item_id for _, covered in everything for item_id in covered.ids),
        verdicts=verdicts,
        segments=segments,
        reach=coverage.reach((*(covered for _, covered in everything), *once), targets),
        snapshot=snapshot,
    )
    doubtful = {key for _, covered in everything for key in covered.in_doubt}
    findings += [*_record_findings(chains, snapshot), *_item_findings(influence, held, excluded, doubtful)]
    return replace(influence, findings=tuple(findings))


def _held(items: Items) -> Items:
    return tuple(item for item in items if item.standing is Standing.HELD)


def _merged(items: Items) -> Items:
    return tuple(item for item in items if item.merged_into is not None)


def _listed(snapshot: Snapshot, chains: Sequence[JudgedChain]) -> dict[IndexLine, Scope]:
    """What each line under `## Withdrawn` selects that no control record names."""
    known = {value for chain in chains for _, value in chain.scope.selectors()}
    known |= {_normal(place) for ref in known if (place := archive_ref(ref)) is not None}
    listed: dict[IndexLine, Scope] = {}
    for line in snapshot.index.withdrawn:
        text = line.text.strip().lstrip("-*+").strip()
        refs = {_normal(place) for place in embedded_archive_refs(text)}
        ids = item_ids_in(text)
        if line.target is not None and line.target in snapshot.by_id:
            ids.add(line.target)
        runs = set() if refs or ids else {text}
        scope = Scope(frozenset(ids - known), frozenset(refs - known), frozenset(runs - known - {""}))
        if not scope.empty:
            listed[line] = scope
    return listed


def _normal(place: tuple[str, str | None]) -> str:
    file, anchor = place
    return file if anchor is None else f"{file}#{norm_anchor(anchor)}"


def _once_covered(coverage: Coverage, chains: Sequence[JudgedChain]) -> list[Covered]:
    """What any record covers or covered: somebody may have held it, and reinstated it."""
    scopes = [chain.scope for chain in chains if not chain.scope.empty]
    segments = excluded_by_file(one for scope in scopes for one in coverage.segments(scope))
    return [coverage.covered(scope, segments) for scope in scopes]


def _unexplained(
    snapshot: Snapshot,
    coverage: Coverage,
    listed: Mapping[IndexLine, Scope],
    held: Sequence[MemoryItem],
    explained: set[str],
    segments: Mapping[str, Sequence[Segment]],
) -> tuple[Covered, list[Finding]]:
    """What is held or listed as withdrawn although no readable record says so: it stays excluded (fail closed)."""
    result, findings = Covered(), []
    for line, scope in listed.items():
        covered = coverage.covered(scope, segments)
        if covered.items and explained.issuperset(covered.items) and not scope.archive_refs:
            continue
        if not covered.items and scope.source_or_run_refs:
            continue  # prose under the heading, or a run that nothing rests on
        coverage.extend(covered.items, "is listed as withdrawn in index.md", result)
        result.ids |= covered.ids
        result.in_doubt |= covered.in_doubt
        message = f"index.md lists {scope} as withdrawn, and no readable record says why; it stays excluded."
        findings.append(make_finding("withdrawn-without-record", message, file="index.md", line=line.line))
    for item in held:
        if item.key not in explained and item.key not in result.items:
            coverage.extend([item.key], "stands in withdrawn/", result)
            findings.append(make_finding("held-without-record", place=item.place, item=item.key, id=item.id))
    return result, findings


def _verdicts(everything: Sequence[tuple[tuple[str, ...], Covered]]) -> dict[str, Verdict]:
    verdicts: dict[str, Verdict] = {}
    for by, covered in everything:
        said = ", ".join(by)
        for key, why in covered.items.items():
            known = verdicts.get(key)
            if known is not None:
                both = tuple(sorted({*known.by, *by}))
                verdicts[key] = Verdict(False, both, known.why) if both != known.by else known
            elif by:
                verdicts[key] = Verdict(False, by, f"Excluded by {said}: it {why}.")
            else:
                verdicts[key] = Verdict(False, (), f"It {why}, and no readable record says why.")
    return verdicts


def _public(chain: JudgedChain, covered: Covered | None, order: Mapping[str, int]) -> Chain:
    keys = tuple(sorted(covered.items, key=order.__getitem__)) if covered is not None else ()
    scope_ids = tuple(sorted({value for _, value in chain.scope.selectors()}))
    views = []
    for judged in chain.records:
        own = judged.record.scope == chain.scope
        ids = scope_ids if own else tuple(sorted({value for _, value in judged.record.scope.selectors()}))
        excludes = keys if judged.record.withdrawal_id in chain.by and own else ()
        views.append(ControlView(judged.record, judged.state, judged.reason, excludes, ids))
    return Chain(chain.scope, tuple(views), chain.unresolved, chain.head, chain.heads, chain.reinstatable)


def _record_findings(chains: Sequence[JudgedChain], snapshot: Snapshot) -> list[Finding]:
    reported = {(one.file, one.line) for one in snapshot.drift if one.code == "control-unreadable"}
    reported |= {(one.id, None) for one in snapshot.drift if one.code == "control-unreadable" and one.id}
    findings = []
    for chain in chains:
        for judged in chain.records:
            record = judged.record
            place = record.places[0] if record.places else None
            if judged.code == "control-unreadable" and (
                (record.withdrawal_id, None) in reported or any((p.file, p.line) in reported for p in record.places)
            ):
                continue
            if judged.code:
                name = record.withdrawal_id or "A control record"
                message = f"{name}: {judged.reason}"
                findings.append(make_finding(judged.code, message, place=place, id=record.withdrawal_id or None))
        if len(chain.heads) > 1 and chain.head is None:
            message = f"{', '.join(chain.heads)} have no single order over {chain.scope}; it stays excluded."
            place = next((one.record.places[0] for one in chain.records if one.record.places), None)
            findings.append(make_finding("control-unordered", message, place=place, id=chain.heads[0]))
    if chains and not snapshot.binding.owners:
        findings.append(make_finding("owners-none"))
    return findings


def _item_findings(
    influence: Influence, held: Sequence[MemoryItem], excluded: Sequence[MemoryItem], doubtful: set[str]
) -> list[Finding]:
    """What a human has to do about items that a control record touches. Messages never say what the items say."""
    by_id = influence.snapshot.by_id
    findings = []
    for item in held:
        if influence.eligible(item.key):
            findings.append(make_finding("held-but-eligible", place=item.place, item=item.key, id=item.id))
            continue
        for copy in by_id.get(item.id, ()) if item.id is not None else ():
            if not copy.held:
                findings.append(make_finding("withdrawn-copy-returned", place=copy.place, item=copy.key, id=copy.id))
    direct = {item_id for chain in influence.chains for item_id in chain.scope.memory_item_ids}
    members: dict[str, list[MemoryItem]] = {}
    for item in influence.snapshot.gather(_merged):
        members.setdefault(item.merged_into or "", []).append(item)
    for item in excluded:
        if item.id in direct:
            continue
        if item.key in doubtful:
            findings.append(make_finding("source-under-withdrawn", place=item.place, item=item.key, id=item.id))
        elif part := _withdrawn_part(item, members.get(item.id or "", ()), influence):
            message = f"{item.id or 'An item'} rests in part on {part}, which is withdrawn; all of it stays excluded."
            findings.append(make_finding("merged-from-withdrawn", message, place=item.place, item=item.key, id=item.id))
    return findings


def _withdrawn_part(item: MemoryItem, members: Sequence[MemoryItem], influence: Influence) -> str:
    """What the item was merged from and is excluded, where other parts of it are not; else ''."""
    parts: dict[str, bool] = {}
    for ref in parse_source(item.source or ""):
        excluded = ref.text in influence.excluded_ids
        if ref.kind == "archive" and ref.file is not None:
            excluded = influence.archive_excluded(ref.file, ref.anchor)
        parts[ref.text] = excluded
    for member in members:
        parts[member.id or str(member.place)] = not influence.eligible(member.key)
    covered = [name for name, excluded in parts.items() if excluded]
    return ", ".join(covered) if 0 < len(covered) < len(parts) else ""
