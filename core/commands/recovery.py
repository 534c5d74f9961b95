"""recover: the log says which version of a stuck commit's files a human chose (§8: a manual correction)."""

from __future__ import annotations

from core.authority import Tier
from core.commands.draft import Context, Draft
from core.errors import Refused
from core.requests import Recover
from core.vocabulary import EventType

VERSIONS = ("before", "after", "now")


def draft_recover(request: Recover, context: Context) -> Draft:
    """An event alone: the store has given the files their bytes already, and no item is named as changed by it.

    What an item is now beside what the log says of it stays a finding, and the next decision about it records that.
    """
    if request.kept not in VERSIONS:
        raise Refused(f"{request.kept} is no version.", remedy=f"Choose one of {', '.join(VERSIONS)}.")
    context.ids.avoid(request.tx)  # it was an event's, also where the version without that event was kept
    files = ", ".join(request.files)
    return Draft(
        title=f"Record that {request.tx} was settled: {request.kept} kept of {files}",
        verb="Record",
        tier=Tier.PLAN,
        event_type=EventType.MANUAL_CORRECTION.value,
        summary=f"recovery of {request.tx}: {request.kept} kept of {files}",
        changes=(),
        lines=(),
        undo="Not undone with undo: the other versions are gone.",
        detail={"commit": request.tx, "kept": request.kept, "files": request.files},
        human_only=True,
    )
