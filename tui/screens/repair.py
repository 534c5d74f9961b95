"""The repair form: it asks only for what the item lacks (§16 steps 2, 7, 8)."""

from __future__ import annotations

from core.items import MemoryItem
from core.requests import Repair
from core.vocabulary import Kind, Status
from tui import display
from tui.desk import Desk, Then
from tui.screens.form import Answers, Field

_KINDS = (("knowledge", "knowledge"), ("state", "state"))
_STATUSES = tuple((status.value, status.value) for status in Status if status is not Status.SUPERSEDED)


def lacks(item: MemoryItem) -> tuple[Field, ...]:
    """The fields to ask for. In doubt an item is `knowledge`, so that is chosen beforehand (§4)."""
    fields: list[Field] = []
    if item.kind is None:
        written = f" (written: {display.one_line(item.kind_text)})" if item.kind_text else ""
        fields.append(Field("kind", f"kind{written}", Kind.KNOWLEDGE.value, choices=_KINDS))
    hint = "the stable key whose value this is, e.g. app:port"
    if not item.subject and item.kind is Kind.STATE:
        fields.append(Field("subject", "subject", hint=hint))
    elif not item.subject and item.kind is None:
        fields.append(Field("subject", "subject", hint=hint, when=("kind", Kind.STATE.value)))
    if not item.source:
        fields.append(Field("source", "source", hint="archive/YYYY-MM-DD.md#anchor, or whose word it is"))
    if item.status is None and not item.marker:
        fields.append(Field("status", "status", Status.PENDING_CLEANUP.value, choices=_STATUSES))
    return tuple(fields)


def ask_repair(desk: Desk, item: MemoryItem, then: Then) -> None:
    """Ask for what `item` lacks, then go on; where nothing has to be asked, go on at once."""
    facts = desk.facts
    shared = facts is not None and item.id is not None and len(facts.reading.snapshot.by_id.get(item.id, ())) > 1
    fields = lacks(item)
    given = []
    if item.id is None:
        given.append("It is given an id.")
    if shared:
        given.append(f"Another item bears {display.one_line(item.id or '')} too; this one is given a fresh id.")
    if item.marker:
        given.append(f"The marker {display.one_line(item.marker)} becomes Status: pending-cleanup.")

    def go_on(answers: Answers) -> None:
        then(
            Repair(
                item.key,
                kind=answers.get("kind"),
                subject=answers.get("subject"),
                source=answers.get("source"),
                status=answers.get("status"),
                marker=item.marker is not None,
                new_id=shared,
            )
        )

    if not fields:
        if given or item.status_text is None:
            go_on({})
        else:
            desk.say(("! ", "waits"), "It lacks nothing that a repair could give.")
        return
    text = facts.sight.head(item.text, 300) if facts is not None and facts.sight.eligible(item) else ""
    desk.ask(f"Repair {display.one_line(item.id or str(item.place))}", fields, go_on, intro=(text, *given))
