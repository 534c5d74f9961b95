"""Promotion (§17): what a proposal rests on, whether that makes it eligible, and where its rule would be written."""

from __future__ import annotations

from dataclasses import dataclass

from core.binding import Binding, Owner
from core.controls import Scope
from core.eligibility import Influence
from core.items import MemoryItem
from core.ownership import EVERYTHING, owners_of
from core.places import BINDING, CONVENTIONS, INBOX, INDEX, LOG
from core.snapshot import Proposal, Snapshot
from core.sources import parse_source, resolve

ELIGIBLE_AT = 2
"""Confirmations that make a rule eligible (§5: repeated confirmation); one incident never is."""


_OF_THE_MEMORY = frozenset({INBOX, INDEX, LOG, BINDING})


@dataclass(frozen=True, slots=True)
class Support:
    """One supporting reference and what became of it. `digest` changes when what it names changes."""

    ref: str
    found: bool
    withdrawn: bool
    item: MemoryItem | None
    reason: str
    digest: str


@dataclass(frozen=True, slots=True)
class Eligibility:
    """Evidence, apart from authority: whether enough of what it rests on still stands, and why (not)."""

    eligible: bool
    why: str


def supports(proposal: Proposal, snapshot: Snapshot, influence: Influence) -> tuple[Support, ...]:
    """The references of a proposal, in their order."""
    return tuple(_support(ref, snapshot, influence) for ref in proposal.supporting_refs)


def eligibility(found: tuple[Support, ...]) -> Eligibility:
    """What repeated evidence amounts to. It never authorises the write."""
    standing = [support for support in found if support.found and not support.withdrawn]
    withdrawn = [support.ref for support in found if support.withdrawn]
    if withdrawn:
        return Eligibility(False, f"rests on what is withdrawn: {', '.join(withdrawn)}")
    if len(standing) >= ELIGIBLE_AT:
        return Eligibility(True, f"{len(standing)} references stand")
    return Eligibility(False, f"{len(standing)} of {len(found)} references stand; one incident is no stable rule")


def deciding_scope(found: tuple[Support, ...]) -> Scope:
    """What an owner must own to decide: the items it rests on; everything where it rests on no item."""
    ids = frozenset(str(support.item.id) for support in found if support.item is not None)
    return Scope(memory_item_ids=ids) if ids else Scope(source_or_run_refs=frozenset({EVERYTHING}))


def deciders(found: tuple[Support, ...], snapshot: Snapshot) -> tuple[Owner, ...]:
    """The owners who may approve or reject what rests on `found`."""
    return owners_of(snapshot.binding, snapshot, deciding_scope(found))


def rule_target(target: str, binding: Binding) -> str | None:
    """The file a rule for `target` is written to; None where the target names none.

    `conventions`, `conventions.md` and memory-policy elements (`retrieval-trigger:…`, §23.5) go to conventions.md;
    `steering:FILE` or FILE to a hot entry that the binding names.
    """
    name = target.removeprefix("steering:").strip()
    if name in binding.hot_entries:
        return name
    head, colon, _ = target.partition(":")
    if target.strip() in ("conventions", CONVENTIONS) or head == "conventions":
        return CONVENTIONS
    if colon and head in ("retrieval-trigger", "capture-rule", "verification-rule", "cooling-rule", "review-rule"):
        return CONVENTIONS
    return None


def out_of_reach(file: str, binding: Binding) -> tuple[str, str] | None:
    """Why no rule may be written to `file`, and what to do; None where one may.

    A hot entry stands right in the root, or is linked from there, and counts where a human confirmed who owns it.
    """
    if file == CONVENTIONS:
        return None
    if "/" in file or file.startswith("~") or file in _OF_THE_MEMORY:
        return (
            f"{file} is no file right in the root that rules may go to.",
            "Link to it from the root, allow the link (allowed_links in assay.toml), and name the link in hot_entries; "
            "or write the rule there by hand.",
        )
    if binding.owners_state != "confirmed":
        return (
            f"{file} is named in an assay.toml that nobody confirmed as it is.",
            "See it and confirm it: `assay owner confirm`.",
        )
    return None


def _support(ref: str, snapshot: Snapshot, influence: Influence) -> Support:
    bearers = snapshot.by_id.get(ref, ())
    if bearers:
        withdrawn = any(not influence.eligible(item.key) for item in bearers)
        digest = " ".join(item.digest for item in bearers)
        return Support(ref, True, withdrawn, bearers[0], "withdrawn" if withdrawn else "", digest)
    parsed = parse_source(ref)
    if len(parsed) == 1 and parsed[0].kind in ("archive", "topic"):
        resolved = resolve(snapshot, parsed[0], influence)
        withdrawn = parsed[0].file is not None and influence.archive_excluded(parsed[0].file, parsed[0].anchor)
        return Support(ref, resolved.found, withdrawn, None, resolved.reason, repr(resolved.found))
    if ref.startswith(("mem-", "memfb-", "memret-", "archive/", "topics/")):
        return Support(ref, False, ref in influence.excluded_ids, None, "nothing here bears it", "")
    return Support(ref, True, False, None, "a statement, as recorded", "")
