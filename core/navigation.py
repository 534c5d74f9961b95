"""The engine-kept sections of index.md (§10): what they must say after a change set."""

from __future__ import annotations

from core.changes import AddItem, ChangeSet, KeepIndex, RecentEntry
from core.eligibility import Chain, Influence
from core.pages import Items
from core.places import TOPICS_FOLDER
from core.snapshot import Snapshot, changed_pages
from core.vocabulary import ControlAction, Status

SUMMARY_LENGTH = 100
PENDING_LIMIT = 40


def keep_index(
    before: Snapshot, influence_before: Influence, after: Snapshot, influence_after: Influence, changes: ChangeSet
) -> KeepIndex:
    """What Recent Activity, Topic Map, Pending Cleanup and Withdrawn must hold once `changes` are made.

    Only what the change set itself touches is added to Recent Activity and the Topic Map; Pending Cleanup and
    Withdrawn are whole. Excluded text appears in none of them.
    """
    limits = after.binding.limits
    pending = [item for item in after.gather(_pending) if influence_after.eligible(item.key)]
    selectors = withdrawn_selectors(influence_after)
    added = [change for change in changes.changes if isinstance(change, AddItem)]
    return KeepIndex(
        recent_add=tuple(_recent(change) for change in added if change.file.startswith(TOPICS_FOLDER + "/")),
        recent_drop=tuple(_excluded_texts(before, influence_before, influence_after, after)),
        recent_limit=limits.recent_entries,
        topic_map=_topic_lines(after, {change.file for change in added}),
        pending=tuple(item.record() for item in pending[:PENDING_LIMIT]),
        pending_more=max(0, len(pending) - PENDING_LIMIT),
        withdrawn=selectors[: limits.withdrawn_entries],
        withdrawn_more=max(0, len(selectors) - limits.withdrawn_entries),
    )


def withdrawn_selectors(influence: Influence) -> tuple[str, ...]:
    """The selectors that must not be used now, sorted, each once."""
    found = {
        value
        for chain in influence.chains
        if chain.unresolved or head_action(chain) == ControlAction.WITHDRAW
        for _, value in chain.scope.selectors()
    }
    return tuple(sorted(found))


def head_action(chain: Chain) -> str:
    """The action of the event that a chain ends in; '' where it has no single end."""
    return next((view.record.action for view in chain.views if view.record.withdrawal_id == chain.head), "")


def _recent(change: AddItem) -> RecentEntry:
    text = " ".join(str(change.record.get("text", "")).split())
    short = text if len(text) <= SUMMARY_LENGTH else text[: SUMMARY_LENGTH - 1].rstrip() + "…"
    return RecentEntry(str(change.record.get("date", "")), str(change.record.get("kind", "")), short, change.file)


def _excluded_texts(
    before: Snapshot, influence_before: Influence, influence_after: Influence, after: Snapshot
) -> list[str]:
    """The texts that were served before and are not any more: of changed pages, or newly excluded."""
    gone, new = changed_pages(before, after)
    excluded = (before.by_key.get(key) for key in influence_after.verdicts.keys() - influence_before.verdicts.keys())
    candidates = (*(item for page in gone for item in page.items), *(item for item in excluded if item is not None))
    texts = {item.text for item in candidates if influence_before.eligible(item.key)}
    for page in (*new, *after.pages):
        if not texts:
            break
        texts.difference_update(item.text for item in page.items if influence_after.eligible(item.key))
    return sorted(texts)


def _pending(items: Items) -> Items:
    return tuple(item for item in items if item.status is Status.PENDING_CLEANUP and not item.held)


def _topic_lines(after: Snapshot, files: set[str]) -> tuple[tuple[str, str], ...]:
    mapped = {line.target for line in after.index.topic_map}
    return tuple(
        (topic.file, f"Read when {', '.join(topic.triggers)}.")
        for topic in after.topics
        if topic.file in files and topic.file not in mapped and topic.triggers
    )
