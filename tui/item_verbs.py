"""The verbs that act on items: why one cannot be done now, and the request it means, asking for what is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.authority import Actor
from core.items import MemoryItem
from core.lifecycle import refusal
from core.requests import Clear, Cool, Pend, Reclassify, Request, SetSubject, Stale, Warm
from core.vocabulary import Kind, Standing, Status
from tui import display
from tui.desk import Desk, Facts, Then
from tui.screens.form import Answers, Field
from tui.verbs import Verb

_TO = {"clear": Status.ACTIVE, "stale": Status.STALE, "pend": Status.PENDING_CLEANUP}
_BULK: dict[str, Callable[[tuple[str, ...]], Request]] = {
    "clear": Clear,
    "stale": Stale,
    "pend": Pend,
    "cool": Cool,
    "warm": Warm,
}
_ONE = ("repair", "reclassify", "subject")
ITEM_VERBS = frozenset({*_BULK, *_ONE, "withdraw"})


def why_not_items(verb: Verb, targets: Sequence[MemoryItem], facts: Facts | None, actor: Actor) -> str | None:
    """Why the verb cannot be done with these items, as a sentence; None where it can be tried.

    Of several items the plan says for each why it is left out.
    """
    if not targets:
        return f"There is no item under the cursor to {verb.name}."
    if verb.name == "withdraw":
        return None
    if len(targets) > 1:
        return f"{verb.name.capitalize()} takes one item at a time." if verb.name in _ONE else None
    (item,) = targets
    if facts is not None and not facts.sight.eligible(item):
        return "It is withdrawn; reinstate it before deciding anything else about it."
    if verb.name == "repair":
        return None
    if item.id is None:
        return "It has no id, so the log could not name it; repair it first."
    if verb.name in _TO:
        return refusal(item, _TO[verb.name], actor.role)
    return _why_not_curate(verb, item)


def _why_not_curate(verb: Verb, item: MemoryItem) -> str | None:
    if verb.name == "cool" and item.kind is not Kind.KNOWLEDGE:
        return "Only knowledge cools; a state row is superseded."
    if verb.name == "cool" and item.standing is not Standing.TOPIC:
        return f"It stands in {display.one_line(item.place.file)}, not among a topic's facts and lessons."
    if verb.name == "warm" and item.standing is not Standing.HISTORICAL:
        return "It was never cooled."
    if verb.name == "reclassify" and item.kind is None:
        return "It has no kind yet; repair it."
    if verb.name == "subject" and item.kind is not Kind.STATE:
        return "Only a state item has a subject."
    return None


def request_items(desk: Desk, verb: Verb, targets: Sequence[MemoryItem], then: Then) -> None:
    """Make the request that the verb means for these items, and go on with it."""
    if verb.name in _BULK:
        then(_BULK[verb.name](tuple(item.key for item in targets)))
    elif verb.name == "repair":
        from tui.screens.repair import ask_repair

        ask_repair(desk, targets[0], then)
    elif verb.name == "withdraw":
        from tui.screens.withdraw import ask_withdraw

        ask_withdraw(desk, tuple(targets), then)
    elif verb.name == "reclassify":
        _reclassify(desk, targets[0], then)
    elif verb.name == "subject":
        _subject(desk, targets[0], then)


def _reclassify(desk: Desk, item: MemoryItem, then: Then) -> None:
    if item.kind is Kind.STATE:
        then(Reclassify(item.key, Kind.KNOWLEDGE.value))
        return

    def go_on(answers: Answers) -> None:
        then(Reclassify(item.key, Kind.STATE.value, answers["subject"]))

    field = Field("subject", "subject", display.one_line(item.subject or ""), "the stable key whose value this is")
    desk.ask(
        "Reclassify as state: whose current value is it?",
        (field,),
        go_on,
        intro=("As state it can be superseded by a newer row: a lesson would lose its weight. In doubt, cancel.",),
    )


def _subject(desk: Desk, item: MemoryItem, then: Then) -> None:
    def go_on(answers: Answers) -> None:
        then(SetSubject(item.key, answers["subject"]))

    field = Field("subject", "subject", display.one_line(item.subject or ""), "a stable key, e.g. app:port")
    desk.ask("Set the subject", (field,), go_on, intro=("Supersede matches subjects byte for byte.",))


def ask_triggers(desk: Desk, file: str, triggers: Sequence[str], then: Then) -> None:
    """Ask for a topic's triggers, then go on."""
    from core.requests import SetTriggers

    def go_on(answers: Answers) -> None:
        then(SetTriggers(file, tuple(part.strip() for part in answers["triggers"].split(",") if part.strip())))

    field = Field("triggers", "triggers", ", ".join(map(display.one_line, triggers)), "when to read it, by commas")
    desk.ask(f"When is {display.one_line(file)} to be read?", (field,), go_on)
